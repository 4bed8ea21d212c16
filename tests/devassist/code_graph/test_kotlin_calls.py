"""Calls in Kotlin reach what Kotlin's compiler calls, as read from the classes that it wrote of these programs."""

from textwrap import dedent

import pytest

from devassist.code_graph.linking import LinkedGraph, link
from devassist.code_graph.modules import Modules
from devassist.code_graph.reading import read_facts

CALLS = {
    "behind and before operators": (
        """
        class Item { fun open(): Item = this; fun isOpen() = true }
        class Shop {
            fun check(item: Item?): Boolean {
                if (!ready()) return !item!!.open().isOpen()
                return !item!!.isOpen()
            }
            fun ready() = true
        }
        """,
        {(5, "Shop.ready"), (5, "Item.open"), (5, "Item.isOpen"), (6, "Item.isOpen")},
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_reaches_what_the_compiler_resolves_it_to(name: str) -> None:
    text, calls = CALLS[name]
    symbols = read_facts(dedent(text).encode(), path="A.kt").symbols

    found = {
        (row.line, symbols[row.target[1]].qualified_name)
        for row in _link(text).calls["A.kt"]
        if row.target and row.callee_name == symbols[row.target[1]].name
    }

    assert found >= calls


def test_a_bare_name_in_a_lambda_may_be_called_on_its_receiver() -> None:
    text = """
    class World { fun asked() {} }
    fun start(world: World) {
        with(world) { asked() }
    }
    """

    assert ("asked", 4) in {(row.callee_name, row.line) for row in _link(text).calls["A.kt"] if row.is_open}


def test_what_the_language_calls_is_never_complete() -> None:
    text = """
    class Value {
        operator fun getValue(one: Any?, other: Any?) = 1
        override fun toString() = ""
        fun other() = 1
    }
    """

    assert _link(text).handed_on.keys() == {("A.kt", 1), ("A.kt", 2)}


def _link(text: str) -> LinkedGraph:
    facts = {"A.kt": read_facts(dedent(text).encode(), path="A.kt")}
    return link(facts, modules=Modules.find_all(facts, builds=(), read=lambda _: None))
