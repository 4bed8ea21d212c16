"""The project's own files, read once, as the house rules look at them."""

import ast
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = {"var", "static", "node_modules", "__pycache__", "build", "dist"}
CODE = ("config", "console", "agents", "linescore", "backtests", "sprints", "devassist", "graphql_proxy", "toolbox")
# The packages that rules 10 and 11 check.
PACKAGES = ("toolbox", "agents", "console", "config", "linescore", "backtests", "sprints", "graphql_proxy", "devassist")

Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def files() -> tuple[Path, ...]:
    """Find every file of the project, without generated, hidden or installed ones."""
    found = []
    for folder, names, here in os.walk(ROOT):
        names[:] = [name for name in names if name not in LEFT_OUT and not (name.startswith(".") and name != ".ci")]
        found += [
            Path(folder, name) for name in here if name == ".env.example" or not name.startswith((".env", ".git"))
        ]
    return tuple(sorted(found))


@cache
def python() -> tuple[Path, ...]:
    """Find every Python file."""
    return tuple(path for path in files() if path.suffix == ".py")


@cache
def code() -> tuple[Path, ...]:
    """Find the Python files of the product: no tests, benchmarks or generated migrations."""
    return tuple(path for path in python() if name_of(path).startswith(CODE) and path.parent.name != "migrations")


def in_packages(path: Path) -> bool:
    """Return whether rules 10 and 11 are on for a file: a package of the tuple, its tests, or the house rules."""
    folders = (*PACKAGES, *(f"tests/{name}" for name in PACKAGES), "tests/architecture")
    name = name_of(path)
    is_on = name.startswith(tuple(f"{folder}/" for folder in folders))
    return is_on and path.parent.name != "migrations"


def name_of(path: Path) -> str:
    """Return the path from the project's root, with slashes."""
    return path.relative_to(ROOT).as_posix()


@cache
def tree(path: Path) -> ast.Module:
    """Parse a Python file."""
    return ast.parse(path.read_text(encoding="utf-8"))


def list_functions(module: ast.AST, *, prefix: str = "") -> Iterator[tuple[str, Function]]:
    """Yield every function below a node, nested ones and methods included, by its dotted name."""
    for child in ast.iter_child_nodes(module):
        if isinstance(child, Function):
            yield f"{prefix}{child.name}", child
        name = f"{prefix}{child.name}." if isinstance(child, Function | ast.ClassDef) else prefix
        yield from list_functions(child, prefix=name)
