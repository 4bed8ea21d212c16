"""What is taken of a paste; the traces are as runtimes and builds print them."""

import textwrap

import pytest

from devassist.root_causes.error_excerpt import MAX_TOLD, extract_excerpt

JVM = """
11-02 10:15:22.101  4711  4711 E AndroidRuntime: FATAL EXCEPTION: main
11-02 10:15:22.101  4711  4711 E AndroidRuntime: java.lang.RuntimeException: Unable to start activity ComponentInfo{x/y}
11-02 10:15:22.101  4711  4711 E AndroidRuntime: \tat android.app.ActivityThread.performLaunch(ActivityThread.java:3449)
11-02 10:15:22.101  4711  4711 E AndroidRuntime: Caused by: kotlin.UninitializedPropertyAccessException: lateinit property adapter has not been initialized
11-02 10:15:22.101  4711  4711 E AndroidRuntime: \tat com.example.ui.NoteListFragment.showNotes(NoteListFragment.kt:47)
11-02 10:15:22.101  4711  4711 E AndroidRuntime: \tat androidx.fragment.app.Fragment.performStart(Fragment.java:3100)
"""  # noqa: E501
PYTHON = """
Traceback (most recent call last):
  File "/srv/shop/orders.py", line 12, in total
    return sum(line["price"] for line in lines)
  File "/srv/shop/.venv/lib/python3.11/site-packages/x/y.py", line 3, in inner
KeyError: 'price'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/srv/shop/views.py", line 40, in show
    raise OrderBroken(order) from error
shop.errors.OrderBrokenError: order 17 has a line without a price
"""
NODE = """
/app/src/users.ts:14
TypeError: Cannot read properties of undefined (reading 'map')
    at renderUsers (/app/src/users.ts:14:22)
    at Layer.handle (/app/node_modules/express/lib/router/layer.js:95:5)
    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)
"""
GRADLE = """
> Task :app:compileDebugKotlin FAILED
e: file:///src/app/Main.kt:12:9 Unresolved reference 'viewModel'.

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':app:compileDebugKotlin'.
> Compilation error. See log for more details

* Try:
> Run with --stacktrace option to get the stack trace.
"""
TSC = "src/app.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'."


@pytest.mark.parametrize(
    ("paste", "error", "frames"),
    [
        (
            JVM,
            (
                "UninitializedPropertyAccessException: lateinit property adapter has not been initialized\n"
                "RuntimeException: Unable to start activity ComponentInfo{x/y}"
            ),
            ("NoteListFragment.showNotes",),
        ),
        (
            PYTHON,
            "OrderBrokenError: order 17 has a line without a price\nKeyError: 'price'",
            ("show views.py", "total orders.py"),
        ),
        (NODE, "TypeError: Cannot read properties of undefined (reading 'map')", ("renderUsers users.ts",)),
        (
            GRADLE,
            (
                "Unresolved reference 'viewModel'.\nExecution failed for task ':app:compileDebugKotlin'.\n"
                "Compilation error. See log for more details"
            ),
            (),
        ),
        (TSC, "error TS2322: Type 'string' is not assignable to type 'number'.", ()),
    ],
)
def test_the_telling_lines_are_taken(paste: str, error: str, frames: tuple[str, ...]) -> None:
    found = extract_excerpt(paste)

    assert (found.error, found.frames, found.is_trace) == (error, frames, True)


def test_another_text_is_taken_as_it_is_and_bounded() -> None:
    prose = "Why does\n  my list not scroll?  An error: see at com.example"

    assert extract_excerpt(prose).error == "Why does my list not scroll? An error: see at com.example"
    assert len(extract_excerpt("scroll " * 200_000).error) == MAX_TOLD
    assert extract_excerpt("\x00\ud800\x07 ").error == ""
    assert extract_excerpt(textwrap.indent(JVM, "> ")).error  # a quoted trace is at least searched as text


def test_a_trace_deep_in_a_megabyte_of_log_is_found() -> None:
    log = "10:00 all is well and nothing happened\n" * 30_000

    assert extract_excerpt(log + NODE).error.startswith("TypeError: Cannot read properties")
    assert extract_excerpt(JVM + log).frames == ("NoteListFragment.showNotes",)


def test_a_bare_name_is_searched_for_with_its_frames() -> None:
    brief = "$ adb logcat\nE AndroidRuntime: java.lang.NullPointerException\nE AndroidRuntime: \tat a.b.L.show(L.kt:5)"

    assert extract_excerpt(brief).meaning == "NullPointerException\nL.show"
    assert extract_excerpt("KeyError").meaning == "KeyError"
    assert extract_excerpt(PYTHON).meaning == extract_excerpt(PYTHON).error


def test_colours_of_a_terminal_are_no_words() -> None:
    found = extract_excerpt("\x1b[31mTypeError: x is not a function\x1b[0m\n    at f (/app/src/a.ts:1:1)")

    assert found.error == "TypeError: x is not a function"


@pytest.mark.parametrize(
    "line",
    ["01-01 00:00:00.0 E" + " " * 50_000, "E/" + "a" * 50_000, "at " + "a/" * 25_000, "Caused by: " + "A." * 25_000],
)
def test_lines_made_to_be_read_for_hours_are_read(line: str) -> None:
    assert extract_excerpt(f"{line}\n    at f (/app/src/a.ts:1:1)\n{line}").words
