"""
How good the code graph is: on small dynamic programs, and on pinned releases of real projects.

    python -m benchmarks.code_graph programs
    python -m benchmarks.code_graph projects          # downloads them from PyPI, kept in the temporary folder
    python -m benchmarks.code_graph speed             # a generated project of 5,000 files

`projects` runs the projects' own tests under a profiler, in an environment of their own. What called what in that run
is the truth: a function is falsely complete where the graph says that it knows all callers and one of the run is
missing. A function counts as static where each of its true callers has its name as a call in its text.
"""

import ast
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

import django
from django.core.management import call_command

from benchmarks.scratch import scratch_database
from devassist.code_graph.facts import FileFacts
from devassist.code_graph.linking import LinkedCall, link
from devassist.code_graph.modules import BUILD_FILES, Modules
from devassist.code_graph.reading import language_of, read_facts
from devassist.files import sources
from tests.devassist.code_graph.truth import PROGRAMS, SURE, found_calls, is_lambda, true_calls

_PYTEST = "pytest==8.4.2"
TUNED = {
    "flask==3.1.0": ["asgiref", "python-dotenv", "pytest==8.3.5"],
}
"""Looked at while the analysis was written."""
REPAIRED = {
    "marshmallow==4.4.0": ["simplejson", _PYTEST],
    "sqlparse==0.6.1": [_PYTEST],
    "mistune==3.4.0": [_PYTEST],
    "cachetools==8.0.1": [_PYTEST],
    "tomlkit==0.15.2": ["pyyaml", _PYTEST],
    "boltons==26.2.0": [_PYTEST],
    "humanize==4.17.0": ["freezegun", _PYTEST],
}
"""Measured first as they came; then what was falsely complete there was looked at and repaired."""
UNSEEN = {
    "structlog==26.1.0": ["pretend", "freezegun", "pytest-asyncio", _PYTEST],
    "pyparsing==3.3.3": ["railroad-diagrams", "jinja2", _PYTEST],
    "tinydb==4.9.0": ["pyyaml", _PYTEST],
}
"""Nothing was changed because of these."""
PROJECTS = {"tuned": TUNED, "repaired": REPAIRED, "unseen": UNSEEN}
TOP_LEVEL = "(top level)"
CLASSES = ("class", "interface")
SECONDS = 900
MAX_SHOWN = 40
KEPT = Path(tempfile.gettempdir()) / "toolroom-code-graph"
FILES = 5_000

Function = tuple[str, str]
"""A file's path and a qualified name."""

_TRACER = """
import atexit, inspect, json, os, sys, threading
ROOT = os.environ["TRACED_ROOT"] + os.sep
found, names = set(), {}
# A generator's or coroutine's resumer is not its caller.
GENERATED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR

def name_of(code):
    known = names.get(code)
    if known is None:
        path = code.co_filename
        if not path.startswith(ROOT):
            known = ("", "")
        elif code.co_name == "<module>":
            known = (path[len(ROOT):], "(top level)")
        elif not code.co_flags & inspect.CO_OPTIMIZED:
            known = ("", "")
        else:
            parts = [part for part in code.co_qualname.split(".") if not part.startswith("<")]
            known = (path[len(ROOT):], ".".join(parts) or "(top level)")
        names[code] = known
    return known

def profile(frame, event, _):
    if event != "call":
        return
    code = frame.f_code
    if code.co_name.startswith("<") or code.co_flags & GENERATED or not name_of(code)[0]:
        return
    outer = frame.f_back
    if outer is not None and name_of(outer.f_code)[0]:
        found.add((name_of(outer.f_code), name_of(code)))

sys.setprofile(profile)
threading.setprofile(profile)
atexit.register(lambda: (sys.setprofile(None), json.dump(sorted(found), open(os.environ["TRACED_INTO"], "w"))))
"""


@dataclass(slots=True)
class Graph:
    """The graph of a folder in memory: callers of each function, and what is unresolved."""

    functions: dict[Function, str] = field(default_factory=dict)
    callers: dict[Function, set[Function]] = field(default_factory=lambda: defaultdict(set))
    handed_on: set[Function] = field(default_factory=set)
    open_names: set[str] = field(default_factory=set)
    open_targets: set[Function] = field(default_factory=set)
    places: dict[Function, str] = field(default_factory=dict)
    targets: dict[tuple[str, int, str], set[Function]] = field(default_factory=lambda: defaultdict(set))
    """The functions that each call (path, line, name) surely reaches, without overrides."""

    @classmethod
    def of(cls, root: Path, *, has_lambdas: bool = False) -> "Graph":
        """Build the graph of a folder. Named lambdas count as the function around them, unless `has_lambdas`."""
        found = cls()
        wanted = list(sources.look(str(root), wanted=_is_wanted).files)
        facts = {path: read_facts((root / path).read_bytes(), path=path) for path in wanted if language_of(path)}
        builds = [path for path in wanted if Path(path).name in BUILD_FILES]
        modules = Modules.find_all(facts, builds=builds, read=lambda path: (root / path).read_text())
        for path, one in facts.items():
            found.functions.update({(path, s.qualified_name): s.kind for s in one.symbols if s.kind not in CLASSES})
        linked = link(facts, modules=modules)
        found.places = {(path, facts[path].symbols[s].qualified_name): p for (path, s), p in linked.handed_on.items()}
        found.handed_on = {(path, facts[path].symbols[symbol].qualified_name) for path, symbol in linked.handed_on}
        for path, rows in linked.calls.items():
            for row in rows:
                caller = (path, _name_symbol(facts[path], symbol=row.caller, has_lambdas=has_lambdas))
                target = (
                    (row.target[0], facts[row.target[0]].symbols[row.target[1]].qualified_name) if row.target else None
                )
                found._enter(row, caller=caller, target=target)
        return found

    def _enter(self, row: LinkedCall, *, caller: Function, target: Function | None) -> None:
        if target is None:
            self.open_names |= {row.callee_name} if row.is_open else set()
            return
        self.callers[target].add(caller)
        if (
            row.confidence >= SURE
            and row.found_by != "hierarchy"
            and self.functions.get(target, "class") not in CLASSES
        ):
            self.targets[caller[0], row.line, row.callee_name].add(target)
        if row.is_open:
            self.open_targets.add(target)

    def is_complete(self, function: Function) -> bool:
        """Return whether the graph claims to know all callers, by the tool's own rule."""
        name = function[1].rpartition(".")[2]
        if (name.startswith("__") and name != "__init__") or self.functions[function] == "property":
            return False
        if function in self.handed_on or (not self.callers[function] and "*" in self.open_names):
            return False
        names = {name, *(f"{name[:length]}*" for length in range(1, len(name) + 1))}
        return self.functions[function] != "method" or not names & self.open_names


def _name_symbol(facts: FileFacts, *, symbol: int, has_lambdas: bool) -> str:
    """Return the function that contains a call; without `has_lambdas`, a lambda counts as the function around it."""
    while symbol >= 0 and not has_lambdas and is_lambda(facts.symbols[symbol]):
        symbol = facts.symbols[symbol].container
    return facts.symbols[symbol].qualified_name if symbol >= 0 else TOP_LEVEL


def _is_wanted(path: str) -> bool:
    return bool(language_of(path)) or Path(path).name in BUILD_FILES


def measure_programs() -> None:
    """Print recall and precision of the small programs."""
    for ending in (".py", ".js"):
        true = found = both = 0
        for path in sorted(PROGRAMS.glob(f"*{ending}*")):
            calls, known = true_calls(path), found_calls(path)
            true, found, both = true + len(calls), found + len(known), both + len(calls & known)
        print(f"{ending[1:]}: {true} calls, recall {both / true:.3f}, precision {both / found:.3f}")


def measure_project(name: str, *, needs: Iterable[str], folder: Path, is_verbose: bool) -> tuple[int, int, int, int]:
    """Print and return how many functions are said to be complete, falsely so, static, and static and complete."""
    root, truth = _trace(name, needs=needs, folder=folder)
    graph = Graph.of(root)
    reached = {callee: callers for callee, callers in truth.items() if callee in graph.functions}
    complete = [callee for callee in reached if graph.is_complete(callee)]
    false = [callee for callee in complete if reached[callee] - graph.callers[callee]]
    texts: dict[Function, set[str]] = {}
    static = [callee for callee in reached if _is_static(callee, callers=reached[callee], root=root, texts=texts)]
    sure = [callee for callee in static if graph.is_complete(callee) and callee not in false]
    rows = sum(len(callers) for callers in reached.values())
    hit = sum(len(callers & graph.callers[callee]) for callee, callers in reached.items())
    print(
        f"{name}: {len(reached)} functions ran, {rows} callers, found {hit / max(rows, 1):.3f}; "
        f"said complete {len(complete)}, falsely {len(false)}; static {len(static)}, said complete {len(sure)}"
    )
    for callee in false[: MAX_SHOWN if is_verbose else 0]:
        print("   falsely complete:", *callee, "missing", *sorted(reached[callee] - graph.callers[callee])[:2])
    for callee in [one for one in static if one not in sure][: MAX_SHOWN if is_verbose else 0]:
        print("   static, but not said complete:", *callee, graph.places.get(callee, ""))
    return len(complete), len(false), len(static), len(sure)


def _trace(name: str, *, needs: Iterable[str], folder: Path) -> tuple[Path, dict[Function, set[Function]]]:
    """Return a release's unpacked folder, with the callers seen when its tests ran under the profiler."""
    into = folder / "calls.json"
    if not into.exists():
        _run_traced(name, needs=needs, folder=folder, into=into)
    truth: dict[Function, set[Function]] = defaultdict(set)
    for caller, callee in json.loads(into.read_text()):
        if caller[0].endswith(".py") and callee[0].endswith(".py"):
            truth[callee[0], callee[1]].add((caller[0], caller[1]))
    return _unpack(folder), truth


def _run_traced(name: str, *, needs: Iterable[str], folder: Path, into: Path) -> None:
    python = folder / "environment" / "bin" / "python"
    _run([sys.executable, "-m", "venv", str(folder / "environment")])
    _run([str(python), "-m", "pip", "install", "-q", name, *needs])
    _run([str(python), "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "-d", str(folder), name])
    with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
        archive.extractall(folder / "unpacked", filter="data")
    root = _unpack(folder)
    package = next(path for path in (root / "src", root) if path.is_dir())
    (folder / "site").mkdir(exist_ok=True)
    (folder / "site" / "sitecustomize.py").write_text(_TRACER)
    environment = os.environ | {
        "PYTHONPATH": f"{folder / 'site'}:{package}", "TRACED_ROOT": str(root), "TRACED_INTO": str(into),
    }  # fmt: skip
    tests = [str(python), "-m", "pytest", "-q", "--continue-on-collection-errors", "-p", "no:cacheprovider", "tests"]
    done = subprocess.run(
        tests, cwd=root, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    print(name, done.stdout.strip().splitlines()[-1:] or done.stderr[-300:])


def _unpack(folder: Path) -> Path:
    return next((folder / "unpacked").iterdir())


def _is_static(callee: Function, *, callers: set[Function], root: Path, texts: dict[Function, set[str]]) -> bool:
    """Return whether each caller's text calls the function's name, or for a constructor its class."""
    *owners, name = callee[1].split(".")
    if name.startswith("__") and name != "__init__":
        return False
    wanted = {name, *(owners[-1:] if name == "__init__" else [])}
    for path in {path for path, _ in callers}:
        if (path, TOP_LEVEL) not in texts:
            _read_calls(path, root=root, into=texts)
    return all(wanted & texts.get(caller, set()) for caller in callers)


def _read_calls(path: str, *, root: Path, into: dict[Function, set[str]]) -> None:
    def visit(node: ast.AST, *, owner: str) -> None:
        for child in ast.iter_child_nodes(node):
            inner = owner
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                inner = f"{owner}.{child.name}" if owner else child.name
            if isinstance(child, ast.Call):
                called = child.func
                name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
                into.setdefault((path, owner or TOP_LEVEL), set()).add(name)
            visit(child, owner=inner)

    into.setdefault((path, TOP_LEVEL), set())
    visit(ast.parse((root / path).read_text()), owner="")


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True, capture_output=True, timeout=SECONDS)


def measure_projects(group: str) -> None:
    """Print the results of each project of a group, and of all together."""
    total = [0, 0, 0, 0]
    for name, needs in PROJECTS[group].items():
        folder = KEPT / name.replace("==", "-")
        folder.mkdir(parents=True, exist_ok=True)
        measured = measure_project(name, needs=needs, folder=folder, is_verbose=group != "unseen")
        total = [a + b for a, b in zip(total, measured, strict=True)]
    complete, false, static, sure = total
    print(f"{group}: falsely complete {false / max(complete, 1):.2%} of {complete}")
    print(f"{group}: static said complete {sure / max(static, 1):.1%} of {static}")


def measure_speed() -> None:
    """Build the graph of a generated project in a database of its own, edit files, and ask for callers."""
    with scratch_database() as scratch:
        os.environ |= scratch.environment | {"DJANGO_SETTINGS_MODULE": "config.settings", "TOOLROOM_LIMITS_URL": ""}
        django.setup()
        call_command("migrate", verbosity=0, interactive=False)
        asyncio.run(_measure_speed())


async def _measure_speed() -> None:
    from devassist.code_graph import building  # noqa: PLC0415 - Django must be ready
    from devassist.models import Workspace  # noqa: PLC0415

    print(f"load average {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        for number in range(FILES):
            _generate(Path(folder), number=number)
        row = await Workspace.objects.acreate(name="graph-benchmark", root=folder)
        edited = Path(folder) / "f7.py"
        edits = {
            "first build": "",
            "nothing changed": "",
            "a comment added to one file": f"# why\n{edited.read_text()}",
            "one function changed": f"{edited.read_text()}\n\ndef late():\n    shared_7(1)\n",
            "a base class changed": edited.read_text().replace("def extra(self)", "def more(self)"),
        }
        for label, text in edits.items():
            if text:
                edited.write_text(text)
            if label == "one function changed":
                await _ask_for_callers("callers, one file not yet linked", workspace=row.pk, root=folder)
            began, cpu = time.perf_counter(), time.process_time()
            await asyncio.to_thread(building.build, row.pk, root=folder)
            print(f"{label}: {time.perf_counter() - began:.1f} s, {time.process_time() - cpu:.1f} s of CPU", flush=True)
            await _ask_for_callers(f"callers after {label}", workspace=row.pk, root=folder)


async def _ask_for_callers(label: str, *, workspace: int, root: str) -> None:
    from devassist.code_graph import freshness, queries  # noqa: PLC0415 - Django must be ready

    taken, ours = [], time.process_time()
    with mock.patch.object(freshness, "_tell_workers"):
        for number in range(30):
            began = time.perf_counter()
            fresh = await freshness.ensure_graph(workspace, root=root, shows_secrets=False, seconds=0)
            (symbol,) = await queries.find_symbols(f"shared_{number % 10}", workspace_id=workspace)
            calls = await queries.find_callers(symbol)
            taken.append((time.perf_counter() - began) * 1000)
    print(
        f"  {label}: {statistics.median(taken):.0f} ms median, {max(taken):.0f} worst, "
        f"{(time.process_time() - ours) * 1000 / len(taken):.0f} ms of our CPU; {len(calls)} calls; {fresh.reason}",
        flush=True,
    )


def _generate(root: Path, *, number: int) -> None:
    """Write a file that calls the previous one and one of ten shared functions, with a subclass."""
    if number == 0:
        shared = "".join(f"def shared_{one}(n):\n    return n\n\n\n" for one in range(10))
        (root / "f0.py").write_text(f"{shared}class Step_0:\n    def run(self):\n        return 0\n")
        return
    near = number - 1 if number % 50 else 0
    (root / f"f{number}.py").write_text(
        f"from f0 import shared_{number % 10}\nfrom f{near} import Step_{near}\n\n\n"
        f"def step_{number}(n):\n    return shared_{number % 10}(n)\n\n\n"
        f"class Step_{number}(Step_{near}):\n    def run(self):\n        return self.extra() + step_{number}(1)\n\n"
        f"    def extra(self):\n        return super().run()\n"
        + "".join(f"\n\ndef filler_{number}_{one}(n):\n    return step_{number}(n)\n" for one in range(10))
    )


if __name__ == "__main__":
    command, *rest = sys.argv[1:] or ["programs"]
    if command == "projects":
        for group in rest or PROJECTS:
            measure_projects(group)
    else:
        {"programs": measure_programs, "speed": measure_speed}[command]()
