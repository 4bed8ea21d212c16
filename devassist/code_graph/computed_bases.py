"""Classes whose bases are known only at run time: a parameter, an attribute, the result of a call."""

from collections.abc import Iterator

from devassist.code_graph.facts import CallFact
from devassist.code_graph.points_to import PointsTo
from devassist.code_graph.values import Kind

_OUTER = (Kind.LIBRARY, Kind.LIBRARY_TYPE)


def find_computed_bases(analysis: PointsTo) -> list[tuple[int, int]]:
    """Return classes with their possible base classes, beyond those found by name."""
    return [
        (number, base)
        for number, variable in _base_variables(analysis)
        for base in sorted(int(value.first) for value in analysis.values_of(variable) if value.kind is Kind.CLASS)
        if base not in analysis.program.classes[number].ancestors
        and number not in analysis.program.classes[base].ancestors
    ]


def find_unknown_bases(analysis: PointsTo) -> dict[int, int]:
    """Return classes that may inherit from an unknown class, each with the class that names that base."""
    program = analysis.program
    found: dict[int, int] = {}
    for number, variable in _base_variables(analysis):
        if _is_unknown(variable, number=number, analysis=analysis):
            for one in (number, *program.classes[number].below):
                found.setdefault(one, number)
    return found


def _base_variables(analysis: PointsTo) -> Iterator[tuple[int, int]]:
    """Return each class with the variables of its bases. -1 for an expression that is not analysed."""
    program = analysis.program
    for number, info in enumerate(program.classes):
        for variable in info.fact.base_values:
            yield number, program.offsets[info.file] + variable if variable >= 0 else -1


def _is_unknown(variable: int, *, number: int, analysis: PointsTo) -> bool:
    """Return whether a base may be a class of the workspace that was not found."""
    values = analysis.values_of(variable) if variable >= 0 else set()
    kinds = {value.kind for value in values}
    if not kinds:
        return True
    if Kind.OUTSIDE not in kinds:
        return False
    call = _find_call(variable, number=number, analysis=analysis)
    return call is None or not _is_outer(call, number=number, analysis=analysis)


def _find_call(variable: int, *, number: int, analysis: PointsTo) -> CallFact | None:
    """Return the call whose result a base is."""
    program, file = analysis.program, analysis.program.classes[number].file
    return next((call for call in program.files[file].calls if program.offsets[file] + call.result == variable), None)


def _is_outer(call: CallFact, *, number: int, analysis: PointsTo) -> bool:
    """Return whether only code from outside is called, which returns a class of its own or an argument."""
    program = analysis.program
    values = analysis.values_of(program.offsets[program.classes[number].file] + call.callee) if call.callee >= 0 else ()
    return bool(values) and all(value.kind in _OUTER for value in values)
