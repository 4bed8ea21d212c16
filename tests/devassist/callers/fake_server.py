"""
A language server that speaks LSP as badly as its argument says: `fake_server.py <fault> [<file>]`.

It finds callers by a plain search of the workspace's Python files. Stands alone: it is run as a program.
"""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import unquote

FAULT = sys.argv[1]
MARK = Path(sys.argv[2]) if len(sys.argv) > 2 else None
ROOT = Path()
held: list[dict[str, Any]] = []
refused: set[str] = set()
met: list[str] = []


def send(message: dict[str, Any]) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    sys.stdout.buffer.flush()


def read() -> dict[str, Any]:
    size = 0
    while line := sys.stdin.buffer.readline():
        if not line.strip():
            return json.loads(sys.stdin.buffer.read(size))  # type: ignore[no-any-return]
        if line.lower().startswith(b"content-length"):
            size = int(line.split(b":")[1])
    sys.exit(0)


def word_at(params: dict[str, Any]) -> str:
    text = Path(unquote(params["textDocument"]["uri"].removeprefix("file://"))).read_text()
    line, character = params["position"]["line"], params["position"]["character"]
    return next(f[0] for f in re.finditer(r"\w+", text.splitlines()[line]) if f.start() <= character <= f.end())


def spots(name: str) -> list[dict[str, Any]]:
    found = []
    for path in sorted(ROOT.rglob("*.py")):
        for number, line in enumerate(path.read_text().splitlines()):
            for match in re.finditer(rf"(?<!def )\b{name}\(", line):
                start = {"line": number, "character": match.start()}
                found.append({"uri": path.as_uri(), "range": {"start": start, "end": start}})
    return found


def answer(method: str, params: dict[str, Any]) -> object:
    if method == "initialize":
        global ROOT
        ROOT = Path(params["rootPath"])
        return {"capabilities": {"callHierarchyProvider": FAULT != "references-only", "referencesProvider": True}}
    if method == "textDocument/prepareCallHierarchy":
        return [{"name": word_at(params), "uri": params["textDocument"]["uri"]}]
    if method == "callHierarchy/incomingCalls":
        return [{"from": {"uri": spot["uri"]}, "fromRanges": [spot["range"]]} for spot in spots(params["item"]["name"])]
    if method == "textDocument/definition" and FAULT == "defines":
        start = {"line": 0, "character": 4}
        return [{"uri": f"file://{ROOT}/shop.py", "range": {"start": start, "end": start}}]
    if method == "textDocument/references":
        return spots(word_at(params)) if FAULT == "references-only" else []
    return []


def misbehave(message: dict[str, Any]) -> bool:
    """Do what the fault says; True if that was the whole answer. The first such request is the one at the start."""
    wanted, fault = FAULTS.get(FAULT, ("", nothing))
    once = MARK is not None and MARK.exists() and FAULT != "child"
    if message["method"] != wanted or once:
        return False
    met.append(wanted)
    return (len(met) > 1 or FAULT not in PATIENT) and fault(message)


def nothing(_: dict[str, Any]) -> bool:
    return False


def hang(_: dict[str, Any]) -> bool:
    mark()
    time.sleep(600)
    return True


def crash(_: dict[str, Any]) -> bool:
    mark()
    os._exit(9)


def not_yet(message: dict[str, Any]) -> bool:
    if "not yet" in refused:
        return False
    refused.add("not yet")
    send({"id": message["id"], "error": {"code": -32603, "message": "not yet"}})
    return True


def error(message: dict[str, Any]) -> bool:
    send({"id": message["id"], "error": {"code": -32600, "message": "no"}})
    return True


def lie(message: dict[str, Any]) -> bool:
    send({"id": 999_999, "result": [1, 2]})
    send({"id": message["id"], "result": [{"from": 3}]})
    return True


def lie_about_places(message: dict[str, Any]) -> bool:
    far = {"line": 10**6, "character": 10**6}
    paths = ["/etc/passwd", f"{ROOT}/../../etc/passwd", f"{ROOT}/absent.py", f"{ROOT}/shop.py"]
    uris = ["jdt://x", *(f"file://{path}" for path in paths)]
    calls = [{"from": {"uri": uri}, "fromRanges": [{"start": far, "end": far}]} for uri in uris]
    send({"id": message["id"], "result": calls})
    return True


def garbage(_: dict[str, Any]) -> bool:
    sys.stdout.buffer.write(b"hello\nthere\n" * 50)
    sys.stdout.buffer.flush()
    return hang(_)


def huge(_: dict[str, Any]) -> bool:
    sys.stdout.buffer.write(b"Content-Length: 99999999999\r\n\r\n" + b"x" * 100)
    sys.stdout.buffer.flush()
    return hang(_)


def flood(_: dict[str, Any]) -> bool:
    while True:
        send({"method": "window/logMessage", "params": {"message": "x" * 1_000_000}})


def late(message: dict[str, Any]) -> bool:
    """Answer the first request after it was given up, and each later one with the answer to the one before."""
    held.append(message)
    if len(held) == 1:
        while read().get("method") != "$/cancelRequest":
            pass
    start = {"line": 0, "character": 0}
    call = {"from": {"uri": f"file://{ROOT}/late.py"}, "fromRanges": [{"start": start, "end": start}]}
    send({"id": held[0]["id"], "result": [call]})
    return False


def index_for_ever(_: dict[str, Any]) -> bool:
    send({"method": "$/progress", "params": {"token": 1, "value": {"kind": "begin", "title": "Indexing"}}})
    return False


def complain(_: dict[str, Any]) -> bool:
    sys.stderr.write("complaint " * 200_000)
    return False


def grow(_: dict[str, Any]) -> bool:
    mark()
    held.append({"kept": b"x" * 300_000_000})
    return hang(_)


def bear_a_child(_: dict[str, Any]) -> bool:
    assert MARK
    MARK.write_text(str(subprocess.Popen(["sleep", "600"]).pid))
    return False


def wait_for_mark(_: dict[str, Any]) -> bool:
    """Answer only when the file of the argument is there."""
    while MARK and not MARK.exists():
        time.sleep(0.01)
    return False


def ask_back(_: dict[str, Any]) -> bool:
    send({"id": "mine", "method": "workspace/applyEdit", "params": {"edit": {"changes": {}}}})
    while (reply := read()).get("id") != "mine":
        pass
    assert reply["result"] == {"applied": False}
    return False


PATIENT = {"hang", "late"}
ASKING = "callHierarchy/incomingCalls"
FAULTS = {
    "hang-at-start": ("initialize", hang),
    "crash-at-start": ("initialize", crash),
    "hang": (ASKING, hang),
    "crash": (ASKING, crash),
    "not-there-at-first": ("textDocument/prepareCallHierarchy", not_yet),
    "error": (ASKING, error),
    "lie": (ASKING, lie),
    "lie-outside": (ASKING, lie_about_places),
    "garbage": (ASKING, garbage),
    "huge": (ASKING, huge),
    "flood": (ASKING, flood),
    "late": (ASKING, late),
    "indexing": ("initialized", index_for_ever),
    "complains": (ASKING, complain),
    "grows": (ASKING, grow),
    "child": ("initialized", bear_a_child),
    "asks": (ASKING, ask_back),
    "defines": ("textDocument/definition", wait_for_mark),
    "hides": ("textDocument/definition", hang),
}


def mark() -> None:
    if MARK:
        MARK.touch()


while True:
    message = read()
    if "method" in message and not misbehave(message) and "id" in message:
        send({"id": message["id"], "result": answer(message["method"], message.get("params") or {})})
