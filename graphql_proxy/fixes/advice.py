"""Explanations of errors by the stored schema, and the corrected request."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from graphql import (
    ASTValidationRule,
    FieldsOnCorrectTypeRule,
    GraphQLSchema,
    OverlappingFieldsCanBeMergedRule,
    ScalarLeafsRule,
    specified_rules,
    validate,
)

from graphql_proxy.contracts import ErrorLocation, GraphqlError
from graphql_proxy.fixes.demands import describe_deprecated, find_demands
from graphql_proxy.fixes.drafts import Draft
from graphql_proxy.fixes.matching import find_fields, find_names, match_errors
from graphql_proxy.fixes.repair import Explanation, Repair, parse_draft, repair
from graphql_proxy.fixes.syntax_fixes import MAX_TEXT, describe_syntax_error, fix_syntax
from graphql_proxy.fixes.violations import VARIABLE_RULE, Violation, find_violations, name_place
from graphql_proxy.schema.store import KnownSchema

MAX_HINTS = 10
MAX_FIELDS_COMPARED = 300
"""Above this, the quadratic rule that compares fields with each other is left out."""
LINEAR_RULES: tuple[type[ASTValidationRule], ...] = tuple(
    rule for rule in specified_rules if rule is not OverlappingFieldsCanBeMergedRule
)
QUICK_RULES: tuple[type[ASTValidationRule], ...] = (FieldsOnCorrectTypeRule, ScalarLeafsRule)


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """
    Help for the errors of one request.

    `details` has one entry for each error, None where the schema explains nothing. `retry_with` are the arguments to
    change so that the schema takes the request; None where there is no single way.
    """

    hints: list[str] = field(default_factory=list)
    details: list[dict[str, Any] | None] = field(default_factory=list)
    retry_with: dict[str, Any] | None = None

    @classmethod
    def none(cls, errors: Sequence[GraphqlError]) -> "Advice":
        """Return advice that explains no error."""
        return cls(details=[None] * len(errors))


def advise(
    errors: Sequence[GraphqlError],
    *,
    draft: Draft,
    known: KnownSchema | None,
    learned: Collection[str] = (),
    is_upstream: bool = True,
) -> Advice:
    """
    Explain errors by the stored schema. With `is_upstream`, match the upstream's messages with the findings.

    Its words never become part of a fix, except names that the schema has.
    """
    document = parse_draft(draft.query)
    if document is None:
        return _advise_on_syntax(errors, draft=draft, known=known)
    if known is None:
        return Advice.none(errors)
    mentioned = frozenset[str]().union(*(find_names(error) for error in errors)) if is_upstream else frozenset[str]()
    repaired = repair(
        draft,
        document=document,
        schema=known.schema,
        known_words=known.index.postings,
        mentioned=mentioned,
        rules=choose_rules(len(draft.query.split())),
        extra=lambda case: find_demands(case, errors=errors, learned=learned) if is_upstream else (),
    )
    matched = match_errors(errors, explanations=repaired.explanations, case=repaired.case)
    is_fixed = repaired.draft is not None
    hints = [one.hint for one in repaired.explanations if one.hint and (one.chosen or not is_fixed)]
    if is_upstream and _is_elsewhere(errors, matched, repaired=repaired):
        stale = f"The stored schema (version {known.version}) takes what the upstream refuses: it may be older."
        return Advice(hints=[stale, *hints][:MAX_HINTS], details=[None] * len(errors))
    retry = repaired.draft.as_arguments(given=draft) if repaired.draft else None
    hints += repaired.later_hints
    return Advice(
        hints=list(dict.fromkeys(hints))[:MAX_HINTS],
        details=[_describe(one) if one else None for one in matched],
        retry_with=retry or None,
    )


def judge(
    draft: Draft,
    *,
    known: KnownSchema,
    has_variables: bool = True,
    rules: Sequence[type[ASTValidationRule]] = specified_rules,
) -> tuple[list[GraphqlError], Advice]:
    """Validate a request against the stored schema. Returns the errors, and advice on them."""
    document = parse_draft(draft.query)
    if document is None:
        return [], Advice()
    repaired = repair(
        draft,
        document=document,
        schema=known.schema,
        known_words=known.index.postings,
        rules=rules,
        hides_suggestions=False,
    )
    kept = [one for one in repaired.explanations if has_variables or one.violation.rule != VARIABLE_RULE]
    retry = repaired.draft.as_arguments(given=draft) if repaired.draft else None
    hints = [one.hint for one in kept if one.hint and (one.chosen or repaired.draft is None)]
    hints += repaired.later_hints if repaired.draft else []
    hints += describe_deprecated(repaired.case)
    return [_as_error(one.violation) for one in kept], Advice(
        hints=list(dict.fromkeys(hints))[:MAX_HINTS],
        details=[_describe(one) for one in kept],
        retry_with=retry if kept else None,
    )


def _as_error(violation: Violation) -> GraphqlError:
    places = [name_place(violation, at=number) for number in range(len(violation.nodes))]
    found = [ErrorLocation(line=place[0], column=place[1]) for place in places if place]
    return GraphqlError(message=violation.message, locations=found or None)


def choose_rules(size: int) -> Sequence[type[ASTValidationRule]]:
    """Leave out the validation rule that is quadratic in the number of fields if there are many fields."""
    return specified_rules if size <= MAX_FIELDS_COMPARED else LINEAR_RULES


def _is_elsewhere(errors: Sequence[GraphqlError], matched: Sequence[Explanation | None], *, repaired: Repair) -> bool:
    """Return whether the errors concern other fields than those that the stored schema objects to."""
    if any(matched):
        return False
    return bool(repaired.explanations) and any(find_fields(error, case=repaired.case) for error in errors)


def _advise_on_syntax(errors: Sequence[GraphqlError], *, draft: Draft, known: KnownSchema | None) -> Advice:
    """Return the only document that parses and validates, or the only one whose mistakes have a single fix."""
    rewritten = fix_syntax(draft.query)
    empty = Advice.none(errors)
    where = describe_syntax_error(draft.query) if len(draft.query) <= MAX_TEXT else None
    if rewritten is None:
        return Advice(hints=[where] if where else [], details=empty.details)
    if known is None or not rewritten.texts:
        stops = [where] if where and not rewritten.texts else []
        return Advice(hints=[*stops, *rewritten.reasons], details=empty.details)
    drafts = [replace(draft, query=text) for text in rewritten.texts]
    taken = [one for one in drafts if _is_taken(one, schema=known.schema)] if len(drafts) > 1 else drafts
    if len(taken) != 1:
        several = f"It may be closed at {len(taken or drafts)} places with different meanings: choose one."
        return Advice(hints=[*rewritten.reasons, several], details=empty.details)
    document = parse_draft(taken[0].query)
    if document is None:
        return Advice(hints=rewritten.reasons, details=empty.details)
    chosen = repair(taken[0], document=document, schema=known.schema, known_words=known.index.postings)
    whole = chosen.draft if chosen.case.violations else taken[0]
    hints = rewritten.reasons + [one.hint for one in chosen.explanations if one.hint]
    retry = whole.as_arguments(given=draft) if whole else None
    return Advice(hints=hints[:MAX_HINTS], details=empty.details, retry_with=retry)


def _is_taken(draft: Draft, *, schema: GraphQLSchema) -> bool:
    """Return whether the schema accepts a request. Fields are checked first, since most requests fail there."""
    document = parse_draft(draft.query)
    if document is None or validate(schema, document, QUICK_RULES, max_errors=1, hide_suggestions=True):
        return False
    return not find_violations(document, draft=draft, schema=schema).violations


def _describe(explanation: Explanation) -> dict[str, Any]:
    """Describe a violation for programs: rule, place, coordinate, nearest valid names with their types."""
    finding, place = explanation.finding, name_place(explanation.violation)
    told: dict[str, Any] = {"rule": explanation.violation.rule}
    if place:
        told |= {"line": place[0], "column": place[1]}
    if finding.coordinate:
        told["coordinate"] = finding.coordinate
    if finding.nearest:
        told["nearest"] = [{"name": near.name, "type": near.type} for near in finding.nearest]
    if explanation.hint:
        told["hint"] = explanation.hint
    return told
