"""Which function a call is counted to, worked out by hand."""

import pytest

from devassist.callers.code import Code

KOTLIN = """class Screen {
    val total by lazy { call() }
    val shown = { call() }
    init { call() }
    fun go() {
        val later = { call() }
    }
    companion object { fun make() = call() }
}
fun String.shout() = call()
val top = call()
"""
JAVA = """class Bridge {
  Runnable task = () -> call();
  void go() {
    Runnable later = () -> call();
  }
  static { call(); }
}
"""
SCRIPT = """const later = () => call();
const shop = { buy() { call(); } };
class List { item = call(); constructor() { call(); } }
const Memo = memo(() => call());
[1].map(() => call());
"""
PYTHON = """@call()
def go():
    later = lambda: call()
call()
"""


@pytest.mark.parametrize(
    ("path", "text", "callers"),
    [
        ("a.kt", KOTLIN, ["Screen.total", "Screen.shown", "Screen.init", "Screen.go", "Screen.make", "String.shout",
                          "top"]),
        ("a.java", JAVA, ["Bridge.task", "Bridge.go", "Bridge.static"]),
        ("a.ts", SCRIPT, ["later", "shop.buy", "List.item", "List.constructor", "Memo", None]),
        ("a.py", PYTHON, [None, "go.later", None]),
    ],
)  # fmt: skip
def test_a_call_is_counted_to_the_innermost_that_servers_know(path: str, text: str, callers: list[str | None]) -> None:
    code = Code.parse(text.encode(), path=path)
    assert code

    found = [mention.caller and mention.caller.qualified for mention in code.mentions("call")]

    assert found == callers
