"""A very small server of Chat Completions on a real socket, with scripted answers."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class ChatServer:
    """The server's requests, and its answers to come."""

    def __init__(self, answers: list[dict[str, Any]]) -> None:
        self.answers = answers
        self.asked: list[dict[str, Any]] = []
        self.address = ""

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the next answer as a whole completion."""
        self.asked.append(request)
        message = {"role": "assistant", "content": json.dumps(self.answers.pop(0))}
        return {
            "id": "x", "object": "chat.completion", "created": 1, "model": request["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
        }  # fmt: skip


@contextmanager
def chat_server(*answers: dict[str, Any]) -> Iterator[ChatServer]:
    """Serve these answers on a free port of the loopback interface."""
    served = ChatServer(list(answers))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            body = json.dumps(served.answer(request)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        served.address = f"http://127.0.0.1:{server.server_port}/v1"
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
