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

CALLERS = {
    "in a lambda, of a parameter with a type": """
        class World { fun asked() {} }
        fun caller(machine: Machine) { machine.put({ world: World -> world.asked() }) }
    """,
    "in a lambda, of what `is` tells": """
        class World { fun asked() {} }
        fun caller(all: List<Any>) { all.flatMapTo(ArrayList()) { if (it is World) it.asked() else 2 } }
    """,
    "in a lambda, of an element of a union": """
        class Value { fun asked() {} }
        val options = mutableMapOf<String, Value>()
        fun caller() { options.values.union(options.values).forEach { value -> value.asked() } }
    """,
    "in the body behind a delegation that ends with a name": """
        class World { fun asked() {} }
        class A(val map: MutableMap<String, World>) : MutableMap<String, World> by map {
            fun caller(world: World) { world.asked() }
        }
    """,
    "on a name for a type": """
        class World { fun asked() {} }
        typealias Alias = World
        fun caller(world: Alias) { world.asked() }
    """,
    "on a bounded type parameter": """
        class World { fun asked() {} }
        fun <T : World> caller(world: T) { world.asked() }
    """,
    "on a part of a lambda's parameter": """
        class World { fun asked() {} }
        fun caller(all: List<World>) { all.zip(all).map { (one, _) -> one.asked() } }
    """,
}
ELSEWHERE = {
    "what an `expect` function stands for": (
        "package app\nactual fun asked(n: Int) = n\n",
        "package app\nexpect fun asked(n: Int): Int\nfun caller() { asked(1) }\n",
    ),
    "a method of what an `expect` class stands for": (
        "package app\nactual class Clock { actual fun asked() = 1 }\n",
        "package app\nexpect class Clock { fun asked(): Int }\nfun caller(clock: Clock) { clock.asked() }\n",
    ),
    "an overload in another file of the package": (
        "package app\nfun asked(n: Int, m: Int) = n\n",
        "package app\nfun asked(n: Int) = n\nfun caller() { asked(1, 2) }\n",
    ),
    "a function of a file without a package": (
        "fun asked() = 1\n",
        "fun caller() { asked() }\n",
    ),
    "a method of a class without a package": (
        "class Clock { fun asked() = 1 }\n",
        "fun caller(clock: Clock) { clock.asked() }\n",
    ),
}
PLACES = {
    "what a class delegates to": "class A(x: I) : I by asked(x)",
    "a constructor's call of another": "class A(val n: Int) { constructor() : this(asked(1)) }",
    "the default of a constructor's property": "class A(val n: Int = asked(1))",
    "an argument of a base's constructor": "class A : B(asked(1))",
    "an assigned element's index": "fun f(all: MutableList<Int>) { all[asked(1)] = 2 }",
    "the initial value of a property": "class A { val x by lazy { asked(1) } }",
    "a getter": "class A { val x: Int get() = asked(1) }",
    "the default of a parameter": "fun f(n: Int = asked(1)) {}",
    "a string": 'fun f() { println("${asked(1)} x") }',
    "a branch of `when`": "fun f(n: Int) = when (n) { asked(1) -> 1; else -> 2 }",
    "an annotation's argument that is a lambda": "val f = @Marked { asked(1) }",
}


@pytest.mark.parametrize("name", CALLERS)
def test_a_caller_is_known_or_the_call_is_open(name: str) -> None:
    text = CALLERS[name]
    symbols = read_facts(dedent(text).encode(), path="A.kt").symbols

    rows = [row for row in _link(text).calls["A.kt"] if row.callee_name == "asked"]

    assert "caller" in {symbols[row.caller].name for row in rows if row.target or row.is_open}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_what_is_in_another_file_is_called(name: str) -> None:
    texts = dict(zip(("jvm/A.kt", "common/A.kt"), ELSEWHERE[name], strict=True))
    facts = {path: read_facts(text.encode(), path=path) for path, text in texts.items()}

    linked = link(facts, modules=Modules.find_all(facts, builds=(), read=lambda _: None))

    found = {row.target for row in linked.calls["common/A.kt"] if row.target and row.callee_name == "asked"}
    asked = next(index for index, one in enumerate(facts["jvm/A.kt"].symbols) if one.name == "asked")
    assert ("jvm/A.kt", asked) in found


def test_methods_of_a_second_class_of_the_same_full_name_are_not_complete() -> None:
    texts = dict.fromkeys(("debug/Clock.kt", "release/Clock.kt"), "package app\nclass Clock { fun asked() = 1 }\n")
    facts = {path: read_facts(text.encode(), path=path) for path, text in texts.items()}

    linked = link(facts, modules=Modules.find_all(facts, builds=(), read=lambda _: None))

    assert linked.handed_on == {("release/Clock.kt", 1): "debug/Clock.kt:2"}


@pytest.mark.parametrize("name", PLACES)
def test_a_call_is_read_wherever_it_stands(name: str) -> None:
    rows = _link(f"{PLACES[name]}\nfun asked(n: Int) = n\n").calls["A.kt"]

    assert any(row.callee_name == "asked" and row.target for row in rows)


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
