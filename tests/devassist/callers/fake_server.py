"""
A language server that speaks LSP as badly as it is told: `fake_server.py <fault> [<file>]`.

It knows callers by a plain search of the workspace's Python files. Stands alone: it is run as a program.
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
    if method == "textDocument/references":
        return spots(word_at(params)) if FAULT == "references-only" else []
    return []


def misbehave(message: dict[str, Any]) -> bool:
    """Do what the fault says; True where that was the whole answer."""
    method = message["method"]
    asking = method == "callHierarchy/incomingCalls"
    first = MARK is None or not MARK.exists()
    match FAULT:
        case "hang-at-start" if method == "initialize":
            time.sleep(600)
        case "hang" if asking and first:
            mark()
            time.sleep(600)
        case "crash-at-start":
            sys.exit(3)
        case "crash" if asking and (first or MARK is None):
            mark()
            os._exit(9)
        case "not-there-at-first" if method == "textDocument/prepareCallHierarchy" and method not in refused:
            refused.add(method)
            send({"id": message["id"], "error": {"code": -32603, "message": "not yet"}})
            return True
        case "error" if asking:
            send({"id": message["id"], "error": {"code": -32600, "message": "no, secret reason"}})
            return True
        case "lie" if asking:
            send({"id": 999_999, "result": [1, 2]})
            send({"id": message["id"], "result": [{"from": 3}]})
            return True
        case "lie-outside" if asking:
            far = {"line": 10**6, "character": 10**6}
            uris = ["file:///etc/passwd", f"file://{ROOT}/../../etc/passwd", f"file://{ROOT}/absent.py", "jdt://x"]
            uris.append(f"file://{ROOT}/shop.py")
            calls = [{"from": {"uri": uri}, "fromRanges": [{"start": far, "end": far}]} for uri in uris]
            send({"id": message["id"], "result": calls})
            return True
        case "garbage" if asking:
            sys.stdout.buffer.write(b"hello\nthere\n" * 50)
            sys.stdout.buffer.flush()
            time.sleep(600)
        case "huge" if asking:
            sys.stdout.buffer.write(b"Content-Length: 99999999999\r\n\r\n" + b"x" * 100)
            sys.stdout.buffer.flush()
            time.sleep(600)
        case "flood" if asking:
            while True:
                send({"method": "window/logMessage", "params": {"message": "x" * 1_000_000}})
        case "late" if asking and not held:
            held.append(message)
            return True
        case "late" if held and method == "$/cancelRequest":
            late = held.pop()
            nowhere = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
            send({"id": late["id"], "result": [{"from": {"uri": f"file://{ROOT}/late.py"}, "fromRanges": [nowhere]}]})
            held.append({})
        case "indexing" if method == "initialized":
            send({"method": "$/progress", "params": {"token": 1, "value": {"kind": "begin", "title": "Indexing"}}})
        case "complains" if asking:
            sys.stderr.write("complaint " * 200_000)
        case "grows" if asking and first:
            mark()
            kept = [b"x" * 300_000_000]
            time.sleep(600)
            del kept
        case "child" if method == "initialized" and MARK:
            MARK.write_text(str(subprocess.Popen(["sleep", "600"]).pid))
        case "asks" if asking:
            send({"id": "mine", "method": "workspace/applyEdit", "params": {"edit": {"changes": {}}}})
            while (reply := read()).get("id") != "mine":
                pass
            assert reply["result"] == {"applied": False}
    return False


def mark() -> None:
    if MARK:
        MARK.touch()


while True:
    message = read()
    if "method" in message and not misbehave(message) and "id" in message:
        send({"id": message["id"], "result": answer(message["method"], message.get("params") or {})})
