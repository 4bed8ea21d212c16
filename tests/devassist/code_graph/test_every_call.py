"""No call of a file is lost, whatever stands around it: comments, and parts of the grammar that nothing handles."""

from textwrap import dedent

import pytest

from devassist.code_graph.linking import LinkedGraph, link
from devassist.code_graph.modules import Modules
from devassist.code_graph.python_lowering import PythonLowering
from devassist.code_graph.reading import read_facts

AMONG_COMMENTS = {
    "Main.java": """
        class A {
          int run() { return ( /* why */ asked() ); }
          int asked() { return 1; }
        }
    """,
    "Main.kt": """
        fun asked() = 1
        fun run(a: Int) = a + ( // why
            asked())
    """,
    "program.py": """
        def asked(): pass
        def run():
            return (  # why
                asked()
            )
    """,
    "awaiting.py": """
        async def asked(): pass
        async def run():
            return (await
                # why
                asked())
    """,
    "slice.py": """
        def asked(): pass
        def run(a): return a[  # why
            asked():]
    """,
    "program.js": """
        function asked() {}
        const run = (a) => (
            // why
            a ? (/* why */ asked()) : 1);
    """,
    "program.ts": """
        function asked() {}
        function run(a: any) { return (/* why */ asked() as any); }
    """,
}
PLACES = {
    "a.py": [
        "x = y[asked():]", "y[asked()] = 1", "del y[asked()]", "y[asked()] += 1", "@mark(asked())\ndef f(): pass",
        "class A(B, key=asked()): pass", "match asked():\n    case 1: pass", "match x:\n    case _ if asked(): pass",
        "lambda n=asked(): n", "assert 1, asked()", "global z; z = asked()", "with a() as y[asked()]: pass",
        "for y[asked()] in z: pass", "f'{asked()}'", "f'{1:{asked()}}'", "x: A[asked()] = 1", "type X = A[asked()]",
    ],
    "a.ts": [
        "const x = { [asked()]: 1 };", "class A { [asked()]() {} }", "class A { @mark(asked()) x = 1; }",
        "class A { static { asked(); } }", "enum E { A = asked() }", "switch (asked()) { case asked(): }",
        "label: for (;asked();) {}", "const { [asked()]: y } = z;", "const { y = asked() } = z;", "x[asked()]++;",
        "delete x[asked()];", "tag`${asked()}`;", "export default asked();", "export = asked();",
        "for (const y of asked()) {}", "namespace N { asked(); }", "class A extends mix(asked()) {}",
    ],
    "A.java": [
        "class B { int[] x = { asked() }; }", "class B { void f() { assert asked() > 1 : asked(); } }",
        "class B { void f() { switch (asked()) { case 1: } } }", "class B { void f() { x[asked()] = 1; } }",
        "class B { void f() { synchronized (asked()) {} } }", "class B { void f() { for (;;asked()) {} } }",
        "class B { { asked(); } }", "record R(int n) { R { asked(); } }", "class B { int x = -asked(); }",
        "class B { void f() { var y = new int[asked()]; } }", "class B { Runnable r = () -> asked(); }",
        "class B { void f() { switch (x) { case 1 -> asked(); default -> {} } } }", "enum E { A(asked()) }",
    ],
}  # fmt: skip


@pytest.mark.parametrize("path", AMONG_COMMENTS)
def test_a_comment_hides_no_call(path: str) -> None:
    assert _has_call(_link(dedent(AMONG_COMMENTS[path]), path=path), path=path)


@pytest.mark.parametrize(("path", "text"), [(path, text) for path, texts in PLACES.items() for text in texts])
def test_a_call_is_read_wherever_it_stands(path: str, text: str) -> None:
    assert "asked" in {call.name for call in read_facts(text.encode(), path=path).calls}


def test_a_call_in_what_no_handler_reads_is_found_with_its_function(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
    class Item:
        def asked(self): pass
        def run(self, other):
            assert (self.asked(), other.asked())
    """
    monkeypatch.setattr(PythonLowering, "ignored", PythonLowering.ignored | {"assert_statement"})

    rows = _link(dedent(text), path="a.py").calls["a.py"]

    assert {(row.caller, row.target, row.is_open) for row in rows if row.callee_name == "asked"} >= {
        (2, ("a.py", 1), False), (2, ("a.py", 1), True),
    }  # fmt: skip


def test_what_is_imported_from_the_root_folder_is_called() -> None:
    texts = {
        "index.ts": "export { asked } from './tools/asked';\n",
        "tools/asked.ts": "export function asked() {}\n",
        "tools/deep/run.ts": "import { asked } from '../..';\nasked();\n",
    }

    assert _has_call(_link_all(texts), path="tools/deep/run.ts")


@pytest.mark.parametrize(
    "program", ["import { asked } from './gone';\nasked();\n", "import * as a from './gone';\na.asked();\n"]
)
def test_a_function_of_a_name_that_is_imported_from_a_file_not_found_is_not_complete(program: str) -> None:
    texts = {"tools.ts": "export function asked() {}\nexport function other() {}\n", "run.ts": program}

    assert _link_all(texts).handed_on == {("tools.ts", 0): "run.ts:1"}


def test_what_is_made_by_a_field_that_holds_a_class_is_known() -> None:
    text = """
    class Action { constructor(n: number) {} asked() {} }
    class Late extends Action { asked() {} }
    class Scheduler {
      constructor(private kind: typeof Action) {}
      run() { return new this.kind(1).asked(); }
    }
    new Scheduler(Late).run();
    """
    rows = _link(dedent(text), path="a.ts").calls["a.ts"]
    symbols = read_facts(dedent(text).encode(), path="a.ts").symbols

    found = {symbols[row.target[1]].qualified_name for row in rows if row.target and row.line == 6}

    assert found >= {"Action", "Action.constructor", "Action.asked", "Late.asked"}


def _has_call(linked: LinkedGraph, *, path: str) -> bool:
    return any(row.callee_name == "asked" and row.target and not row.is_open for row in linked.calls[path])


def _link(text: str, *, path: str) -> LinkedGraph:
    return _link_all({path: text})


def _link_all(texts: dict[str, str]) -> LinkedGraph:
    facts = {path: read_facts(text.encode(), path=path) for path, text in texts.items()}
    return link(facts, modules=Modules.find_all(facts, builds=(), read=lambda _: None))
