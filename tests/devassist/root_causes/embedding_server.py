"""
An embeddings server of OpenAI's API for tests.

Its vectors are the built-in model's with a common part added, so cosines differ, and the order of entries is the same.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from toolbox.embedding.embedder import embedder

KEY = "embeddings-of-the-test"
COMMON = 0.75
"""What every vector has in common: cosines are (cosine + COMMON²) / (1 + COMMON²)."""


class EmbeddingServer:
    """A running server: its requests, and what to answer instead of vectors."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []
        self.keys: set[str | None] = set()
        self.refusal: int | None = None
        self.answer: dict[str, Any] | None = None
        self.dimensions = 1_152
        self.base_url = ""

    def embed(self, texts: list[str]) -> list[list[float]]:
        """Return the vectors of texts, not of unit length."""
        rows = embedder.embed(texts)
        left = self.dimensions - rows.shape[1] - 1
        return [[*(float(one) * 2 for one in row), COMMON * 2, *([0.0] * left)] for row in rows]


@contextmanager
def embedding_server() -> Iterator[EmbeddingServer]:
    """Run a server on a free port of this machine."""
    state = EmbeddingServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.keys.add(self.headers["Authorization"])
            if self.path != "/v1/embeddings" or state.refusal:
                self._send(state.refusal or 404, {"error": {"message": f"no, {KEY}"}})
                return
            state.asked.append(body["input"])
            rows = [
                {"object": "embedding", "index": index, "embedding": row}
                for index, row in enumerate(state.embed(body["input"]))
            ]
            usage = {"prompt_tokens": 1, "total_tokens": 1}
            whole = {"object": "list", "data": rows[::-1], "model": body["model"], "usage": usage}
            self._send(200, state.answer or whole)

        def _send(self, status: int, answer: object) -> None:
            data = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    state.base_url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
