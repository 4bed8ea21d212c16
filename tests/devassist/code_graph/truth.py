"""Small programs with their calls: Python's observed by running them, JavaScript's written down in them."""

import inspect
import re
import sys
from pathlib import Path
from types import CodeType, FrameType

from devassist.code_graph.facts import SymbolFact
from devassist.code_graph.linking import link
from devassist.code_graph.modules import Modules
from devassist.code_graph.reading import read_facts

PROGRAMS = Path(__file__).with_name("programs")
TOP_LEVEL = "(top level)"
SURE = 0.6

Calls = set[tuple[str, str]]


def true_calls(path: Path) -> Calls:
    """Return caller and callee of every call that the program makes."""
    return _run(path) if _name_of(path).endswith(".py") else _read(path)


def found_calls(path: Path) -> Calls:
    """Return caller and callee of every call in the graph, without classes and candidates."""
    name = _name_of(path)
    facts = {name: read_facts(path.read_bytes(), path=name)}
    rows = link(facts, modules=Modules.find_all(facts, builds=(), read=lambda _: None)).calls[name]
    symbols = facts[name].symbols
    return {
        (symbols[row.caller].qualified_name if row.caller >= 0 else TOP_LEVEL, symbols[row.target[1]].qualified_name)
        for row in rows
        if row.target and row.confidence >= SURE and symbols[row.target[1]].kind not in ("class", "interface")
    }


def is_lambda(symbol: SymbolFact) -> bool:
    """Return whether a symbol is a lambda or an arrow function that was given a name."""
    return re.match(r"[\w.]+ *[=:] *lambda\b|(?!function).*=>$", symbol.signature, re.DOTALL) is not None


def _name_of(path: Path) -> str:
    """Return a program's own name: Python's are stored as text, because they are not the project's code."""
    return path.name.removesuffix(".txt")


def _read(path: Path) -> Calls:
    said = " ".join(re.findall(r"// truth: (.*)", path.read_text())).replace(",", " , ")
    pairs = [pair.split("->") for pair in re.split(r"\s,\s|(?<=\w) (?=[\w(.]+ (?:level\) )?->)", said) if "->" in pair]
    return {(caller.strip(), callee.strip()) for caller, callee in pairs}


def _run(path: Path) -> Calls:
    found: Calls = set()
    name = str(path)

    def profile(frame: FrameType, event: str, _: object) -> None:
        if event != "call" or frame.f_code.co_filename != name or _name(frame.f_code) is None:
            return
        callee, outer = _name(frame.f_code), frame.f_back
        if frame.f_code.co_name.startswith("<"):
            return
        while outer is not None and (outer.f_code.co_filename != name or _name(outer.f_code) is None):
            outer = outer.f_back
        if outer is not None:
            found.add((str(_name(outer.f_code)), str(callee)))

    code = compile(path.read_text(), name, "exec")
    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        exec(code, {"__name__": "program"})
    finally:
        sys.setprofile(before)
    return found


def _name(code: CodeType) -> str | None:
    """Return the function of some code; None for a class's body, whose calls belong to the code around it."""
    if code.co_name == "<module>":
        return TOP_LEVEL
    if not code.co_flags & inspect.CO_OPTIMIZED:
        return None
    parts = [part for part in code.co_qualname.split(".") if not part.startswith("<")]
    return ".".join(parts) or TOP_LEVEL
