"""Type annotations, string literals and decorators."""

import re
from collections.abc import Sequence

from tree_sitter import Node

from devassist.code_graph.facts import CLASS_OF
from devassist.code_graph.values import split_words
from devassist.syntax.imports import Import
from devassist.syntax.parse import parts_of

ELEMENTS = split_words(
    """
    list List Sequence Iterable Iterator Generator AsyncIterator AsyncGenerator AsyncIterable set Set frozenset
    tuple Tuple deque Collection MutableSequence Mapping MutableMapping dict Dict OrderedDict defaultdict
    """
)
WRAPPERS = split_words(
    """
    Optional Union ClassVar Final Annotated Awaitable Coroutine Type type Required NotRequired
    """
)
_TYPEOF = "typeof"
_WORD = re.compile(r"[A-Za-z_][\w.]*|[\[\],|]")


def literal_text(source: str) -> str:
    """Return the content of a string literal without escapes."""
    return re.sub(r"^[A-Za-z]*(\"\"\"|'''|\"|')(.*)\1$", r"\2", source, flags=re.DOTALL)


def has_holes(node: Node) -> bool:
    """Return whether a string has interpolated values."""
    return any(child.type == "interpolation" for child in parts_of(node))


def split_types(text: str) -> tuple[list[str], list[str]]:
    """
    Split an annotation into the types of a value and those of its elements.

    >>> split_types("Optional[Note] | list['Tag']")
    (['Note', 'list'], ['Tag'])
    >>> split_types("type[Note]")
    (['type Note'], [])
    """
    names: list[str] = []
    elements: list[str] = []
    around: list[str] = []
    before = ""
    for word in _WORD.findall(text.replace('"', " ").replace("'", " ")):
        if word == "[":
            around.append(before.rpartition(".")[2])
        elif word == "]":
            around = around[:-1]
        elif word not in ",|" and word != _TYPEOF:
            depth = [outer for outer in around if outer not in WRAPPERS]
            is_class = before == _TYPEOF or around[-1:] in (["type"], ["Type"])
            named = f"{CLASS_OF}{word}" if is_class else word
            if not depth and word.rpartition(".")[2] not in WRAPPERS:
                names.append(named)
            elif len(depth) == 1 and depth[0] in ELEMENTS:
                elements.append(named)
        before = word if word not in "[]|," else ""
    return names, elements


def is_transparent(decorator: str, *, imported: Sequence[Import]) -> bool:
    """Return whether a decorator is one of Python's own that returns the function or calls nothing else."""
    plain = decorator.partition("(")[0]
    if plain.rpartition(".")[2] not in _TRANSPARENT:
        return False
    first = plain.partition(".")[0]
    modules = {one.module for one in imported for name in one.names if name.local == first}
    return all(module.partition(".")[0] in _TRANSPARENT_MODULES for module in modules)


_TRANSPARENT = split_words(
    """
    staticmethod classmethod property cached_property abstractmethod overload override final wraps dataclass
    total_ordering runtime_checkable lru_cache cache contextmanager asynccontextmanager
    """
)
_TRANSPARENT_MODULES = split_words("functools abc typing typing_extensions dataclasses contextlib")
