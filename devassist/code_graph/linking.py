"""From the facts of all files to rows of calls: what each may reach, how sure that is, and what stays open."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from devassist.code_graph.facts import PLACE_BITS, PLACE_MASK, CallFact, FileFacts, Op
from devassist.code_graph.modules import Modules
from devassist.code_graph.points_to import PointsTo
from devassist.code_graph.program import Program, SymbolKey
from devassist.code_graph.value_flow import Edge
from devassist.code_graph.values import (
    CALLS_NOW,
    ELEMENT_OF,
    NOT_PASSED_ON,
    SAME_VALUE,
    Kind,
    Value,
    split_words,
)  # fmt: skip

CONFIDENCE = {"name": 0.99, "value": 0.9, "hierarchy": 0.7, "handed on": 0.6}
CANDIDATE_CONFIDENCE = 0.5
MAX_CANDIDATES = 10
MAX_MEMBERS = 100
ANY_NAME = "*"
CLASSES = ("class", "interface")


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedCall:
    """A call as a row: `caller` and `target` are symbols by the path of their file and their index in it."""

    caller: int
    callee_name: str
    receiver: str
    line: int
    character: int
    target: tuple[str, int] | None
    found_by: str
    confidence: float
    is_open: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedGraph:
    """What linking found: rows of calls by file, bases of classes, files of imports."""

    calls: dict[str, list[LinkedCall]]
    bases: dict[tuple[str, int], list[tuple[str, tuple[str, int] | None]]]
    imports: dict[str, list[str | None]]
    handed_on: dict[tuple[str, int], str]
    is_cut: bool


def link(
    files: Mapping[str, FileFacts], *, modules: Modules, on_progress: Callable[[], None] = lambda: None
) -> LinkedGraph:  # fmt: skip
    """Resolve the calls of a workspace."""
    program = Program(files, modules=modules)
    analysis = PointsTo(program)
    analysis.solve(on_progress)
    calls: dict[str, list[LinkedCall]] = {path: [] for path in program.paths}
    for edge in analysis.edges.values():
        found_by = "hierarchy" if edge.way == "hierarchy" else "syntax"
        target = (program.paths[edge.target[0]], edge.target[1])
        confidence = CONFIDENCE[edge.way] if _can_run(edge, analysis=analysis) else CANDIDATE_CONFIDENCE
        row = _row(edge.call, target=target, found_by=found_by, confidence=confidence, is_open=False)
        calls[program.paths[edge.file]].append(row)
    for file, row in _open_calls(program, analysis=analysis):
        calls[program.paths[file]].append(row)
    return LinkedGraph(
        calls=calls,
        bases=_bases(program),
        imports=_imports(program),
        handed_on=_find_handed_on(program, analysis=analysis),
        is_cut=analysis.is_cut,
    )


def _can_run(edge: Edge, *, analysis: PointsTo) -> bool:
    """Tell whether an instance that the workspace makes has the method; true where it makes none of the hierarchy."""
    if edge.declared < 0:
        return True
    program = analysis.program
    info = program.classes[edge.declared]
    made = [number for number in (edge.declared, *info.below) if number in analysis.made]
    name = program.symbol(edge.target).name
    own = {
        next((one for one in program.classes[number].order if name in program.classes[one].fact.members), -1)
        for number in made
    }
    return not made or any(
        one >= 0 and program.classes[one].file == edge.target[0]
        and program.classes[one].fact.symbol == program.symbol(edge.target).container
        for one in own
    )  # fmt: skip


def _open_calls(program: Program, *, analysis: PointsTo) -> Iterator[tuple[int, LinkedCall]]:
    """
    Give the calls that were not resolved whole.

    Of a method's name that few classes have, each is a candidate; else the call stays open for all of that name.
    """
    named = _methods_by_name(program)
    resolved = {(file, line, character) for file, line, character, _ in analysis.edges}
    for file, facts in enumerate(program.files):
        offset = program.offsets[file]
        for call in facts.calls:
            if call.name.startswith("__") and call.callee >= 0:
                continue
            is_resolved = (file, call.line, call.character) in resolved
            if call.callee < 0 or not _is_open(call, offset=offset, analysis=analysis):
                if not is_resolved:
                    yield file, _row(call, target=None, found_by="syntax", confidence=0.0, is_open=False)
                continue
            candidates = named.get(call.name, []) if call.base >= 0 else []
            if candidates and call.name not in COMMON_NAMES and _are_few(candidates, program=program):
                known = {key for at, line, character, key in analysis.edges_at(file, call=call)}
                for key in candidates:
                    target = (program.paths[key[0]], key[1])
                    if key not in known:
                        yield (
                            file,
                            _row(call, target=target, found_by="syntax", confidence=CANDIDATE_CONFIDENCE, is_open=True),
                        )
            else:
                yield file, _row(call, target=None, found_by="syntax", confidence=0.0, is_open=True)
    yield from _computed_names(analysis)


def _find_handed_on(program: Program, *, analysis: PointsTo) -> dict[tuple[str, int], str]:
    """
    Give the functions that are handed to code that is not followed, each with the first place where that happens.

    That is an argument or what is decorated, of a call from outside or one that is not resolved; a function that the
    function around it gives back; what a container that is so handed holds; and the constructor of a class that is.
    """
    found: dict[tuple[str, int], str] = {}
    given: dict[Value, str] = {}
    for value, place in _find_first_handed_on(program, analysis=analysis):
        given.setdefault(value, place)
    left = list(given)
    while left:
        value = left.pop()
        for inner in analysis.elements_of(value) if value.kind is Kind.CONTAINER else ():
            if inner not in given:
                given[inner] = given[value]
                left.append(inner)
    for value, place in given.items():
        _note_handed_on(value, program=program, place=place, into=found)
    _note_computed_names(analysis, into=found)
    return found


def _find_first_handed_on(program: Program, *, analysis: PointsTo) -> Iterator[tuple[Value, str]]:
    for file, facts in enumerate(program.files):
        offset = program.offsets[file]
        for source, line in _find_given_away(facts, offset=offset, analysis=analysis):
            for value in analysis.values_of(source):
                yield value, f"{program.paths[file]}:{line}"
        for function in facts.functions:
            for value in analysis.values_of(offset + function.result):
                if value.kind is Kind.FUNCTION and _is_within(
                    value, program=program, file=file, symbol=function.symbol
                ):
                    yield value, f"{program.paths[file]}:{facts.symbols[function.symbol].line}"
    for value, variable in analysis.lost.items():
        yield value, program.file_of(variable)


def _find_given_away(facts: FileFacts, *, offset: int, analysis: PointsTo) -> Iterator[tuple[int, int]]:
    """Give variables that are handed to unknown calls, or stored in something unknown, each with a line."""
    for call in facts.calls:
        if call.callee >= 0 and _is_unknown(call, offset=offset, analysis=analysis):
            given = (*call.arguments, *call.named.values())
            yield from ((offset + argument, call.line) for argument in given if argument >= 0)
    for base, source, line in _stores(facts):
        held = analysis.values_of(offset + base)
        if not held or any(value.kind in (Kind.OUTSIDE, Kind.LIBRARY_TYPE, Kind.LIBRARY) for value in held):
            yield offset + source, line


def _stores(facts: FileFacts) -> Iterator[tuple[int, int, int]]:
    """Give base and source of what is stored in attributes and elements."""
    for operation, *parts in facts.constraints:
        if operation in (Op.STORE, Op.SET_INDEX):
            yield parts[0], parts[2], 1


def _is_unknown(call: CallFact, *, offset: int, analysis: PointsTo) -> bool:
    values = analysis.values_of(offset + call.callee)
    kinds = {value.kind for value in values}
    if kinds & {Kind.OUTSIDE, Kind.LIBRARY_TYPE} or not values:
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
    elif value.kind is Kind.CLASS:
        for key in program.find_constructors(int(value.first)):
            into.setdefault((program.paths[key[0]], key[1]), place)


def _is_open(call: CallFact, *, offset: int, analysis: PointsTo) -> bool:
    """Tell whether a call may reach something that was not found."""
    values = analysis.values_of(offset + call.callee)
    if call.base < 0:
        return not values or any(value.kind is Kind.OUTSIDE for value in values)
    held = analysis.values_of(offset + call.base)
    if not held:
        return not values
    return any(value.kind is Kind.OUTSIDE for value in held)


def _computed_names(analysis: PointsTo) -> Iterator[tuple[int, LinkedCall]]:
    """Give the places that read an attribute by a computed name, with what it may be where the class is known."""
    program = analysis.program
    called = _find_called(program)
    for file, line, character, caller, prefix, held, to in _find_computed_reads(analysis):
        call = CallFact(-1, [], {}, -1, line, character, caller, f"{prefix}{ANY_NAME}", "getattr")
        if _is_any(held) and (prefix or analysis.reaches(to, among=called)):
            yield file, _row(call, target=None, found_by="syntax", confidence=0.0, is_open=True)
        elif not prefix and not _is_any(held):
            for path, symbol in _members_of(held, program=program)[:MAX_MEMBERS]:
                yield (
                    file,
                    _row(call, target=(path, symbol), found_by="syntax", confidence=CANDIDATE_CONFIDENCE, is_open=True),
                )


def _find_computed_reads(analysis: PointsTo) -> Iterator[tuple[int, int, int, int, str, set[Value], int]]:
    """Give file, line, character, caller, beginning of the name, values, and result, of reads by computed names."""
    for file, (base, prefix, place, caller, to) in analysis.open_reads:
        yield file, place >> PLACE_BITS, place & PLACE_MASK, caller, prefix, analysis.values_of(base), to


def _find_called(program: Program) -> set[int]:
    return {program.offsets[file] + call.callee for file, facts in enumerate(program.files) for call in facts.calls}


def _is_any(held: set[Value]) -> bool:
    return not held or any(value.kind in (Kind.OUTSIDE, Kind.LIBRARY_TYPE) for value in held)


def _note_computed_names(analysis: PointsTo, *, into: dict[tuple[str, int], str]) -> None:
    """
    Count what is called by a computed name as handed on there.

    That is what has a name that stands in the workspace as a text, and each method that is decorated by what may note
    its name; on a class only its members.
    """
    program = analysis.program
    texts = {text for facts in program.files for text in facts.strings}
    decorated = _find_decorated(program, analysis=analysis)
    named = {
        (path, index)
        for file, (path, facts) in enumerate(zip(program.paths, program.files, strict=True))
        for index, symbol in enumerate(facts.symbols)
        if symbol.kind not in CLASSES and (symbol.name in texts or (file, index) in decorated)
    }
    called = _find_called(program)
    for file, line, _, _, prefix, held, to in _find_computed_reads(analysis):
        members = set() if prefix or _is_any(held) else set(_members_of(held, program=program))
        if prefix or (to in called and 0 < len(members) <= MAX_MEMBERS):
            continue
        for key in named if _is_any(held) else named & members:
            into.setdefault(key, f"{program.paths[file]}:{line}")


def _find_decorated(program: Program, *, analysis: PointsTo) -> set[SymbolKey]:
    """Give the methods that are decorated."""
    found = set()
    for file, facts in enumerate(program.files):
        arguments = [call.arguments[0] for call in facts.calls if call.is_decorator and call.arguments]
        for argument in arguments:
            for value in analysis.values_of(program.offsets[file] + argument) if argument >= 0 else ():
                at, fact = program.functions[int(value.first)] if value.kind is Kind.FUNCTION else (-1, None)
                if fact is not None and fact.owner >= 0:
                    found.add((at, fact.symbol))
    return found


def _members_of(held: Iterable[Value], *, program: Program) -> list[tuple[str, int]]:
    """List the methods of the classes that some values are of."""
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


def _methods_by_name(program: Program) -> dict[str, list[SymbolKey]]:
    found: dict[str, list[SymbolKey]] = {}
    for file, facts in enumerate(program.files):
        for index, symbol in enumerate(facts.symbols):
            if symbol.kind == "method":
                found.setdefault(symbol.name, []).append((file, index))
    return found


def _are_few(methods: Sequence[SymbolKey], *, program: Program) -> bool:
    """Tell whether methods of one name are few enough to be candidates: those of one hierarchy count as one."""
    if len(methods) <= MAX_CANDIDATES:
        return True
    owners = {
        program.class_of_symbol.get((file, program.files[file].symbols[index].container)) for file, index in methods
    }
    roots = {program.classes[owner].order[-1] for owner in owners if owner is not None}
    return len(methods) <= MAX_MEMBERS and len(roots) <= MAX_CANDIDATES


def _row(
    call: CallFact, *, target: tuple[str, int] | None, found_by: str, confidence: float, is_open: bool
) -> LinkedCall:  # fmt: skip
    return LinkedCall(
        caller=call.caller, callee_name=call.name, receiver=" ".join(call.receiver.split())[:100], line=call.line,
        character=call.character, target=target, found_by=found_by, confidence=confidence, is_open=is_open,
    )  # fmt: skip


def _bases(program: Program) -> dict[tuple[str, int], list[tuple[str, tuple[str, int] | None]]]:
    found = {}
    for info in program.classes:
        rows: list[tuple[str, tuple[str, int] | None]] = [(name, None) for name in info.outer_bases]
        for base in info.bases:
            other = program.classes[base]
            rows.append((other.name, (program.paths[other.file], other.fact.symbol)))
        found[program.paths[info.file], info.fact.symbol] = rows
    return found


def _imports(program: Program) -> dict[str, list[str | None]]:
    found = {}
    for file, facts in enumerate(program.files):
        targets = (program.find_module(one.module, file=file) for one in facts.imports)
        found[program.paths[file]] = [program.paths[target] if target is not None else None for target in targets]
    return found


COMMON_NAMES = split_words(
    """
    get set add put pop append extend insert remove clear copy update keys values items join split strip format
    read write close open send run start stop next index count sort reverse replace find encode decode lower
    upper match search exists list push shift map filter reduce slice concat then catch call apply bind toString
    equals hashCode size length forEach accept test then finally
    """
)
