"""
A fake model server inside the drill: OpenAI's Chat Completions, streamed, on the loopback interface.

Its answers follow from the question, `drill PHASE TOKEN`, and from how many tool answers came since. While
`is_holding`, the answers of phases that wait for the model stop where the phase says.
"""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

NAME = "drill-model"
PHASES = ("waiting", "streaming", "inside", "between", "writing", "approval")
"""
Where a run is when a part is killed: before the model's first word, after it, inside a tool that reads, between a
tool's answer and the model's next word, inside a tool that writes, and before a person who is to approve.
"""
TOOL_OF = {
    "inside": "drill_read", "between": "drill_read", "queue": "drill_read",
    "writing": "drill_write", "approval": "drill_write",
}  # fmt: skip
_HELD_IN_TOOL = ("inside", "writing", "approval")
_WORDS = "All of it is done."


class FakeModel:
    """The server; `reached` has the tokens of the runs that it holds."""

    def __init__(self) -> None:
        self.reached: set[str] = set()
        self.is_holding = False
        self._released = threading.Condition()
        handler = type("Handler", (_Handler,), {"model": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True

    @property
    def address(self) -> str:
        """Return the value for OPENAI_BASE_URL."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def start(self) -> None:
        """Serve from a thread."""
        threading.Thread(target=self._server.serve_forever, name="drill-model", daemon=True).start()

    def stop(self) -> None:
        """Release all answers and stop serving."""
        self.release()
        self._server.shutdown()
        self._server.server_close()

    def hold(self) -> None:
        """Hold answers from now on."""
        self.reached.clear()
        self.is_holding = True

    def release(self) -> None:
        """Release all held answers."""
        with self._released:
            self.is_holding = False
            self._released.notify_all()

    def wait_for_release(self, token: str) -> None:
        """Block an answer while answers are held."""
        with self._released:
            if self.is_holding:
                self.reached.add(token)
            self._released.wait_for(lambda: not self.is_holding)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: FakeModel

    def do_POST(self) -> None:
        """Answer a completion."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if not body:  # the worker was killed while it asked
            self.close_connection = True
            return
        asked = json.loads(body)
        phase, token, answered = _read_question(asked["messages"])
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        try:
            self._answer(phase, token=token, answered=answered)
        except OSError:
            return  # the worker was killed or closed the connection

    def _answer(self, phase: str, *, token: str, answered: int) -> None:
        if phase == "waiting" or (phase == "between" and answered):
            self.model.wait_for_release(token)
        if phase in TOOL_OF and not answered:
            function = {
                "name": TOOL_OF[phase],
                "arguments": json.dumps({"token": token, "waits": phase in _HELD_IN_TOOL}),
            }
            call = {"index": 0, "id": f"call_{token}", "type": "function", "function": function}
            self._send({"role": "assistant", "tool_calls": [call]})
            self._send({}, finish="tool_calls")
        else:
            first, *others = _WORDS.split(" ")
            self._send({"role": "assistant", "content": first})
            if phase == "streaming":
                self.model.wait_for_release(token)
            for word in others:
                self._send({"content": f" {word}"})
            self._send({}, finish="stop")
        self._write(_chunk([]) | {"usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}})
        self.wfile.write(b"data: [DONE]\n\n")

    def _send(self, delta: dict[str, Any], *, finish: str | None = None) -> None:
        self._write(_chunk([{"index": 0, "delta": delta, "finish_reason": finish}]))

    def _write(self, event: dict[str, Any]) -> None:
        self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Log nothing."""


def _chunk(choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {"id": "drill", "object": "chat.completion.chunk", "created": 0, "model": NAME, "choices": choices}


def _read_question(messages: list[dict[str, Any]]) -> tuple[str, str, int]:
    """Return phase and token of the last question, and how many tool answers came since."""
    places = [number for number, message in enumerate(messages) if message["role"] == "user"]
    words = str(messages[places[-1]]["content"]).split()
    start = words.index("drill") if "drill" in words else 0
    answered = sum(message["role"] == "tool" for message in messages[places[-1] :])
    return words[start + 1], words[start + 2], answered
