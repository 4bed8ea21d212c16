"""Methods of subclasses that Python's own classes call."""

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from types import CodeType, FunctionType

_MODULES = (
    "builtins", "datetime", "collections", "collections.abc", "io", "json", "enum", "threading", "logging", "string",
    "decimal", "random", "queue", "argparse", "ast", "codecs", "contextlib", "html.parser", "http.server", "types",
    "typing", "unittest", "abc", "configparser", "email.message", "urllib.request", "socketserver", "asyncio",
)  # fmt: skip
"""Standard library modules with common base classes. Importing them has no side effects."""


@cache
def find_called_names(base: str) -> frozenset[str] | None:
    """
    Return the names that a class from outside may call on itself. None if it is in none of the modules above.

    Of what is written in Python these are the names in its code; of what is not they are all its names, but for the
    built-in types, which call only what the language does.
    """
    module, _, name = base.rpartition(".")
    if (module or "builtins") not in _MODULES:
        return None
    found = getattr(import_module(module or "builtins"), name, None)
    return frozenset(_called_names(found)) & frozenset(dir(found)) if isinstance(found, type) else None


def _called_names(base: type) -> Iterator[str]:
    for one in base.__mro__:
        for name, member in vars(one).items():
            plain = getattr(member, "__func__", None) or getattr(member, "fget", None) or member
            if isinstance(plain, FunctionType):
                yield from _names_in(plain.__code__)
            elif callable(member) and one.__module__ != "builtins":
                yield name


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)
