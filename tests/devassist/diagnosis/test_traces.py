"""Stack traces as data. Python and Node print theirs themselves; those of the JVM are as it prints them."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from devassist.diagnosis.traces import Trace, parse_trace

PYTHON = """
import asyncio

class Shop:
    def price(self, item):
        return {}[item]

def sell(item):
    try:
        return Shop().price(item)
    except KeyError as error:
        raise LookupError(f"no price for {item}") from error

async def main():
    try:
        sell("tea")
    except LookupError:
        raise ValueError("cannot sell")

asyncio.run(main())
"""
GROUP = """
def a(): raise ValueError("one")
def b(): raise TypeError("two")
def main():
    errors = []
    for one in (a, b):
        try: one()
        except Exception as error: errors.append(error)
    raise ExceptionGroup("many", errors)
main()
"""
NODE = """
async function load(id) { return JSON.parse(id) }
class Till {
  async ring(id) {
    try { await load(id) } catch (error) { throw new RangeError("cannot ring", { cause: error }) }
  }
}
new Till().ring("{oops")
"""
JVM = """Exception in thread "main" java.lang.IllegalStateException: order 17 failed
\tat com.example.shop.Orders.place(Orders.java:21)
\tat com.example.shop.Orders$Line.lambda$check$0(Orders.java:40)
\tat java.base/java.util.ArrayList.forEach(ArrayList.java:1596)
\tat app//com.example.shop.MainKt.main(Main.kt:9)
\tSuppressed: java.io.IOException: close failed
\t\tat com.example.shop.Till.close(Till.kt:12)
\t\t... 3 more
Caused by: com.example.shop.OutOfStock: tea
\tat com.example.shop.Stock$take$2.invokeSuspend(Stock.kt:33)
\tat kotlinx.coroutines.DispatchedTask.run(DispatchedTask.kt:101)
\t... 4 more
"""


def _run(command: list[str], *, folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text)
    return subprocess.run([*command, str(folder / name)], capture_output=True, text=True, check=False).stderr


def _shape(trace: Trace) -> list[tuple[str, str, str, str, int | None]]:
    """Return each error with the place where it was raised."""
    return [
        (one.relation, one.kind, one.message, one.frames[0].function if one.frames else "",
         one.frames[0].line if one.frames else None)
        for one in trace.errors
    ]  # fmt: skip


def test_chained_python_exceptions_run_from_the_one_seen_to_its_cause(tmp_path: Path) -> None:
    trace = parse_trace(_run([sys.executable], folder=tmp_path, name="app.py", text=PYTHON))

    assert _shape(trace) == [
        ("seen", "ValueError", "cannot sell", "main", 18),
        ("context", "LookupError", "no price for tea", "sell", 12),
        ("cause", "KeyError", "'tea'", "price", 6),
    ]
    assert trace.errors[2].frames[0].code == "return {}[item]"
    assert trace.frames[0].path == str(tmp_path / "app.py")
    assert [frame.function for frame in trace.errors[0].frames if frame.is_library]
    assert trace.root is trace.errors[2]


def test_members_of_an_exception_group_follow_it(tmp_path: Path) -> None:
    trace = parse_trace(_run([sys.executable], folder=tmp_path, name="app.py", text=GROUP))

    assert _shape(trace) == [
        ("seen", "ExceptionGroup", "many (2 sub-exceptions)", "main", 9),
        ("member", "ValueError", "one", "a", 2),
        ("member", "TypeError", "two", "b", 3),
    ]


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
def test_async_frames_and_causes_of_node(tmp_path: Path) -> None:
    trace = parse_trace(_run(["node"], folder=tmp_path, name="app.js", text=NODE))

    assert [(one.relation, one.kind) for one in trace.errors] == [("seen", "RangeError"), ("cause", "SyntaxError")]
    assert (trace.errors[0].frames[0].function, trace.errors[0].frames[0].line) == ("Till.ring", 5)
    own = [frame for frame in trace.errors[1].frames if not frame.is_library]
    assert [(frame.function, frame.line) for frame in own if frame.path.endswith("app.js")] == [
        ("load", 2), ("Till.ring", 5), ("", 8),
    ]  # fmt: skip


def test_jvm_causes_suppressed_errors_modules_lambdas_and_coroutines() -> None:
    trace = parse_trace(JVM)

    assert _shape(trace) == [
        ("seen", "IllegalStateException", "order 17 failed", "place", 21),
        ("suppressed", "IOException", "close failed", "close", 12),
        ("cause", "OutOfStock", "tea", "take", 33),
    ]
    frames = trace.errors[0].frames
    assert [(frame.path, frame.scope, frame.function) for frame in frames if not frame.is_library] == [
        ("com/example/shop/Orders.java", "Orders", "place"),
        ("com/example/shop/Orders.java", "Orders.Line", "check"),
        ("com/example/shop/Main.kt", "MainKt", "main"),
    ]
    assert trace.root is trace.errors[2]


def test_windows_containers_logs_browsers_and_urls() -> None:
    windows = parse_trace(
        'Traceback (most recent call last):\n  File "C:\\app\\src\\till.py", line 3, in ring\nKeyError: 1'
    )
    printed = ("TypeError: x is undefined", "    at ring (/usr/src/app/till.js:4:2)", "    at /usr/src/app/a.js:1:1")
    compose = parse_trace("\n".join(f"web-1  | {line}" for line in printed))
    firefox = parse_trace("TypeError: x is null\nring@https://shop.example/assets/till.js?v=3:4:20\n")
    bundled = parse_trace("TypeError: x\n    at ring (webpack-internal:///./src/till.ts:4:2)")

    assert windows.frames[0].path == "/app/src/till.py"
    assert [(frame.path, frame.line) for frame in compose.frames] == [
        ("/usr/src/app/till.js", 4),
        ("/usr/src/app/a.js", 1),
    ]
    assert (firefox.frames[0].path, firefox.frames[0].line, firefox.frames[0].column) == ("assets/till.js", 4, 20)
    assert bundled.frames[0].path == "src/till.ts"


def test_equal_traces_have_one_fingerprint_whatever_lines_addresses_and_folders(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    one = _run([sys.executable], folder=tmp_path / "a", name="app.py", text=PYTHON)
    moved = _run(
        [sys.executable], folder=tmp_path / "b", name="app.py", text="# a line\n" + PYTHON.replace("tea", "0x7f21a")
    )
    other = _run([sys.executable], folder=tmp_path / "a", name="app.py", text=PYTHON.replace("price", "cost"))

    assert parse_trace(one).fingerprint() == parse_trace(moved).fingerprint()
    assert parse_trace(one).fingerprint() != parse_trace(other).fingerprint()
    shifted = JVM.replace(":33)", ":35)").replace("order 17", "order 99").replace("lambda$check$0", "lambda$check$4")
    assert parse_trace(JVM).fingerprint() == parse_trace(shifted).fingerprint()


@pytest.mark.parametrize("text", ["", "all is well", "\x00", "at at at", "{" * 5_000, "Caused by: " * 3_000])
def test_what_is_no_trace_has_no_frames(text: str) -> None:
    assert parse_trace(text).frames == []


@pytest.mark.parametrize("line", ["at " + "/" * 1_990, "at " + "a/" * 990 + "(", "a." * 990 + "Error!", "|" * 1_990])
def test_hostile_lines_are_read_in_time(line: str) -> None:
    parse_trace("\n".join([line] * 60 + ["Exception Group Traceback"]))
