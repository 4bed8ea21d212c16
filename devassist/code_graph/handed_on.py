"""Functions that escape to unanalysed code. Their callers cannot be listed completely."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from devassist.code_graph.facts import PLACE_BITS, CallFact, FileFacts, Op, SymbolFact
from devassist.code_graph.library_names import find_called_names
from devassist.code_graph.points_to import PointsTo
from devassist.code_graph.program import Program, SymbolKey
from devassist.code_graph.unknown_reads import (
    find_called,
    find_exported,
    find_read_from_unknown,
    is_any,
    is_made_outside,
)
from devassist.code_graph.value_flow import ComputedRead
from devassist.code_graph.values import (
    CALLS_NOW,
    ELEMENT_OF,
    NOT_PASSED_ON,
    OUTSIDE,
    SAME_VALUE,
    Kind,
    Value,
    split_words,
)

MAX_MEMBERS = 100
CLASSES = ("class", "interface")
FOLLOWED_NAMES = split_words("__enter__ __aenter__ __iter__ __aiter__ __next__ __anext__ __call__ __new__ __init__")
"""Methods called by the language whose results the analysis follows."""
CONSTRUCTORS = ("__init__", "__new__", "__post_init__")
LANGUAGE_NAMES = split_words("toString hashCode equals valueOf toJSON")


def find_handed_on(analysis: PointsTo, *, unknown_bases: Mapping[int, int]) -> dict[tuple[str, int], str]:
    """
    Return the functions that escape to unanalysed code, each with the first place where that happens.

    That is an argument or what is decorated, of a call from outside or one that is not resolved; a function that the
    function around it gives back; what the language's own methods (`__reduce__`) and functions so handed give back;
    what a container that is so handed holds; the constructor of a class that is; and methods that a base from
    outside, an unknown base, or the language may call.
    """
    program = analysis.program
    found: dict[tuple[str, int], str] = {}
    given: dict[Value, str] = {}
    for value, place in _find_first_handed_on(program, analysis=analysis):
        given.setdefault(value, place)
    left = list(given)
    while left:
        value = left.pop()
        for inner in _find_handed_with(value, analysis=analysis):
            if inner not in given:
                given[inner] = given[value]
                left.append(inner)
    given.update((value, place) for value, place in find_read_from_unknown(analysis, given=given) if value not in given)
    for value, place in given.items():
        _note_handed_on(value, program=program, place=place, into=found)
    _note_computed_names(analysis, into=found)
    _note_inherited(program, unknown_bases=unknown_bases, into=found)
    _note_overrides(analysis, into=found)
    _note_namesakes(program, into=found)
    _note_unresolved_imports(analysis, into=found)
    return found


def _find_handed_with(value: Value, *, analysis: PointsTo) -> set[Value]:
    """Return what code that holds a value can reach: the elements of a container, the result of a function."""
    if value.kind is Kind.CONTAINER:
        return analysis.elements_of(value)
    if value.kind not in (Kind.FUNCTION, Kind.BOUND):
        return set()
    file, fact = analysis.program.functions[int(value.first)]
    return _pick_holders(analysis.values_of(analysis.program.offsets[file] + fact.result))


def _pick_holders(values: Iterable[Value]) -> set[Value]:
    """Leave out variables that hold no functions."""
    return {value for value in values if value.kind in (Kind.CONTAINER, Kind.FUNCTION, Kind.BOUND, Kind.CLASS)}


def _note_inherited(
    program: Program, *, unknown_bases: Mapping[int, int], into: dict[tuple[str, int], str]
) -> None:  # fmt: skip
    """Mark the methods of classes with an unknown base as escaping to it."""
    for number, at in unknown_bases.items():
        for _, key in _find_methods(number, program=program):
            into.setdefault(key, _place_of(at, program=program))


def _note_namesakes(program: Program, *, into: dict[tuple[str, int], str]) -> None:
    """Mark the methods of a class as escaping whose name is taken to mean another, unless that is its `expect`."""
    for number, meant in program.namesakes.items():
        for _, key in _find_methods(number, program=program) if not program.classes[meant].fact.is_expected else ():
            into.setdefault(key, _place_of(meant, program=program))


def _note_unresolved_imports(analysis: PointsTo, *, into: dict[tuple[str, int], str]) -> None:
    """Mark what is exported under a name as escaping where that is imported from a file that was not found."""
    program = analysis.program
    for file, facts in enumerate(program.files):
        for one in facts.imports:
            if not one.module.startswith(".") or program.find_imported_file(one, file=file) is not None:
                continue
            place = f"{program.paths[file]}:{one.line}"
            for name in {one.name} if one.name else _find_names_read(facts, local=one.local_name):
                for other in range(len(program.files)) if name != "default" else ():
                    for value in find_exported(other, name=name, analysis=analysis):
                        _note_handed_on(value, program=program, place=place, into=into)


def _find_names_read(facts: FileFacts, *, local: str) -> set[str]:
    """Return the attributes that are read of what a name of the file's top level holds."""
    return {
        parts[1]
        for operation, *parts in facts.constraints
        if operation == Op.LOAD and parts[0] == facts.exports.get(local)
    }


def _note_overrides(analysis: PointsTo, *, into: dict[tuple[str, int], str]) -> None:
    """
    Mark methods as escaping that a class from outside or the language may call.

    Of a known base those that it calls; of another base those that nothing in the workspace calls.
    """
    program = analysis.program
    called = {edge.target for edge in analysis.edges.values()}
    operators = _find_operators(program)
    for number in range(len(program.classes)):
        place = _place_of(number, program=program)
        outer = program.find_outer_bases(number)
        names = [find_called_names(base) for base in outer]
        for symbol, key in _find_methods(number, program=program) if outer else ():
            is_called = (program.numbers[key[0]], key[1]) in called
            if any(symbol.name in known if known is not None else not is_called for known in names):
                into.setdefault(key, place)
        _note_language_names(number, operators=operators, analysis=analysis, into=into)


def _note_language_names(
    number: int, *, operators: Collection[str], analysis: PointsTo, into: dict[tuple[str, int], str]
) -> None:  # fmt: skip
    """Mark functions as escaping that a class has under a name that the language calls, as `__int__ = unwrap`."""
    program = analysis.program
    info = program.classes[number]
    for name, variable in info.fact.members.items():
        if name not in operators and not (_is_language_name(name) and name not in CONSTRUCTORS):
            continue
        for value in analysis.values_of(program.offsets[info.file] + variable):
            at, fact = program.functions[int(value.first)] if value.kind is Kind.FUNCTION else (-1, None)
            if fact is not None and fact.symbol >= 0:
                into.setdefault((program.paths[at], fact.symbol), _place_of(number, program=program))


def _find_operators(program: Program) -> frozenset[str]:
    """Return the names of Kotlin's operators in the workspace, and those that languages call to show and compare."""
    return LANGUAGE_NAMES.union(
        symbol.name
        for path, facts in zip(program.paths, program.files, strict=True)
        if path.endswith((".kt", ".kts"))
        for symbol in facts.symbols
        if "operator" in symbol.signature.partition("fun ")[0].split()
    )


def _find_methods(number: int, *, program: Program) -> Iterator[tuple[SymbolFact, tuple[str, int]]]:
    """Return the methods and properties of a class, each with its key."""
    info = program.classes[number]
    for index, symbol in enumerate(program.files[info.file].symbols):
        if symbol.container == info.fact.symbol and symbol.kind not in CLASSES:
            yield symbol, (program.paths[info.file], index)


def _place_of(number: int, *, program: Program) -> str:
    """Return the place of a class."""
    info = program.classes[number]
    return f"{program.paths[info.file]}:{program.symbol((info.file, info.fact.symbol)).line}"


def _is_language_name(name: str) -> bool:
    return name.startswith("__") and name.endswith("__") and len(name) > len("____")


def _find_first_handed_on(program: Program, *, analysis: PointsTo) -> Iterator[tuple[Value, str]]:
    for file, facts in enumerate(program.files):
        offset = program.offsets[file]
        for source, line in _find_given_away(facts, offset=offset, analysis=analysis):
            for value in analysis.all_values_of(source):
                yield value, f"{program.paths[file]}:{line}"
        for function in facts.functions:
            symbol = facts.symbols[function.symbol] if function.symbol >= 0 else None
            is_taken = symbol is not None and _is_language_name(symbol.name) and symbol.name not in FOLLOWED_NAMES
            for value in analysis.values_of(offset + function.result) if symbol is not None else ():
                is_inner = value.kind is Kind.FUNCTION and _is_within(
                    value, program=program, file=file, symbol=function.symbol
                )
                if symbol is not None and (is_inner or (is_taken and _pick_holders([value]))):
                    yield value, f"{program.paths[file]}:{symbol.line}"
    for value, variable in analysis.lost.items():
        yield value, program.file_of(variable)


def _find_given_away(facts: FileFacts, *, offset: int, analysis: PointsTo) -> Iterator[tuple[int, int]]:
    """Return variables that are passed to unknown calls or stored in something unknown, each with a line."""
    for call in facts.calls:
        if call.callee >= 0 and _is_unknown(call, offset=offset, analysis=analysis):
            given = (*call.arguments, *call.named.values())
            yield from ((offset + argument, call.line) for argument in given if argument >= 0)
    for base, source, line in _stores(facts):
        held = analysis.all_values_of(offset + base)
        is_unknown = any(value.kind in (Kind.OUTSIDE, Kind.LIBRARY_TYPE, Kind.LIBRARY) for value in held)
        if is_unknown or not analysis.values_of(offset + base):
            yield offset + source, line


def _stores(facts: FileFacts) -> Iterator[tuple[int, int, int]]:
    """Return base and source of what is stored in attributes and elements."""
    for operation, *parts in facts.constraints:
        if operation in (Op.STORE, Op.SET_INDEX):
            yield parts[0], parts[2], 1


def _is_unknown(call: CallFact, *, offset: int, analysis: PointsTo) -> bool:
    values = analysis.all_values_of(offset + call.callee)
    kinds = {value.kind for value in values}
    if kinds & {Kind.OUTSIDE, Kind.LIBRARY_TYPE} or not analysis.values_of(offset + call.callee):
        return True
    if any(value.kind is Kind.CLASS and is_made_outside(value, program=analysis.program) for value in values):
        return True
    names = {str(value.first).rpartition(".")[2] for value in values if value.kind is Kind.LIBRARY}
    return bool(names - NOT_PASSED_ON - CALLS_NOW - SAME_VALUE - ELEMENT_OF)


def _is_within(value: Value, *, program: Program, file: int, symbol: int) -> bool:
    at, fact = program.functions[int(value.first)]
    return at == file and 0 <= symbol == (program.files[at].symbols[fact.symbol].container if fact.symbol >= 0 else -2)


def _note_handed_on(value: Value, *, program: Program, place: str, into: dict[tuple[str, int], str]) -> None:
    if value.kind in (Kind.FUNCTION, Kind.BOUND):
        file, fact = program.functions[int(value.first)]
        if fact.symbol >= 0:
            into.setdefault((program.paths[file], fact.symbol), place)
    elif value.kind is Kind.CLASS and value.second != "typed":
        below = program.classes[int(value.first)].below if value.second == "any" else ()
        for key in (key for number in (int(value.first), *below) for key in program.find_constructors(number)):
            into.setdefault((program.paths[key[0]], key[1]), place)


def is_only_tested(read: ComputedRead, *, analysis: PointsTo) -> bool:
    """Return whether what is read by a computed name is only tested, as in `isinstance(getattr(one, name), A)`."""
    program = analysis.program
    copies = analysis.find_copies(read.to)
    if copies is None or max(copies) >= program.variables:
        return False
    facts, offset = program.files[read.file], program.offsets[read.file]
    used = {call.callee for call in facts.calls} | set(facts.exports.values())
    used.update(one for function in facts.functions for one in (function.result, function.elements))
    used.update(one for fact in facts.classes for one in (*fact.members.values(), *fact.base_values))
    given = {source for source, _ in _find_given_away(facts, offset=offset, analysis=analysis)}
    return copies.isdisjoint(given | {offset + one for one in used})


def _note_computed_names(analysis: PointsTo, *, into: dict[tuple[str, int], str]) -> None:
    """
    Mark what is called by a computed name as escaping there.

    That is what has a name that stands in the workspace as a text, and each method that is decorated by what may note
    its name; on a class its members alone, and all of them where the name comes from outside, as from `dir()`. A
    function inside another is an attribute only where it was stored.
    """
    program = analysis.program
    kept = (value for value in analysis.find_attribute_values() if value.kind in (Kind.FUNCTION, Kind.BOUND))
    stored = {(file, fact.symbol) for file, fact in (program.functions[int(value.first)] for value in kept)}
    texts = {text for facts in program.files for text in facts.strings}
    decorated = _find_decorated(program, analysis=analysis)
    named = {
        (path, index)
        for file, (path, facts) in enumerate(zip(program.paths, program.files, strict=True))
        for index, symbol in enumerate(facts.symbols)
        if symbol.kind not in CLASSES
        and (symbol.name in texts or (file, index) in decorated)
        and (not _is_local(symbol, facts=facts) or (file, index) in stored)
    }
    called = find_called(analysis)
    for read in analysis.open_reads:
        held = analysis.values_of(read.base)
        place = f"{program.paths[read.file]}:{read.place >> PLACE_BITS}"
        members = set() if read.prefix else set(members_of(held, program=program))
        if not is_any(held) and (read.prefix or (read.to in called and 0 < len(members) <= MAX_MEMBERS)):
            continue
        if is_only_tested(read, analysis=analysis):
            continue
        is_listed = OUTSIDE in analysis.values_of(read.name) and len(members) <= MAX_MEMBERS
        for key in (members if is_listed else members & named) | (named if is_any(held) else set()):
            into.setdefault(key, place)


def _is_local(symbol: SymbolFact, *, facts: FileFacts) -> bool:
    """Return whether a function is inside another, and so no attribute of anything."""
    return symbol.container >= 0 and facts.symbols[symbol.container].kind not in CLASSES


def _find_decorated(program: Program, *, analysis: PointsTo) -> set[SymbolKey]:
    """Return the decorated methods."""
    found = set()
    for file, facts in enumerate(program.files):
        arguments = [call.arguments[0] for call in facts.calls if call.is_decorator and call.arguments]
        for argument in arguments:
            for value in analysis.values_of(program.offsets[file] + argument) if argument >= 0 else ():
                at, fact = program.functions[int(value.first)] if value.kind is Kind.FUNCTION else (-1, None)
                if fact is not None and fact.owner >= 0:
                    found.add((at, fact.symbol))
    return found


def members_of(held: Iterable[Value], *, program: Program) -> list[tuple[str, int]]:
    """Return the methods of the classes of some values."""
    classes = {
        number
        for value in held
        if value.kind in (Kind.INSTANCE, Kind.DECLARED, Kind.CLASS)
        for number in (*program.classes[int(value.first)].order, *program.classes[int(value.first)].below)
    }
    found = []
    for number in sorted(classes):
        info = program.classes[number]
        for index, symbol in enumerate(program.files[info.file].symbols):
            if symbol.container == info.fact.symbol and symbol.kind == "method" and not symbol.name.startswith("__"):
                found.append((program.paths[info.file], index))
    return found
