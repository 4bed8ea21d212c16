"""Linking of all files' facts to rows of calls: targets, confidence, and unresolved calls."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from devassist.code_graph.computed_bases import find_computed_bases, find_unknown_bases
from devassist.code_graph.facts import PLACE_BITS, PLACE_MASK, CallFact, FileFacts
from devassist.code_graph.handed_on import (
    MAX_MEMBERS,
    find_handed_on,
    is_only_tested,
    members_of,
)
from devassist.code_graph.modules import Modules
from devassist.code_graph.points_to import PointsTo
from devassist.code_graph.program import Program, SymbolKey
from devassist.code_graph.unknown_reads import find_uses, is_any
from devassist.code_graph.value_flow import Edge
from devassist.code_graph.values import ITERATING, READERS, RECEIVER, SAME_CONTAINER, WRITERS, Kind, split_words

CONFIDENCE = {"name": 0.99, "value": 0.9, "hierarchy": 0.7, "handed on": 0.6}
CANDIDATE_CONFIDENCE = 0.5
MAX_CANDIDATES = 10
ANY_NAME = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedCall:
    """A row of a call. `caller` and `target` are symbols by the path of their file and their index in it."""

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
    """The result of linking: rows of calls by file, bases of classes, files of imports."""

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
    analysis = _solve(program, on_progress=on_progress)
    unknown_bases = find_unknown_bases(analysis)
    calls: dict[str, list[LinkedCall]] = {path: [] for path in program.paths}
    for edge in analysis.edges.values():
        found_by = "hierarchy" if edge.way == "hierarchy" else "syntax"
        target = (program.paths[edge.target[0]], edge.target[1])
        confidence = CONFIDENCE[edge.way] if _can_run(edge, analysis=analysis) else CANDIDATE_CONFIDENCE
        row = _row(edge.call, target=target, found_by=found_by, confidence=confidence, is_open=False)
        calls[program.paths[edge.file]].append(row)
    for file, row in _open_calls(program, analysis=analysis, unknown_bases=unknown_bases):
        calls[program.paths[file]].append(row)
    return LinkedGraph(
        calls=calls,
        bases=_bases(program),
        imports=_imports(program),
        handed_on=find_handed_on(analysis, unknown_bases=unknown_bases),
        is_cut=analysis.is_cut,
    )


def _solve(program: Program, *, on_progress: Callable[[], None]) -> PointsTo:
    """Analyse a program, and again if that finds bases that no name tells."""
    analysis = PointsTo(program)
    analysis.solve(on_progress)
    if found := find_computed_bases(analysis):
        program.add_bases(found)
        analysis = PointsTo(program)
        analysis.solve()
    return analysis


def _can_run(edge: Edge, *, analysis: PointsTo) -> bool:
    """Return whether an instance created in the workspace has the method. True if none of the hierarchy is created."""
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


def _open_calls(
    program: Program, *, analysis: PointsTo, unknown_bases: Mapping[int, int]
) -> Iterator[tuple[int, LinkedCall]]:
    """
    Return the calls that were not fully resolved.

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
            is_open = (
                _is_open(call, offset=offset, analysis=analysis)
                or _is_inherited(call, offset=offset, analysis=analysis, unknown_bases=unknown_bases)
                or (not is_resolved and _is_of_another_arity(call, offset=offset, analysis=analysis))
                or (not is_resolved and call.name in named and _is_missing(call, offset=offset, analysis=analysis))
            )
            if call.callee < 0 or not is_open:
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


def _is_open(call: CallFact, *, offset: int, analysis: PointsTo) -> bool:
    """Return whether a call may reach something that was not found."""
    values = analysis.values_of(offset + call.callee)
    if call.base < 0:
        return all(str(value.first).startswith(RECEIVER) for value in values) or any(
            value.kind is Kind.OUTSIDE for value in values
        )
    held = analysis.values_of(offset + call.base)
    if not held:
        return not values
    return any(value.kind is Kind.OUTSIDE for value in held)


def _is_inherited(
    call: CallFact, *, offset: int, analysis: PointsTo, unknown_bases: Mapping[int, int]
) -> bool:  # fmt: skip
    """Return whether a call may be of a method that an unknown base defines or `__getattr__` returns."""
    if call.base < 0:
        return False
    return any(
        value.kind in (Kind.INSTANCE, Kind.DECLARED, Kind.CLASS, Kind.SUPER)
        and (
            int(value.first) in unknown_bases or _is_defined("__getattr__", number=int(value.first), analysis=analysis)
        )
        and not _is_defined(call.name, number=int(value.first), analysis=analysis)
        for value in analysis.values_of(offset + call.base)
    )


def _is_of_another_arity(call: CallFact, *, offset: int, analysis: PointsTo) -> bool:
    """Return whether a function found takes another number of arguments: an overload that a base has is called."""
    values = analysis.values_of(offset + call.callee) if call.callee >= 0 and not call.is_spread else set()
    functions = (value for value in values if value.kind in (Kind.FUNCTION, Kind.BOUND))
    arities = (analysis.program.functions[int(value.first)][1].arity for value in functions)
    return any(not least <= len(call.arguments) <= most for least, most in arities)


def _is_missing(call: CallFact, *, offset: int, analysis: PointsTo) -> bool:
    """
    Return whether nothing that the receiver may hold has what is called, as far as that is known.

    Then the receiver holds something else, which was not found. Names that collections have are left out.
    """
    if call.base < 0 or call.name in COMMON_NAMES | _CONTAINER_NAMES:
        return False
    held = analysis.values_of(offset + call.base)
    values = analysis.values_of(offset + call.callee)
    return bool(held) and all(value.kind is Kind.CONTAINER_METHOD for value in values)


def _is_defined(name: str, *, number: int, analysis: PointsTo) -> bool:
    classes = analysis.program.classes
    return any(name in classes[one].fact.members for one in classes[number].order)


def _computed_names(analysis: PointsTo) -> Iterator[tuple[int, LinkedCall]]:
    """Return the places that read an attribute by a computed name, with its candidates if the class is known."""
    program = analysis.program
    uses = find_uses(analysis) if analysis.open_reads else set()
    for read in analysis.open_reads:
        if is_only_tested(read, analysis=analysis):
            continue
        held, line = analysis.values_of(read.base), read.place >> PLACE_BITS
        name = f"{read.prefix}{ANY_NAME}"
        call = CallFact(-1, [], {}, -1, line, read.place & PLACE_MASK, read.caller, name, "getattr")
        members = [] if read.prefix or is_any(held) else members_of(held, program=program)
        if is_any(held) or len(members) > MAX_MEMBERS:
            reached = analysis.find_reached(read.to)
            if read.prefix or reached is None or not reached.isdisjoint(uses):
                yield read.file, _row(call, target=None, found_by="syntax", confidence=0.0, is_open=True)
            continue
        for target in members:
            row = _row(call, target=target, found_by="syntax", confidence=CANDIDATE_CONFIDENCE, is_open=True)
            yield read.file, row


def _methods_by_name(program: Program) -> dict[str, list[SymbolKey]]:
    found: dict[str, list[SymbolKey]] = {}
    for file, facts in enumerate(program.files):
        for index, symbol in enumerate(facts.symbols):
            if symbol.kind == "method":
                found.setdefault(symbol.name, []).append((file, index))
    return found


def _are_few(methods: Sequence[SymbolKey], *, program: Program) -> bool:
    """Return whether methods of one name are few enough to be candidates. Those of one hierarchy count as one."""
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


_CONTAINER_NAMES = (
    READERS
    | WRITERS
    | SAME_CONTAINER
    | ITERATING
    | frozenset(name for one in (list, dict, set, str) for name in dir(one))
)
COMMON_NAMES = split_words(
    """
    get set add put pop append extend insert remove clear copy update keys values items join split strip format
    read write close open send run start stop next index count sort reverse replace find encode decode lower
    upper match search exists list push shift map filter reduce slice concat then catch call apply bind toString
    equals hashCode size length forEach accept test then finally
    """
)
