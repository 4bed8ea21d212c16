"""No limit cuts an answer silently: either there is none, or the answer says that it was reached."""

import pytest

from devassist.code_graph.linking import link
from devassist.code_graph.modules import Modules
from devassist.code_graph.program import Program
from devassist.code_graph.reading import read_facts

DEEP = 250


def _link_all(texts: dict[str, str]) -> set[tuple[str, int]]:
    facts = {path: read_facts(text.encode(), path=path) for path, text in texts.items()}
    linked = link(facts, modules=Modules.find_all(facts, builds=(), read=lambda _: None))
    return {row.target for rows in linked.calls.values() for row in rows if row.target and not row.is_open}


def test_a_method_is_found_however_many_classes_are_between() -> None:
    text = "class A0:\n    def asked(self): pass\n"
    text += "".join(f"class A{number}(A{number - 1}): pass\n" for number in range(1, DEEP))

    assert ("a.py", 1) in _link_all({"a.py": f"{text}A{DEEP - 1}().asked()\n"})


def test_a_class_is_found_however_many_files_pass_its_name_on() -> None:
    texts = {"m0.py": "class A:\n    def asked(self): pass\n"}
    texts |= {f"m{number}.py": f"from m{number - 1} import A\n" for number in range(1, 60)}
    texts["run.py"] = "from m59 import A\n\ndef run(one: A):\n    one.asked()\n"

    assert ("m0.py", 1) in _link_all(texts)


def test_files_that_import_one_another_in_a_circle_are_followed_once() -> None:
    texts = {"m0.py": "from m1 import *\n", "m1.py": "from m0 import *\nclass A:\n    def asked(self): pass\n"}
    texts["run.py"] = "from m0 import A\n\ndef run(one: A):\n    one.asked()\n"

    assert ("m1.py", 1) in _link_all(texts)


@pytest.mark.parametrize("bases", ["B, C", "C, B", "B, C, A"])
def test_bases_keep_their_order_where_they_meet_again(bases: str) -> None:
    text = f"class A: pass\nclass B(A): pass\nclass C(A): pass\nclass D({bases}): pass\n"
    facts = {"a.py": read_facts(text.encode(), path="a.py")}

    program = Program(facts, modules=Modules.find_all(facts, builds=(), read=lambda _: None))

    names = [program.classes[number].name for number in program.classes[3].order]
    assert names == ["D", *bases.replace(", A", "").split(", "), "A"]


def test_a_computed_name_of_a_class_with_too_many_members_is_open() -> None:
    methods = "".join(f"    def m{number}(self): pass\n" for number in range(120))
    text = f"class A:\n{methods}    def run(self, name): getattr(self, name)()\nA().run(input())\n"
    facts = {"a.py": read_facts(text.encode(), path="a.py")}

    linked = link(facts, modules=Modules.find_all(facts, builds=(), read=lambda _: None))

    assert "*" in {row.callee_name for row in linked.calls["a.py"] if row.is_open and not row.target}


def test_a_configuration_extends_however_many_others() -> None:
    files = {f"t{number}.json": f'{{"extends": "./t{number + 1}.json"}}' for number in range(12)}
    files |= {"t12.json": '{"compilerOptions": {"baseUrl": "lib"}}', "tsconfig.json": '{"extends": "./t0.json"}'}

    modules = Modules.find_all(["lib/tools.ts", "run.ts"], builds=["tsconfig.json"], read=files.get)

    assert modules.find("tools", source="run.ts") == "lib/tools.ts"
