"""
The facts of one file for the linker: symbols, and constraints on the values of variables.

A variable is a number within its file. Constraints are tuples that begin with an `Op`. They ignore the order of
statements, so a variable holds whatever is ever assigned to it.
"""

import re
from enum import IntEnum
from typing import Any

import msgspec

VERSION = 8
"""The version of the analysis. Files read by another version are read again."""

MAX_KEYED = 8
"""The maximum list elements that are told apart."""
UNNAMED_PACKAGE = "<unnamed>"
"""The package of Java and Kotlin files that name none."""
CLASS_OF = "type "
"""Before the name of a type: the class itself is held, not an instance."""
PLACE_BITS = 12
PLACE_MASK = (1 << PLACE_BITS) - 1
"""A place is a line, shifted by this number of bits, and a character."""


_PLACE = re.compile(r"0|[1-9][0-9]{0,5}", re.ASCII)


def read_place(text: str | None) -> int | None:
    """Read the start of a slice. None unless it is an integer small enough to tell elements apart by."""
    return int(text) if text is not None and _PLACE.fullmatch(text) else None


class Op(IntEnum):
    """Kinds of constraints, with their operands."""

    COPY = 0  # source, destination
    LOAD = 1  # base, name, destination, place, caller
    STORE = 2  # base, name, source
    INDEX = 3  # base, key or None, destination
    SET_INDEX = 4  # base, key or None, source
    CALL = 5  # index into calls
    FUNCTION = 6  # symbol, destination
    CLASS = 7  # symbol, destination
    CONTAINER = 8  # kind, destination
    GLOBAL = 9  # name, destination
    IMPORT = 10  # module, name or "", destination
    TYPE = 11  # destination, type names
    SUPER = 12  # class symbol, destination
    LITERAL = 13  # destination
    GET_ATTRIBUTE = 14  # base, prefix of the name, destination, place, caller, name
    EXPORT_ALL = 15  # module
    ELEMENT_TYPE = 16  # destination, type names of its elements
    MODULE = 17  # destination: this file's own exports
    SLICE = 18  # base, first place, destination
    UNKNOWN = 19  # destination: may be anything


class SymbolFact(msgspec.Struct, array_like=True, frozen=True):
    """A function, a method, a class or an interface. `container` is the index of the symbol around it, or -1."""

    name: str
    qualified_name: str
    kind: str
    line: int
    character: int
    start_line: int
    end_line: int
    container: int
    signature: str


class FunctionFact(msgspec.Struct, array_like=True):
    """The inputs and outputs of a function. `owner` is the class symbol that it is a member of, or -1."""

    symbol: int
    owner: int
    parameters: list[tuple[str, int]]
    result: int
    rest: int = -1
    rest_named: int = -1
    is_generator: bool = False
    binding: str = ""  # "static", "class", "property" or ""
    takes_self: bool = False
    elements: int = -1  # what a generator yields
    arity: tuple[int, int] = (0, 1_000)
    extent: tuple[int, int, int, int] = (0, 0, 0, 0)  # its own constraints and variables, where it holds no function


class ClassFact(msgspec.Struct, array_like=True):
    """A class with the names of its bases, the variables that hold them, and the variables of its members."""

    symbol: int
    bases: list[str]
    members: dict[str, int]
    is_interface: bool = False
    base_values: list[int] = []
    is_expected: bool = False  # Kotlin's `expect`: another class of the name in its package is what runs


class CallFact(msgspec.Struct, array_like=True):
    """A call: the variable called, its arguments, and its place (`caller` is a symbol, -1 at top level)."""

    callee: int
    arguments: list[int]
    named: dict[str, int]
    result: int
    line: int
    character: int
    caller: int
    name: str
    receiver: str
    base: int = -1
    constant: str | None = None  # the first argument, where it is a literal text
    is_new: bool = False
    is_decorator: bool = False
    is_spread: bool = False


class ImportFact(msgspec.Struct, array_like=True, frozen=True):
    """An imported name. `name` is empty if the module itself is imported."""

    line: int
    module: str
    name: str
    local_name: str


class FileFacts(msgspec.Struct, array_like=True):
    """The facts of a file. `package` is the JVM's; `exports` are the variables of its top level."""

    symbols: list[SymbolFact]
    functions: list[FunctionFact]
    classes: list[ClassFact]
    calls: list[CallFact]
    imports: list[ImportFact]
    constraints: list[Any]
    exports: dict[str, int]
    variables: int
    package: str = ""
    problem: str = ""
    strings: list[str] = []
    """Texts that could be names, for calls by computed names."""


def encode(facts: FileFacts) -> bytes:
    """Encode facts as MessagePack."""
    return msgspec.msgpack.encode(facts)


def decode(data: bytes) -> FileFacts:
    """Decode facts. Raises msgspec.ValidationError for those of another form."""
    return _DECODER.decode(data)


_DECODER = msgspec.msgpack.Decoder(FileFacts)


def number_symbols(facts: FileFacts) -> list[tuple[str, int]]:
    """Return each symbol's qualified name with its number among equal names in the file."""
    counts: dict[str, int] = {}
    found = []
    for symbol in facts.symbols:
        counts[symbol.qualified_name] = counts.get(symbol.qualified_name, -1) + 1
        found.append((symbol.qualified_name, counts[symbol.qualified_name]))
    return found
