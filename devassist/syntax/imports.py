"""Imports of a file, and those that a place in the file needs."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from tree_sitter import Node, Query

from devassist.syntax.grammars import Grammar, language_of, word_query
from devassist.syntax.parse import Code

EVERYTHING = "*"

_STATEMENTS = {
    "kotlin": "(import) @import",
    "java": "(import_declaration) @import",
    "python": "[(import_statement) (import_from_statement)] @import",
    "javascript": """
    (import_statement) @import
    (variable_declarator value: (call_expression function: (identifier) @function)) @import
    (variable_declarator value: (await_expression (call_expression function: (import)))) @import
    """,
}
_STATEMENTS["typescript"] = _STATEMENTS["javascript"]

_USED_BY_SIGNS = frozenset(
    {
        "getValue", "setValue", "provideDelegate", "invoke", "plus", "minus", "times", "div", "rem", "get", "set",
        "contains", "iterator", "rangeTo", "compareTo", "plusAssign", "minusAssign", "inc", "dec", "unaryMinus", "not",
    }
)  # fmt: skip
"""Kotlin names that code uses without writing them, as `by` and `+` do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedName:
    """One name. `local` is the name in the file, `shown` the import as written: `preview as firstLine`."""

    local: str
    shown: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """An import statement. A wildcard's only name is `*`."""

    module: str
    names: tuple[ImportedName, ...]
    line: int


class _Reader(Protocol):
    def __call__(self, node: Node, *, code: Code) -> Iterator[Import]: ...


def imports(code: Code) -> list[Import]:
    """Return the imports of a file in order, including those inside of functions and conditions."""
    read = _READERS[code.grammar.language]
    statements = code.matches(_statements(code.grammar))
    found = [one for captures in statements for one in read(captures["import"][0], code=code)]
    return sorted(dict.fromkeys(found), key=lambda one: one.line)


def keep_used(found: list[Import], *, code: Code, start: int, end: int) -> list[Import]:
    """Keep the imports whose names are used between two offsets, and all wildcards."""
    words = _words(code, start=start, end=end)
    kept = [
        Import(
            module=one.module,
            names=tuple(name for name in one.names if _is_used(name, words=words, code=code)),
            line=one.line,
        )
        for one in found
    ]
    return [one for one in kept if one.names]


def _is_used(name: ImportedName, *, words: set[str], code: Code) -> bool:
    by_sign = code.grammar.language == "kotlin" and name.local in _USED_BY_SIGNS
    return name.shown == EVERYTHING or by_sign or name.local in words


def _words(code: Code, *, start: int, end: int) -> set[str]:
    found = code.captures(word_query(code.grammar), start=start, end=end)
    members = {node.start_byte for node in found.get("member", [])}
    return {
        code.text(node).strip("`")
        for node in found.get("word", [])
        if node.start_byte not in members and start <= node.start_byte < end
    }


@cache
def _statements(grammar: Grammar) -> Query:
    return Query(language_of(grammar), _STATEMENTS[grammar.language])


def _line(node: Node) -> int:
    return node.start_point.row + 1


def _kotlin(node: Node, *, code: Code) -> Iterator[Import]:
    dotted = re.match(r"import\s+([^\s;]+)(?:\s+as\s+(\S+))?", code.text(node))
    if dotted:
        yield _of_path(dotted[1].replace("`", ""), alias=(dotted[2] or "").strip("`;"), line=_line(node))


def _java(node: Node, *, code: Code) -> Iterator[Import]:
    dotted = re.match(r"import\s+(?:static\s+)?([^;]+)", code.text(node))
    if dotted:
        yield _of_path("".join(dotted[1].split()), alias="", line=_line(node))


def _of_path(path: str, *, alias: str, line: int) -> Import:
    module, _, name = path.rpartition(".")
    shown = f"{name} as {alias}" if alias else name
    return Import(module=module or name, names=(ImportedName(local=alias or name, shown=shown),), line=line)


def _python(node: Node, *, code: Code) -> Iterator[Import]:
    module = node.child_by_field_name("module_name")
    names = [_python_name(name, code=code, is_from=module is not None) for name in node.children_by_field_name("name")]
    if module is None:
        for name in names:
            yield Import(module=name.shown.split(" as ")[0], names=(name,), line=_line(node))
        return
    if any(child.type == "wildcard_import" for child in node.children):
        names = [ImportedName(local=EVERYTHING, shown=EVERYTHING)]
    yield Import(module=code.text(module), names=tuple(names), line=_line(node))


def _python_name(node: Node, *, code: Code, is_from: bool) -> ImportedName:
    alias = node.child_by_field_name("alias")
    if alias:
        path = code.text(node.child_by_field_name("name"))
        return ImportedName(local=code.text(alias), shown=f"{path} as {code.text(alias)}")
    path = code.text(node)
    return ImportedName(local=path if is_from else path.split(".")[0], shown=path)


def _script(node: Node, *, code: Code) -> Iterator[Import]:
    if node.type == "variable_declarator":
        yield from _read_require(node, code=code)
        return
    source = node.child_by_field_name("source")
    clauses = [child for child in node.named_children if child.type in ("import_clause", "import_require_clause")]
    for clause in clauses:
        module = source or clause.child_by_field_name("source")
        names = [name for part in clause.named_children for name in _clause_names(part, code=code)]
        yield Import(module=_unquote(module, code=code), names=tuple(names), line=_line(node))


def _clause_names(part: Node, *, code: Code) -> Iterator[ImportedName]:
    if part.type == "identifier":
        yield ImportedName(local=code.text(part), shown=code.text(part))
    elif part.type == "namespace_import":
        name = code.text(part.named_children[-1])
        yield ImportedName(local=name, shown=f"* as {name}")
    elif part.type == "named_imports":
        for one in part.named_children:
            if one.type == "import_specifier":
                yield _read_alias(one.child_by_field_name("name"), alias=one.child_by_field_name("alias"), code=code)


def _read_require(node: Node, *, code: Code) -> Iterator[Import]:
    """Parse `const { a, b: c } = require("x")`, and the same of `await import("x")`."""
    value, name = node.child_by_field_name("value"), node.child_by_field_name("name")
    call = value.named_children[0] if value and value.type == "await_expression" else value
    called, given = (call.child_by_field_name(part) if call else None for part in ("function", "arguments"))
    modules = [child for child in given.named_children if child.type == "string"] if given else []
    if name is None or code.text(called) not in ("require", "import") or not modules:
        return
    if name.type == "identifier":
        names = [ImportedName(local=code.text(name), shown=f"* as {code.text(name)}")]
    else:
        names = [one for part in name.named_children for one in _pattern_names(part, code=code)]
    yield Import(module=_unquote(modules[0], code=code), names=tuple(names), line=_line(node))


def _pattern_names(part: Node, *, code: Code) -> Iterator[ImportedName]:
    if part.type == "shorthand_property_identifier_pattern":
        yield ImportedName(local=code.text(part), shown=code.text(part))
    elif part.type == "pair_pattern":
        yield _read_alias(part.child_by_field_name("key"), alias=part.child_by_field_name("value"), code=code)


def _read_alias(name: Node | None, *, alias: Node | None, code: Code) -> ImportedName:
    shown = code.text(name)
    return ImportedName(local=code.text(alias), shown=f"{shown} as {code.text(alias)}") if alias else ImportedName(
        local=shown, shown=shown)  # fmt: skip


def _unquote(node: Node | None, *, code: Code) -> str:
    return code.text(node).strip("'\"`")


_READERS: dict[str, _Reader] = {
    "kotlin": _kotlin,
    "java": _java,
    "python": _python,
    "javascript": _script,
    "typescript": _script,
}
