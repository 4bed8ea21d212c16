"""Calls in Java that a name alone does not resolve. What javac resolves them to is the truth."""

from textwrap import dedent

import pytest

from devassist.code_graph.linking import LinkedGraph, link
from devassist.code_graph.modules import Modules
from devassist.code_graph.reading import read_facts

CALLS = {
    "a nested class is made by its own name": (
        """
        class A {
          final static B FIRST = new B();
          static class B { B() {} }
        }
        """,
        {(3, "A.B.B")},
    ),
    "a constructor calls another one, and its base's": (
        """
        class A { A(int n) {} }
        class B extends A {
          B() { this(1); }
          B(int n) { super(n); }
        }
        """,
        {(4, "B.B"), (5, "A.A")},
    ),
    "constants of an enum call its constructor": (
        """
        enum Token {
          ONE("1"), TWO;
          Token() {}
          Token(String text) {}
        }
        """,
        {(3, "Token.Token")},
    ),
    "a resource of a try statement": (
        """
        class Jep { void exec() {} }
        class A {
          void run() { try (Jep jep = make()) { jep.exec(); } }
          Jep make() { return null; }
        }
        """,
        {(4, "Jep.exec"), (4, "A.make")},
    ),
    "a pattern of instanceof, and what is caught": (
        """
        class Jep extends RuntimeException { void exec() {} }
        class A {
          void run(Object it) { if (it instanceof Jep jep) jep.exec(); }
          void fail() {
            try { run(1); }
            catch (Jep jep) { jep.exec(); }
          }
        }
        """,
        {(4, "Jep.exec"), (7, "Jep.exec"), (6, "A.run")},
    ),
    "a class without a name hides no function around it, and is called through its base": (
        """
        interface Task { void run(); }
        class A {
          static void run(boolean now) {}
          static void main() {
            Task task = new Task() { public void run() {} };
            A.run(true);
            run(false);
            task.run();
          }
        }
        """,
        {(7, "A.run"), (8, "A.run"), (9, "A.main.run")},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_a_call_reaches_what_javac_resolves_it_to(name: str) -> None:
    text, calls = CALLS[name]
    symbols = read_facts(dedent(text).encode(), path="A.java").symbols

    found = {
        (row.line, symbols[row.target[1]].qualified_name)
        for row in _link(text).calls["A.java"] if row.target and symbols[row.target[1]].kind != "class"
    }  # fmt: skip

    assert found >= calls


def test_a_call_of_an_overload_that_only_the_base_has_is_open() -> None:
    text = """
    class A { long state(int n) { return n; } }
    class B extends A {
      long state() { return state(3); }
    }
    """

    assert ("state", 4) in {(row.callee_name, row.line) for row in _link(text).calls["A.java"] if row.is_open}


def _link(text: str) -> LinkedGraph:
    facts = {"A.java": read_facts(dedent(text).encode(), path="A.java")}
    return link(facts, modules=Modules.find_all(facts, builds=(), read=lambda _: None))
