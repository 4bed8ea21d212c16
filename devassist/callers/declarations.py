"""Functions of a file by name."""

from collections.abc import Sequence

from devassist.callers.code import Code, Function


def find_functions(name: str, *, code: Code) -> list[Function]:
    """
    Return every function with the name: overloads, and methods of several classes.

    `Class.method` means that class's. Where no function has the name a class may, whose constructor is then meant.
    """
    wanted = name.strip().removesuffix("()").replace("::", ".").replace("#", ".").split(".")
    for known in (code.functions(), code.classes()):
        if found := [function for function in known if _fits(function.qualified.split("."), wanted)]:
            return found
    return []


def names(code: Code) -> list[str]:
    """Return the names of the file's functions, each once, in the file's order."""
    return list(dict.fromkeys(function.qualified for function in code.functions()))


def _fits(qualified: Sequence[str], wanted: Sequence[str]) -> bool:
    return list(qualified[-len(wanted) :]) == list(wanted)
