"""
Size of the code, and what one call passes through on its way.

    python -m benchmarks.structure            # both tables
    python -m benchmarks.structure --lines    # sizes alone, without a database

Lines are counted without blank lines, comments and migrations. A function is counted once per call path, by its
definition; list comprehensions and lambdas are part of the function that holds them. The counted call is the second
of its kind, so that what only a first call does is left out.
"""

import argparse
import asyncio
import io
import os
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator, MutableMapping
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Self

PROJECT = Path(__file__).resolve().parent.parent
KERNEL = ("toolbox", "agents", "console", "config")
DOMAINS = ("backtests", "linescore", "graphql_proxy", "sprints", "devassist")
PACKAGES = (*KERNEL, *DOMAINS, "tests")
NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def count_lines(path: Path) -> int:
    """Count the lines of a Python file that hold more than blanks and comments."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline):
        if token.type not in NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines)


def find_modules(package: str) -> Iterator[Path]:
    """Yield a package's Python files, without migrations."""
    for path in sorted((PROJECT / package).rglob("*.py")):
        if "migrations" not in path.parts:
            yield path


def print_sizes() -> None:
    """Print a table of files and lines, a row per package."""
    print("| package | files | lines |\n|---|--:|--:|")
    total = 0
    for package in PACKAGES:
        paths = list(find_modules(package))
        lines = sum(count_lines(path) for path in paths)
        total += lines if package in KERNEL else 0
        print(f"| {package} | {len(paths)} | {lines:,} |")
    print(f"| {', '.join(KERNEL)} | | {total:,} |")


class CallPath:
    """Records which functions of this repository run, in any task of this thread."""

    def __init__(self) -> None:
        self.codes: set[CodeType] = set()

    def __enter__(self) -> Self:
        sys.setprofile(self._record)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _record(self, frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            self.codes.add(frame.f_code)

    def functions(self) -> list[str]:
        """Return `file:function` of each, without nested functions and benchmarks."""
        found = set()
        for code in self.codes:
            path = Path(code.co_filename)
            is_ours = path.is_relative_to(PROJECT) and path.relative_to(PROJECT).parts[0] in PACKAGES[:-1]
            if is_ours and not code.co_name.startswith("<"):
                found.add(f"{path.relative_to(PROJECT)}:{code.co_qualname}")
        return sorted(found)


async def _send(application: Any, *, path: str, body: bytes, headers: dict[str, str]) -> bytes:
    """Make one HTTP request to an ASGI application and return the body of its answer."""
    waiting = [{"type": "http.request", "body": body, "more_body": False}]
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        if waiting:
            return waiting.pop()
        await asyncio.Event().wait()
        raise AssertionError("unreachable")

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    lines = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "scheme": "http",
        "path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "", "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80), "headers": [(b"host", b"127.0.0.1"), *lines],
    }  # fmt: skip
    await application(scope, receive, send)
    if sent[0]["status"] != 200:  # noqa: PLR2004 - only an answer is measured
        raise RuntimeError(f"{path} answered {sent[0]['status']}: {sent[1]['body'][:300]!r}")
    return b"".join(message.get("body", b"") for message in sent[1:])


async def _measure(key: str) -> dict[str, list[str]]:
    """Make a REST and an MCP call in this process, twice each, and return the functions of the second."""
    from benchmarks.questions import PATTERN_1  # noqa: PLC0415 - Django must be ready
    from benchmarks.tool_requests import mcp_request, rest_request  # noqa: PLC0415
    from config.asgi import application  # noqa: PLC0415

    inbox: asyncio.Queue[MutableMapping[str, Any]] = asyncio.Queue()
    outbox: asyncio.Queue[MutableMapping[str, Any]] = asyncio.Queue()
    lifespan = asyncio.create_task(application({"type": "lifespan"}, inbox.get, outbox.put))
    await inbox.put({"type": "lifespan.startup"})
    await outbox.get()
    found = {}
    for name, request in {
        "REST": rest_request(PATTERN_1, key=key),
        "MCP": mcp_request(PATTERN_1.arguments, key=key),
    }.items():
        headers = {**request.headers, "Content-Length": str(len(request.body.encode()))}
        for _ in range(3):
            with CallPath() as path:
                await _send(application, path=request.path, body=request.body.encode(), headers=headers)
        found[name] = path.functions()
    await inbox.put({"type": "lifespan.shutdown"})
    await lifespan
    return found


def print_paths(*, is_listed: bool) -> None:
    """Print how many functions in how many files one call passes, over REST and MCP."""
    from benchmarks.scratch import scratch_database  # noqa: PLC0415

    with scratch_database() as scratch:
        os.environ |= scratch.environment | {"DJANGO_SETTINGS_MODULE": "config.settings", "TOOLROOM_LIMITS_URL": ""}
        import django  # noqa: PLC0415

        django.setup()
        from django.contrib.auth.models import User  # noqa: PLC0415
        from django.core.management import call_command  # noqa: PLC0415
        from django.db import connections  # noqa: PLC0415

        from linescore.ingest.samples import load_samples  # noqa: PLC0415
        from toolbox.models import ApiKey  # noqa: PLC0415

        call_command("migrate", verbosity=0)
        load_samples()
        owner = User.objects.create_user("benchmark")
        key = ApiKey.make(name="benchmark", owner_id=owner.pk, scopes=["linescore:read"])[1]
        connections.close_all()
        found = asyncio.run(_measure(key))
    print("| one call | functions | files |\n|---|--:|--:|")
    for name, functions in found.items():
        files = Counter(function.partition(":")[0] for function in functions)
        print(f"| {name} | {len(functions)} | {len(files)} |")
    if is_listed:
        for name, functions in found.items():
            print(f"\n{name}:", *functions, sep="\n  ")


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0] if __doc__ else "")
    parser.add_argument("--lines", action="store_true", help="sizes alone")
    parser.add_argument("--list", action="store_true", help="name the functions of each path")
    arguments = parser.parse_args()
    print_sizes()
    if not arguments.lines:
        print()
        print_paths(is_listed=arguments.list)


if __name__ == "__main__":
    main()
