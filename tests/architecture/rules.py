"""House rules 1, 7 and the smaller ones, each a check of one file's syntax tree or text."""

import ast
import re
from collections.abc import Iterator, Mapping

from tests.architecture.select_limits import is_bounded
from tests.architecture.sources import Function, list_functions

MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 80
VAGUE_MODULES = {"utils", "util", "helpers", "helper", "common", "services", "service", "base", "misc", "lib", "core"}
MANAGERS = ("objects", "_default_manager", "_base_manager")
SECRETS = re.compile(
    r"AKIA[0-9A-Z]{16}|-----BEGIN [A-Z ]*PRIVATE KEY|\bsk-[A-Za-z0-9_-]{20,}|\bgh[pousr]_[A-Za-z0-9]{30,}"
    r"|\bxox[abprs]-[A-Za-z0-9-]{10,}|\btr_[A-Za-z0-9_-]{43}\b|\beyJ[A-Za-z0-9_-]{20,}\.eyJ"
)
MACHINE_PATHS = re.compile(r"(?<![\w.~-])/(?:work|home|root|Users|mnt)/[\w.-]")
_READS = re.compile(r"(?is)\s*(select|with)\b.*\bfrom\b")
_WRITES = re.compile(r"(?i)\b(insert\s+into|update\s+\w+\s+(as\s+\w+\s+)?set|delete\s+from)\b")
_CALLED_BY_KERNEL = {"CallContext", "ClientChannel"}


def is_long_file(text: str) -> bool:
    """Return whether a file has more lines than it may."""
    return len(text.splitlines()) > MAX_FILE_LINES


def find_long_functions(module: ast.Module) -> Iterator[str]:
    """Yield the functions with more lines than they may have, from `def` on, without the docstring."""
    for name, function in list_functions(module):
        docstring = function.body[0] if ast.get_docstring(function) is not None else None
        lines = (function.end_lineno or 0) - function.lineno + 1
        if docstring is not None:
            lines -= (docstring.end_lineno or 0) - docstring.lineno + 1
        if lines > MAX_FUNCTION_LINES:
            yield name


def uses_orm(module: ast.Module) -> bool:
    """Return whether a file takes the manager of a Django model."""
    return any(isinstance(node, ast.Attribute) and node.attr in MANAGERS for node in ast.walk(module))


def reads_rows(module: ast.Module) -> bool:
    """Return whether a file reads through the reader's pool."""
    return any(
        isinstance(node, ast.Attribute) and node.attr in ("fetch", "run") and ast.unparse(node.value) == "reader"
        for node in ast.walk(module)
    )


def find_positional(module: ast.Module) -> Iterator[str]:
    """
    Yield the public functions and methods that take more than one argument by position.

    Left out: signatures that are not ours (dunders, methods of classes with a base from elsewhere, ASGI applications),
    and a tool's second parameter, which the kernel fills in.
    """
    known = {node.name for node in module.body if isinstance(node, ast.ClassDef)}
    for name, function in list_functions(module):
        owner, _, own_name = name.rpartition(".")
        is_public = not own_name.startswith("_") and not owner.startswith("_") and "." not in owner
        if is_public and _has_own_signature(owner, module=module, known=known) and _count_positional(function) > 1:
            yield name


def find_unbounded_reads(module: ast.Module) -> Iterator[str]:
    """Yield the SELECT statements in string literals that may return any number of rows."""
    for text in _list_texts(module):
        if _READS.match(text) and not _WRITES.search(text) and not is_bounded(text):
            yield " ".join(text.split())[:80]


def _list_texts(module: ast.Module) -> Iterator[str]:
    """Yield the string literals, f-strings with the constants of the module filled in."""
    constants = {
        target.id: node.value
        for node in module.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    inside = {id(part) for node in ast.walk(module) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(module):
        if id(node) not in inside and isinstance(node, ast.Constant | ast.JoinedStr):
            yield _fill_in(node, constants=constants)


def _fill_in(node: ast.expr, *, constants: Mapping[str, ast.expr]) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_fill_in(part, constants=constants) for part in node.values)
    if isinstance(node, ast.FormattedValue) and isinstance(node.value, ast.Name) and node.value.id in constants:
        return _fill_in(constants[node.value.id], constants=constants)
    return "{}"


def _has_own_signature(owner: str, *, module: ast.Module, known: set[str]) -> bool:
    if not owner:
        return True
    classes = [node for node in module.body if isinstance(node, ast.ClassDef) and node.name == owner]
    return bool(classes) and all(ast.unparse(base) in known for node in classes for base in node.bases)


def _count_positional(function: Function) -> int:
    names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    if names[-3:] == ["scope", "receive", "send"]:
        return 0
    annotations = [ast.unparse(argument.annotation or ast.Constant("")) for argument in function.args.args[1:]]
    if len(annotations) == 1 and annotations[0] in _CALLED_BY_KERNEL:
        return 1
    return len([name for name in names if name not in ("self", "cls")])
