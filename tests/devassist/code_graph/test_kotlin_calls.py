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


def _link(text: str) -> LinkedGraph:
    facts = {"A.kt": read_facts(dedent(text).encode(), path="A.kt")}
    return link(facts, modules=Modules.find_all(facts, builds=(), read=lambda _: None))
