"""Types as they are written down, and literal texts."""

import re

from tree_sitter import Node

from devassist.code_graph.values import split_words

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
_WORD = re.compile(r"[A-Za-z_][\w.]*|[\[\],|]")


def literal_text(source: str) -> str:
    """Give the content of a string literal without escapes."""
    return re.sub(r"^[A-Za-z]*(\"\"\"|'''|\"|')(.*)\1$", r"\2", source, flags=re.DOTALL)


def has_holes(node: Node) -> bool:
    """Tell whether a string has values put into it."""
    return any(child.type == "interpolation" for child in node.named_children)


def split_types(text: str) -> tuple[list[str], list[str]]:
    """
    Split an annotation into the types that a value may have and those of its elements.

    >>> split_types("Optional[Note] | list['Tag']")
    (['Note', 'list'], ['Tag'])
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
        elif word not in ",|":
            depth = [outer for outer in around if outer not in WRAPPERS]
            if not depth and word.rpartition(".")[2] not in WRAPPERS:
                names.append(word)
            elif len(depth) == 1 and depth[0] in ELEMENTS:
                elements.append(word)
        before = word if word not in "[]|," else ""
    return names, elements
