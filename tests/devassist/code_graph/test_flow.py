"""What names and elements hold at a place: programs whose calls, seen by running them, are exactly those found."""

from pathlib import Path

import pytest

from devassist.code_graph.linking import LinkedGraph, link
from devassist.code_graph.modules import Modules
from devassist.code_graph.reading import read_facts
from devassist.code_graph.value_flow import MAX_CONTAINERS, MAX_VALUES
from tests.devassist.code_graph.truth import found_calls, true_calls

ONE_AND_TWO = "def one():\n    pass\n\n\ndef two():\n    pass\n\n\n"

EXACT = {
    "assigned anew": "f = one\nf = two\nf()\n",
    "kept before it is assigned anew": "f = one\ng = f\nf = two\ng()\n",
    "swapped": "f, g = one, two\nf, g = g, f\nf()\n",
    "starred": "f, *rest, g = one, one, two\nrest[0]()\ng()\n",
    "an element set anew": "d = {'a': one}\nd['a'] = two\nd['a']()\n",
    "an inner element set anew": "d = {'a': {'b': one}}\nd['a']['b'] = two\nd['a']['b']()\n",
    "a number is no text": "d = {1: one, '1': two}\nd[1]()\n",
    "a slice": "items = [one, one, two]\nitems[2:][0]()\n",
    "a decorator assigned anew": "def first(f):\n    return f\n\n\ndef second(f):\n    return f\n\n\nwrap = first\n"
    "wrap = second\n\n\n@wrap\ndef three():\n    pass\n\n\nthree()\n",
    "a class within a class": "class A:\n    class B:\n        def __init__(self):\n            pass\n\n\nA.B()\n",
    "a class that is raised": "class Wrong(Exception):\n    def __init__(self):\n        pass\n\n\n"
    "try:\n    raise Wrong\nexcept Wrong:\n    pass\n",
    "a generic class": "class Box:\n    def __class_getitem__(cls, item):\n        return cls\n\n"
    "    def __init__(self):\n        pass\n\n\nBox[int]()\n",
}

WHOLE = {
    "read by a function that runs later": "f = one\n\n\ndef later():\n    f()\n\n\nlater()\nf = two\nlater()\n",
    "assigned in a branch": "f = one\nif len([1]):\n    f = two\nf()\n",
    "read again in a loop": "f = one\nfor _ in range(2):\n    f()\n    f = two\n",
    "assigned by a function": "f = one\nf = one\n\n\ndef change():\n    global f\n    f = two\n\n\nchange()\nf()\n",
    "an element changed by a call": "d = {'a': one}\n\n\ndef change():\n    d['a'] = two\n\n\nd['a'] = one\nchange()\n"
    "d['a']()\n",
    "an element changed by another name": "d = {'a': one}\ne = d\nd['a'] = one\ne['a'] = two\nd['a']()\n",
    "an element changed with a computed key": "d = {'a': one}\nd['a'] = one\nfor key in ('a',):\n    d[key] = two\n"
    "d['a']()\n",
}


@pytest.mark.parametrize("name", EXACT)
def test_what_was_assigned_last_is_called(name: str, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(ONE_AND_TWO + EXACT[name])

    called = {callee for _, callee in found_calls(program) if not callee.endswith("__class_getitem__")}

    assert called == {callee for _, callee in true_calls(program) if not callee.endswith("__class_getitem__")}


@pytest.mark.parametrize("name", WHOLE)
def test_what_may_be_assigned_is_called_too(name: str, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(ONE_AND_TWO + WHOLE[name])

    assert true_calls(program) <= found_calls(program)


@pytest.mark.parametrize(
    ("text", "called"),
    [
        ("let f = one;\nf = two;\nf();\n", {"two"}),
        ("let f = one, g = two;\n[f, g] = [g, f];\nf();\n", {"two"}),
        ("let f = one;\nfunction change() { f = two; }\nf = one;\nchange();\nf();\n", {"one", "two", "change"}),
        ("const d = {a: one};\nd['a'] = two;\nd['a']();\n", {"two"}),
        ("const [f, ...rest] = [one, two];\nrest[0]();\n", {"two"}),
        ("[one, two].slice(1)[0]();\n", {"two"}),
        ("let f = one;\nwhile (f) { f(); f = two; }\n", {"one", "two"}),
    ],
)
def test_javascript(text: str, called: set[str], tmp_path: Path) -> None:
    program = tmp_path / "program.js"
    program.write_text(f"function one() {{}}\nfunction two() {{}}\n{text}")

    assert {callee for _, callee in found_calls(program)} == called


def test_a_class_in_a_list_that_is_handed_on_may_be_called() -> None:
    text = "import pytest\n\n\nclass Box:\n    def __init__(self):\n        pass\n\n\n"
    test = "@pytest.mark.parametrize('kind', [Box])\ndef test(kind):\n    kind()\n"

    assert _find_handed_on({"test_a.py": text + test}) == {"Box.__init__", "test"}


def test_a_method_whose_name_is_a_text_may_be_called_by_a_computed_name() -> None:
    text = "class A:\n    def named(self):\n        pass\n\n    def other(self):\n        pass\n\n\n"
    calls = "A().named()\nA().other()\n\n\ndef run(thing, name):\n    getattr(thing, name)()\n"

    assert _find_handed_on({"a.py": f"{text}{calls}run(input(), 'named')\n"}) == {"A.named"}
    assert _find_handed_on({"a.py": f"{text}{calls}run(input(), 'other')\n"}) == {"A.other"}


def test_a_variable_that_could_hold_anything_holds_something_unknown() -> None:
    count = MAX_VALUES + 20
    functions = "".join(f"def f{one}():\n    pass\n\n\n" for one in range(count))
    listed = ", ".join(f"f{one}" for one in range(count))
    linked, names = _link({"a.py": f"{functions}for f in [{listed}]:\n    f()\n"})

    found = {row.target for row in linked.calls["a.py"] if row.target}
    assert len(found) <= MAX_VALUES
    assert found | linked.handed_on.keys() == names.keys(), "each is either called, or said to be handed on"


def test_containers_that_meet_are_told_apart_no_more() -> None:
    count = MAX_CONTAINERS + 6
    functions = "".join(f"def f{one}():\n    pass\n\n\n" for one in range(count))
    calls = "".join(f"take([f{one}])\n" for one in range(count))
    linked, _ = _link({"a.py": f"{functions}def take(items):\n    items[0]()\n\n\n{calls}"})

    assert len({row.target for row in linked.calls["a.py"] if row.target and row.callee_name == ""}) == count


def _link(texts: dict[str, str]) -> tuple[LinkedGraph, dict[tuple[str, int], str]]:
    """Link files, and give the qualified name of each symbol too."""
    facts = {path: read_facts(text.encode(), path=path) for path, text in texts.items()}
    names = {(path, at): one.qualified_name for path, found in facts.items() for at, one in enumerate(found.symbols)}
    return link(facts, modules=Modules.find_all(facts, builds=(), read=lambda _: None)), names


def _find_handed_on(texts: dict[str, str]) -> set[str]:
    linked, names = _link(texts)
    return {names[at] for at in linked.handed_on}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", "x[010:]\nx[2L:]\nx[0x1:]\nx[1_0:]\nx[99999999999999999999:]\nx[1j:]\n"),
        ("a.js", "x.slice('\N{SUPERSCRIPT TWO}'); x.slice(99999999999999999999); x.slice('007'); x['--5'];\n"),
    ],
)
def test_numbers_that_are_no_places_of_a_list_are_read(name: str, text: str) -> None:
    linked, _ = _link({name: text})

    assert linked is not None
