"""Fixtures for ingestion: an empty table of games, and an API of our own on a real socket."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from django.db import connection


@pytest.fixture
def no_games(db: None) -> None:
    """Delete the games for this test; the teams stay."""
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE linescore_games CASCADE")


@dataclass(slots=True)
class Answer:
    """One answer of the API."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class LocalApi:
    """An API with scripted answers; the last answer to a path repeats."""

    address: str = ""
    answers: dict[str, list[Answer]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def says(self, path: str, *answers: Answer | bytes) -> None:
        """Script the answers to a path, in order."""
        self.answers[path] = [Answer(answer) if isinstance(answer, bytes) else answer for answer in answers]

    def answer(self, path: str) -> Answer:
        """Record the request, and return the next answer."""
        self.asked.append(path)
        left = self.answers.get(path, [Answer(status=404)])
        return left.pop(0) if len(left) > 1 else left[0]


@pytest.fixture
def api() -> Iterator[LocalApi]:
    """Serve a LocalApi from a thread."""
    local = LocalApi()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer = local.answer(self.path)
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        local.address = f"http://127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield local
        server.shutdown()
        thread.join()
