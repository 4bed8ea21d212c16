"""Supported languages, and the queries of their grammars (scopes/README.md)."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import tree_sitter_java
import tree_sitter_javascript
import tree_sitter_kotlin
import tree_sitter_python
import tree_sitter_typescript
from tree_sitter import Language, Query

_WORDS = "(identifier) @word"
_SCRIPT_WORDS = "[(identifier) (shorthand_property_identifier)] @word"
_TYPED_WORDS = "[(identifier) (shorthand_property_identifier) (type_identifier)] @word"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """
    One language: its parser, the query of its scopes, and the query of used names.

    `words` captures names as `@word`, and as `@member` those of them that only stand after a dot.
    """

    language: str
    load: Callable[[], object]
    scopes: tuple[str, ...]
    words: str = _WORDS


KOTLIN = Grammar(language="kotlin", load=tree_sitter_kotlin.language, scopes=("kotlin",))
JAVA = Grammar(
    language="java",
    load=tree_sitter_java.language,
    scopes=("java",),
    words="""
    [(identifier) (type_identifier)] @word
    (field_access field: (identifier) @member)
    (method_invocation object: (_) name: (identifier) @member)
    """,
)
PYTHON = Grammar(
    language="python",
    load=tree_sitter_python.language,
    scopes=("python",),
    words=f"{_WORDS} (attribute attribute: (identifier) @member) (keyword_argument name: (identifier) @member)",
)
JAVASCRIPT = Grammar(
    language="javascript", load=tree_sitter_javascript.language, scopes=("javascript", "fields"), words=_SCRIPT_WORDS
)
TYPESCRIPT = Grammar(
    language="typescript",
    load=tree_sitter_typescript.language_typescript,
    scopes=("javascript", "typescript"),
    words=_TYPED_WORDS,
)
TSX = Grammar(
    language="typescript",
    load=tree_sitter_typescript.language_tsx,
    scopes=("javascript", "typescript"),
    words=_TYPED_WORDS,
)

_BY_ENDING = {
    ".kt": KOTLIN, ".kts": KOTLIN, ".java": JAVA, ".py": PYTHON, ".pyi": PYTHON,
    ".js": JAVASCRIPT, ".jsx": JAVASCRIPT, ".mjs": JAVASCRIPT, ".cjs": JAVASCRIPT,
    ".ts": TYPESCRIPT, ".mts": TYPESCRIPT, ".cts": TYPESCRIPT, ".tsx": TSX,
}  # fmt: skip


def grammar_of(path: str) -> Grammar | None:
    """Return the grammar of a file by its extension. None for an unsupported language."""
    stem, dot, ending = path.rpartition(".")
    return _BY_ENDING.get(dot + ending.lower()) if stem and not stem.endswith("/") else None


@cache
def language_of(grammar: Grammar) -> Language:
    """Return the grammar's parse tables, loaded once."""
    return Language(grammar.load())


@cache
def scope_query(grammar: Grammar) -> Query:
    """Return the query for functions and their containers."""
    folder = files("devassist.syntax") / "scopes"
    return Query(language_of(grammar), "\n".join((folder / f"{name}.scm").read_text() for name in grammar.scopes))


@cache
def word_query(grammar: Grammar) -> Query:
    """Return the query for used names."""
    return Query(language_of(grammar), grammar.words)


@cache
def call_query(grammar: Grammar, *, kinds: frozenset[str]) -> Query:
    """Return the query for nodes of some kinds. Those that the grammar does not have are left out."""
    language = language_of(grammar)
    known = kinds & {language.node_kind_for_id(number) for number in range(language.node_kind_count)}
    return Query(language, "[" + " ".join(f"({kind})" for kind in sorted(known)) + "] @call")
