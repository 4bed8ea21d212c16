"""
Attributes that are read from something unknown, and what they may be.

A method that is called there by its own name is known to be open for that name. The rest is found here: functions and
classes that an attribute of another name holds, methods that are read and called later, and functions of modules that
unknown code has.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from devassist.code_graph.facts import PLACE_BITS, Op
from devassist.code_graph.points_to import PointsTo
from devassist.code_graph.program import Program
from devassist.code_graph.values import NOT_PASSED_ON, OR_BELOW, Kind, Value

_IMPORTERS = ("importlib.import_module", "__import__")


def find_read_from_unknown(analysis: PointsTo, *, given: Iterable[Value]) -> Iterator[tuple[Value, str]]:
    """Return what may be read from something unknown, each with the place. `given` is what unknown code has."""
    program = analysis.program
    by_name = _find_stored(analysis)
    modules = _find_known_modules(analysis, given=given)
    called, passed = _name_called(analysis), _find_passed(analysis)
    for file, facts in enumerate(program.files):
        offset = program.offsets[file]
        for operation, *parts in facts.constraints:
            if operation != Op.LOAD:
                continue
            base, name, to, place, _ = parts
            exported = {value for other in modules for value in find_exported(other, name=name, analysis=analysis)}
            stored = by_name.get(name, _NOTHING)
            if not (stored or exported) or not is_any(analysis.values_of(offset + base)):
                continue
            reached = analysis.find_reached(offset + to)
            names = {one for variable in reached or () for one in called.get(variable, ())}
            is_moved = reached is None or not reached.isdisjoint(passed) or bool(names - {name})
            if not is_moved and not names:
                continue
            at = f"{program.paths[file]}:{place >> PLACE_BITS}"
            for value in {*stored, *exported}:
                if is_moved or not _is_method(value, name=name, analysis=analysis):
                    yield value, at


def is_any(held: set[Value]) -> bool:
    """Return whether a value may be of any class."""
    return not held or any(value.kind in (Kind.OUTSIDE, Kind.LIBRARY_TYPE) for value in held)


def find_called(analysis: PointsTo) -> set[int]:
    """Return the variables that are called."""
    program = analysis.program
    return {program.offsets[file] + call.callee for file, facts in enumerate(program.files) for call in facts.calls}


def _name_called(analysis: PointsTo) -> dict[int, set[str]]:
    """Return the variables that are called, with the names that stand there."""
    program = analysis.program
    found: dict[int, set[str]] = defaultdict(set)
    for file, facts in enumerate(program.files):
        for call in facts.calls:
            found[program.offsets[file] + call.callee].add(call.name)
    return found


def find_uses(analysis: PointsTo) -> set[int]:
    """Return the variables that are called, or passed to code from outside, which may call what they hold."""
    return find_called(analysis) | _find_passed(analysis)


def is_made_outside(value: Value, *, program: Program) -> bool:
    """Return whether a class leaves the arguments of its constructor to a base from outside."""
    below = program.classes[int(value.first)].below if value.second in OR_BELOW else ()
    return any(
        program.find_outer_bases(number) and not program.find_constructors(number)
        for number in (int(value.first), *below)
    )


def _find_passed(analysis: PointsTo) -> set[int]:
    """Return the variables that are passed to code from outside."""
    program = analysis.program
    found: set[int] = set()
    for file, facts in enumerate(program.files):
        offset = program.offsets[file]
        for call in facts.calls:
            given = [one for one in (*call.arguments, *call.named.values()) if one >= 0]
            if given and call.callee >= 0 and _may_call(offset + call.callee, analysis=analysis):
                found.update(offset + one for one in given)
    return found


def _may_call(callee: int, *, analysis: PointsTo) -> bool:
    """Return whether what is called may be code from outside that calls what it is passed."""
    values = analysis.all_values_of(callee)
    names = [str(value.first) for value in values if value.kind is Kind.LIBRARY]
    return (
        is_any(values)
        or any(name.rpartition(".")[2] not in NOT_PASSED_ON and not name.startswith("<literal>") for name in names)
        or any(value.kind is Kind.CLASS and is_made_outside(value, program=analysis.program) for value in values)
    )


def _find_stored(analysis: PointsTo) -> dict[str, set[Value]]:
    """Return the functions and classes that attributes of classes and of instances hold, by the attribute's name."""
    program = analysis.program
    found: dict[str, set[Value]] = defaultdict(set)
    for info in program.classes:
        for name, variable in info.fact.members.items():
            found[name] |= _pick_callable(analysis.values_of(program.offsets[info.file] + variable))
    for name, values in analysis.find_field_values():
        found[name] |= _pick_callable(values)
    return found


def _pick_callable(values: Iterable[Value]) -> set[Value]:
    return {value for value in values if value.kind in (Kind.FUNCTION, Kind.BOUND, Kind.CLASS)}


def _find_known_modules(analysis: PointsTo, *, given: Iterable[Value]) -> set[int]:
    """Return the files that unknown code has as modules: all, where one is imported by a computed name."""
    program = analysis.program
    for file, facts in enumerate(program.files):
        for call in facts.calls:
            names = (value.first for value in analysis.values_of(program.offsets[file] + call.callee))
            if call.constant is None and call.callee >= 0 and any(name in _IMPORTERS for name in names):
                return set(range(len(program.files)))
    return {int(value.first) for value in given if value.kind is Kind.MODULE}


def find_exported(file: int, *, name: str, analysis: PointsTo) -> set[Value]:
    """Return the functions and classes that a file's top level holds under a name."""
    variable = analysis.program.files[file].exports.get(name)
    if variable is None:
        return set()
    return _pick_callable(analysis.values_of(analysis.program.offsets[file] + variable))


def _is_method(value: Value, *, name: str, analysis: PointsTo) -> bool:
    """Return whether a function is a method of a name."""
    if value.kind is Kind.CLASS:
        return False
    file, fact = analysis.program.functions[int(value.first)]
    if fact.symbol < 0:
        return True
    symbol = analysis.program.symbol((file, fact.symbol))
    return symbol.name == name and symbol.kind in ("method", "property")


_NOTHING: set[Value] = set()
