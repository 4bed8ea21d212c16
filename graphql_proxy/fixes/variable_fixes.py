"""Fixes for the values of variables."""

import json
from collections.abc import Mapping
from typing import Any

from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    get_nullable_type,
    is_list_type,
    is_required_input_field,
)

from graphql_proxy.fixes.cases import Candidate, Case, Diagnosis
from graphql_proxy.fixes.drafts import Change, write_numbers
from graphql_proxy.fixes.input_fixes import (
    describe_members,
    is_another_member,
    list_nearest,
    rank_members,
)
from graphql_proxy.fixes.names import MISSPELT, pick_sure, rank_names
from graphql_proxy.fixes.value_texts import (
    NUMBER,
    advise_object,
    advise_values,
    find_enum_value,
    list_declared,
    list_enum_values,
)
from graphql_proxy.fixes.violations import Violation, fits
from toolbox.contract.encoding import encode, read_fraction, read_whole


def fix_variable_value(violation: Violation, *, case: Case) -> Diagnosis:
    """Convert a variable's value to the form that its type expects."""
    path, wanted, value = violation.path, violation.wanted, violation.value
    if not path or wanted is None:
        return Diagnosis(hint=f"The variables do not fit: {violation.message[:200]}")
    where = f"${'.'.join(map(str, path))}"
    bare = get_nullable_type(wanted)
    if isinstance(bare, GraphQLInputObjectType) and violation.is_unknown_key:
        return _fix_input_key(violation, kind=bare, case=case)
    if value is None:
        return _fix_missing_variable(violation, where=where, case=case)
    converted = convert_value(value, wanted=bare, case=case)
    nearest = list_enum_values(str(value)[:100], kind=bare) if isinstance(bare, GraphQLEnumType) else ()
    advice = advise_values([one.name for one in nearest])
    if isinstance(bare, GraphQLInputObjectType):
        advice = advise_object(list_fields_that_take(value, kind=bare), kind=bare)
    says = f"{where} must be of type {wanted}"
    return Diagnosis(
        coordinate=where,
        hint=f"{says}{f': {advice}' if advice else ''}.",
        nearest=nearest,
        candidates=tuple(
            Candidate(
                change=Change(variables=((path, one),)), says=f"{says}: send {encode(write_numbers(one)).decode()}."
            )
            for one in converted
        ),
    )


def convert_value(value: Any, *, wanted: Any, case: Case) -> list[Any]:
    """Convert a value to a type, if the result certainly means the same."""
    if isinstance(value, list) and len(value) == 1 and not is_list_type(wanted):
        return [value[0]] if fits(value[0], wanted=wanted) else []
    if isinstance(wanted, GraphQLEnumType) and isinstance(value, str):
        chosen = find_enum_value(value, kind=wanted, case=case)
        return [chosen] if chosen else []
    found: list[Any] = []
    if isinstance(value, str):
        text = value.strip()
        if NUMBER.fullmatch(text):
            found += _from_json(text)
        if text.lower() in ("true", "false"):
            found.append(text.lower() == "true")
        if text[:1] in "[{":
            found += _from_json(text)
    elif isinstance(value, float) and value.is_integer():
        found.append(int(value))
    if isinstance(value, int | float) and not isinstance(value, bool):
        found.append(str(value))
    return [one for one in found if fits(one, wanted=wanted)][:1]


def list_fields_that_take(value: Any, *, kind: GraphQLInputObjectType) -> list[str]:
    """Return the fields of an input object that accept a value unchanged, or all if none does."""
    return [name for name, known in kind.fields.items() if fits(value, wanted=known.type)] or list(kind.fields)


def _from_json(text: str) -> list[Any]:
    try:
        return [json.loads(text, parse_float=read_fraction, parse_int=read_whole)]
    except (ValueError, RecursionError):
        return []


def _fix_input_key(violation: Violation, *, kind: GraphQLInputObjectType, case: Case) -> Diagnosis:
    wanted = str(violation.path[-1])
    beside: Any = case.draft.variables
    for step in violation.path[:-1]:
        beside = beside[step]
    given = set(beside) if isinstance(beside, Mapping) else set()
    ranked = [near for near in rank_members(wanted, members=kind.fields, case=case) if near.name not in given]
    missing = [name for name, known in kind.fields.items() if is_required_input_field(known) and name not in given]
    unknown = [name for name in given if name not in kind.fields]
    chosen = pick_sure(ranked)
    if (
        chosen is None
        and len(missing) == len(unknown) == 1
        and fits(violation.value, wanted=kind.fields[missing[0]].type)
        and not is_another_member(wanted, meant=missing[0], members=kind.fields, case=case)
    ):
        chosen = missing[0]
    candidates = (
        (
            Candidate(
                change=Change(renamed_keys=((violation.path, chosen),)),
                says=f"`{wanted}` is called `{chosen}` in {kind.name}.",
            ),
        )
        if chosen
        else ()
    )
    return Diagnosis(
        coordinate=f"{kind.name}.{wanted}",
        hint=describe_members(kind.name, wanted=wanted, ranked=ranked, members=kind.fields),
        nearest=list_nearest(ranked, members=kind.fields),
        candidates=candidates,
    )


def _fix_missing_variable(violation: Violation, *, where: str, case: Case) -> Diagnosis:
    """Find the value under another name among the undeclared variables."""
    hint = f"Send {where} in variables: it is of type {violation.wanted} and has no value."
    if len(violation.path) > 1:
        return Diagnosis(coordinate=where, hint=hint)
    name, declared = str(violation.path[0]), list_declared(case)
    if name in case.draft.variables:
        return Diagnosis(coordinate=where, hint=hint)
    spare = [one for one in case.draft.variables if one not in declared]
    fitting = [one for one in spare if violation.wanted and fits(case.draft.variables[one], wanted=violation.wanted)]
    near = [one for one in fitting if one.lstrip("$") == name] or [
        found.name for found in rank_names(name, names=fitting, known_words=case.known_words) if found.score >= MISSPELT
    ]
    if len(near) != 1:
        return Diagnosis(coordinate=where, hint=hint)
    change = Change(renamed_keys=(((near[0],), name),))
    says = f"The variable ${name} was sent as `{near[0]}`: names in variables are the document's, without the $."
    return Diagnosis(coordinate=where, hint=hint, candidates=(Candidate(change=change, says=says),))
