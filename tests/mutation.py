"""
Change the code at random places and list the changes that no test notices.

    python -m tests.mutation toolbox/access toolbox/dispatch --count 20 --seed 1

Works on a clone below the system's temporary folder, so the checkout is left alone. The tests of a module are those of
the nearest folder of `tests` that mirrors it. The same seed and commit give the same changes.
"""

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MAX_SECONDS = 600
_COMPARISONS = {
    ast.Eq: "!=", ast.NotEq: "==", ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Is: "is not",
    ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
}  # fmt: skip
_ARITHMETIC = {ast.Add: "-", ast.Sub: "+", ast.Mult: "//", ast.FloorDiv: "*", ast.Div: "*"}
_BOOLEAN = {ast.And: "or", ast.Or: "and"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """One change: a part of a file, and its replacement."""

    path: Path
    line: int
    start: int
    end: int
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.before!r} -> {self.after!r}"


def find_mutations(source: str, *, path: Path) -> Iterator[Mutation]:
    """Yield every possible change of a module: operators, negations, booleans, numbers, returned values."""
    starts = [0]
    for line in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    encoded = source.encode()

    def change(node: ast.expr, after: str) -> Mutation:
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        return Mutation(
            path=path, line=node.lineno, start=start, end=end, before=encoded[start:end].decode(), after=after
        )

    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Compare(ops=[op], comparators=[right]) if type(op) in _COMPARISONS:
                yield change(node, f"({ast.unparse(node.left)} {_COMPARISONS[type(op)]} {ast.unparse(right)})")
            case ast.BoolOp(op=op, values=values):
                yield change(node, "(" + f" {_BOOLEAN[type(op)]} ".join(map(ast.unparse, values)) + ")")
            case ast.BinOp(op=op, left=left, right=right) if type(op) in _ARITHMETIC and not _is_text(node):
                yield change(node, f"({ast.unparse(left)} {_ARITHMETIC[type(op)]} {ast.unparse(right)})")
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield change(node, f"({ast.unparse(operand)})")
            case ast.Constant(value=int(value)):
                yield change(node, repr(not value if isinstance(value, bool) else value + 1))
            case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
                yield change(value, "None")


def _is_text(node: ast.BinOp) -> bool:
    return any(
        isinstance(one, ast.JoinedStr) or (isinstance(one, ast.Constant) and isinstance(one.value, str))
        for one in ast.walk(node)
    )


def find_tests(path: Path) -> Path:
    """Return the nearest folder of tests that mirrors a module's folder."""
    folder = Path("tests") / path.parent
    while not (ROOT / folder).is_dir() and folder != Path("tests"):
        folder = folder.parent
    return folder


def is_noticed(mutation: Mutation, *, clone: Path) -> bool:
    """Apply a change in the clone, run the module's tests, restore the file. A run that times out counts as noticed."""
    file = clone / mutation.path
    original = file.read_bytes()
    file.write_bytes(original[: mutation.start] + mutation.after.encode() + original[mutation.end :])
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "not slow"]
    try:
        done = subprocess.run(
            [*command, str(find_tests(mutation.path))],
            cwd=clone,
            env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            timeout=MAX_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return True
    finally:
        file.write_bytes(original)
    return done.returncode != 0


def main() -> int:
    """Sample changes, try each, print the survivors."""
    parser = argparse.ArgumentParser(description="List random changes of the code that no test notices.")
    parser.add_argument("packages", nargs="+", help="folders or files of the code")
    parser.add_argument("--count", type=int, default=20, help="how many changes are tried")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    paths = [path for name in arguments.packages for path in _modules(ROOT / name)]
    mutations = [one for path in paths for one in find_mutations((ROOT / path).read_text("utf-8"), path=path)]
    chosen = random.Random(arguments.seed).sample(mutations, min(arguments.count, len(mutations)))
    folder = Path(tempfile.mkdtemp(prefix="toolroom-mutation-"))
    try:
        clone = folder / "clone"
        subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
        survivors = []
        for number, mutation in enumerate(chosen, start=1):
            noticed = is_noticed(mutation, clone=clone)
            survivors += [] if noticed else [mutation]
            print(f"{number} of {len(chosen)} {'noticed' if noticed else 'SURVIVED'} {mutation}", flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{len(chosen) - len(survivors)} of {len(chosen)} changes noticed, {len(mutations)} possible")
    return 0


def _modules(place: Path) -> list[Path]:
    found = [place] if place.suffix == ".py" else sorted(place.rglob("*.py"))
    return [path.relative_to(ROOT) for path in found if "migrations" not in path.parts and path.name != "__init__.py"]


if __name__ == "__main__":
    sys.exit(main())
