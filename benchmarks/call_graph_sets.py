"""
Measure the code graph on published sets of small programs with their calls listed beside them.

    python -m benchmarks.call_graph_sets FOLDER py       # PyCG's `micro-benchmark/snippets`
    python -m benchmarks.call_graph_sets FOLDER js       # SWARM-CG's `benchmarks/javascript/swarm_js`
    python -m benchmarks.call_graph_sets FOLDER py --all # name every call that is missing or wrong

A program is a folder with a `callgraph.json`: callers by dotted name, each with what it calls. Calls of functions that
the program does not define are left out; a lambda counts as the function that contains it.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from devassist.code_graph.facts import FileFacts
from devassist.code_graph.linking import link
from devassist.code_graph.modules import Modules
from devassist.code_graph.reading import read_facts
from tests.devassist.code_graph.truth import SURE, is_lambda

CLASSES = ("class", "interface")
_LAMBDA = re.compile(r"\.(<lambda\w*>|<anonymous\w*>|lambda\d+)")

Calls = set[tuple[str, str]]


def find_calls(folder: Path, *, ending: str, written: set[str]) -> tuple[Calls, set[str]]:
    """Return the calls that the graph finds in a program, by dotted names, and all of its functions."""
    paths = sorted(path for path in folder.rglob(f"*.{ending}"))
    texts = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
    facts = {name: read_facts(text, path=name) for name, text in texts.items()}
    linked = link(facts, modules=Modules.find_all(facts, builds=(), read=lambda _: None))
    names = {
        (path, index): _name(one, symbol=index, module=_module(path), written=written)
        for path, one in facts.items()
        for index in range(len(one.symbols))
    }
    rows = [
        (path, row, facts[row.target[0]].symbols[row.target[1]])
        for path, found in linked.calls.items()
        for row in found
        if row.target and row.confidence >= SURE
    ]
    found = {
        (names.get((path, row.caller), _module(path)), names[row.target])
        for path, row, symbol in rows
        if row.target and symbol.kind not in CLASSES and names[row.target].endswith(f".{symbol.qualified_name}")
    }
    return found, {*names.values(), *(_module(path) for path in facts)}


def _name(facts: FileFacts, *, symbol: int, module: str, written: set[str]) -> str:
    """Return a dotted name; a lambda whose name the set lacks counts as the function that contains it."""
    one = facts.symbols[symbol]
    while is_lambda(one) and f"{module}.{one.qualified_name}" not in written:
        if one.container < 0:
            return module
        one = facts.symbols[one.container]
    return f"{module}.{one.qualified_name}"


def read_calls(folder: Path) -> tuple[Calls, set[str]]:
    """Return the calls that the set lists for a program, and every name in it."""
    written = json.loads((folder / "callgraph.json").read_text())
    pairs = {(_LAMBDA.sub("", caller), callee) for caller, callees in written.items() for callee in callees}
    return pairs, {*written, *(callee for _, callee in pairs)}


def _module(name: str) -> str:
    dotted = name.rpartition(".")[0].replace("/", ".")
    return dotted.removesuffix(".__init__").removesuffix(".index")


def measure(root: Path, *, ending: str, is_verbose: bool) -> None:
    """Print recall and precision by kind of program, and of all."""
    kinds: dict[str, list[int]] = {}
    for folder, missing, wrong, both in _compare(root, ending=ending):
        kind = folder.relative_to(root).parts[0]
        row = kinds.setdefault(kind, [0, 0, 0])
        row[0], row[1], row[2] = row[0] + both, row[1] + len(missing), row[2] + len(wrong)
        if is_verbose and (missing or wrong):
            print(folder.relative_to(root), "missing", sorted(missing), "wrong", sorted(wrong))
    total = [sum(column) for column in zip(*kinds.values(), strict=True)]
    for kind, (both, missing_count, wrong_count) in (*sorted(kinds.items()), ("all", total)):
        recall, precision = both / max(both + missing_count, 1), both / max(both + wrong_count, 1)
        print(f"{kind}: {both + missing_count} calls, recall {recall:.3f}, precision {precision:.3f}")


def _compare(root: Path, *, ending: str) -> Iterator[tuple[Path, Calls, Calls, int]]:
    for truth in sorted(root.rglob("callgraph.json")):
        written, names = read_calls(truth.parent)
        found, known = find_calls(truth.parent, ending=ending, written=names)
        calls = {(caller, callee) for caller, callee in written if caller in known and callee in known}
        yield truth.parent, calls - found, found - calls, len(calls & found)


if __name__ == "__main__":
    folder, ending, *rest = sys.argv[1:]
    measure(Path(folder), ending=ending, is_verbose="--all" in rest)
