"""
A GraphQL server over any schema, with generated answers: graphql-core behind a real socket, on its own thread.

A field's value follows from its type and name; a list has two items; `limit` is respected; a search by `q` finds the
one thing of that name, unless the name is "Smith", which fits three.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from graphql import (
    GraphQLEnumType,
    GraphQLInterfaceType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLResolveInfo,
    GraphQLSchema,
    GraphQLUnionType,
    graphql_sync,
    is_leaf_type,
)

COMMON_NAME = "Smith"
SCALARS: dict[str, Any] = {"Int": 7, "Float": 1.5, "Boolean": True, "ID": "8"}


@dataclass
class MockUpstream:
    """
    A running server: its address, and the documents and variables that it received.

    It answers nothing while `is_open` is cleared.
    """

    address: str
    asked: list[dict[str, Any]] = field(default_factory=list)
    idempotency_keys: list[str] = field(default_factory=list)
    is_open: threading.Event = field(default_factory=threading.Event)

    def times(self, document: str) -> int:
        """Return how often it received a document."""
        return [said["query"] for said in self.asked].count(document)


@contextmanager
def mock_upstream(schema: GraphQLSchema) -> Iterator[MockUpstream]:
    """Run the server until the block ends."""
    running = MockUpstream(address="")
    running.is_open.set()

    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(running, schema=schema))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    running.address = f"http://127.0.0.1:{server.server_port}/graphql"
    try:
        yield running
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


def _handler(running: MockUpstream, *, schema: GraphQLSchema) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            running.asked.append(said)
            running.idempotency_keys.append(self.headers.get("Idempotency-Key", ""))
            running.is_open.wait(20)
            answer = json.dumps(answered(schema, said)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            with suppress(ConnectionError):
                self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    return Handler


def answered(schema: GraphQLSchema, said: dict[str, Any]) -> dict[str, Any]:
    """Answer one request body."""
    result = graphql_sync(
        schema,
        said["query"],
        variable_values=said.get("variables"),
        operation_name=said.get("operationName"),
        field_resolver=made_up,
        type_resolver=lambda *_: None,
    )
    return dict(result.formatted)


def made_up(source: Any, info: "GraphQLResolveInfo[Any]", **arguments: Any) -> Any:
    """Generate the value of a field."""
    below = source if isinstance(source, dict) else {}
    if info.field_name in below:
        return below[info.field_name]
    passed = {"q": arguments.get("q", below.get("q")), "limit": arguments.get("limit", below.get("limit"))}
    return _value(info.return_type, name=info.field_name, passed=passed)


def _value(of: Any, *, name: str, passed: dict[str, Any]) -> Any:
    if isinstance(of, GraphQLNonNull):
        return _value(of.of_type, name=name, passed=passed)
    if isinstance(of, GraphQLList):
        return [_named(number, passed) | {"__typename": _concrete(of)} for number in range(_count(passed))]
    if isinstance(of, GraphQLEnumType):
        return next(iter(of.values.values())).value
    if is_leaf_type(of):
        return SCALARS.get(of.name, name)
    return {"__typename": _concrete(of), **passed}


def _count(passed: dict[str, Any]) -> int:
    if passed["q"]:
        return 3 if passed["q"] == COMMON_NAME else 1
    return min(passed["limit"] or 2, 2)


def _named(number: int, passed: dict[str, Any]) -> dict[str, Any]:
    return {"name": passed["q"], "id": str(number + 1)} if passed["q"] else {}


def _concrete(of: Any) -> str:
    while isinstance(of, GraphQLNonNull | GraphQLList):
        of = of.of_type
    if isinstance(of, GraphQLUnionType):
        return str(of.types[0].name)
    return "" if isinstance(of, GraphQLInterfaceType) else str(of.name)
