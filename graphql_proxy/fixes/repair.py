"""The repair loop: validate, collect candidate changes by rule, apply them all, validate again."""

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass
from typing import Protocol

from graphql import (
    ASTValidationRule,
    DocumentNode,
    GraphQLError,
    GraphQLSchema,
    parse,
    specified_rules,
)

from graphql_proxy.fixes import document_fixes, field_fixes, input_fixes, variable_fixes
from graphql_proxy.fixes.cases import Candidate, Case, Diagnosis
from graphql_proxy.fixes.drafts import Draft, apply_changes
from graphql_proxy.fixes.violations import OPERATION_RULE, VARIABLE_RULE, Violation, find_violations

MAX_ROUNDS = 5
"""The maximum validation rounds. One fix reveals further violations, such as those below an unknown field."""
MAX_TOKENS = 6_000


class Handler(Protocol):
    """A function that finds the fixes of a rule."""

    def __call__(self, violation: Violation, /, *, case: Case) -> Diagnosis:
        """Return the diagnosis of a violation."""
        ...


HANDLERS: dict[str, Handler] = {
    "FieldsOnCorrectType": field_fixes.fix_unknown_field,
    "ScalarLeafs": field_fixes.fix_leaf_or_object,
    "OverlappingFieldsCanBeMerged": field_fixes.fix_conflict,
    "PossibleFragmentSpreads": field_fixes.fix_impossible_fragment,
    "KnownArgumentNames": input_fixes.fix_unknown_argument,
    "ProvidedRequiredArguments": input_fixes.fix_missing_argument,
    "ValuesOfCorrectType": input_fixes.fix_value,
    VARIABLE_RULE: variable_fixes.fix_variable_value,
    "NoUndefinedVariables": document_fixes.fix_undefined_variable,
    "NoUnusedVariables": document_fixes.fix_unused_variable,
    "VariablesInAllowedPosition": document_fixes.fix_variable_position,
    "VariablesAreInputTypes": document_fixes.fix_unknown_type,
    "KnownTypeNames": document_fixes.fix_unknown_type,
    "FragmentsOnCompositeTypes": document_fixes.fix_unknown_type,
    "KnownFragmentNames": document_fixes.fix_unknown_fragment,
    "NoUnusedFragments": document_fixes.fix_unused_fragment,
    "KnownDirectives": document_fixes.fix_unknown_directive,
    "UniqueArgumentNames": document_fixes.fix_repeated,
    "UniqueInputFieldNames": document_fixes.fix_repeated,
    "UniqueVariableNames": document_fixes.fix_repeated,
    "UniqueDirectivesPerLocation": document_fixes.fix_repeated,
    "UniqueFragmentNames": document_fixes.fix_repeated,
    OPERATION_RULE: document_fixes.fix_operation,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A violation with its diagnosis, and the only change that fixes it, if there is one."""

    violation: Violation
    finding: Diagnosis
    chosen: Candidate | None

    @property
    def hint(self) -> str:
        """The sentence that explains the violation."""
        return self.chosen.says if self.chosen else self.finding.hint


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """The violations of the original request, and the corrected request. None unless there is exactly one."""

    case: Case
    explanations: list[Explanation]
    draft: Draft | None
    later_hints: list[str]


Extra = Callable[[Case], Iterable[Explanation]]
"""Returns further violations of a request besides those of the schema."""


def repair(
    draft: Draft,
    *,
    document: DocumentNode,
    schema: GraphQLSchema,
    known_words: Container[str] = (),
    mentioned: frozenset[str] = frozenset(),
    rules: Iterable[type[ASTValidationRule]] = specified_rules,
    extra: Extra = lambda _: (),
    hides_suggestions: bool = True,
) -> Repair:
    """
    Validate a request and fix what has exactly one fix, until the schema accepts it.

    The validator's suggestions take time on large schemas. `extra` is asked once, where the schema has nothing against
    the request.
    """

    def judge(judged: Draft, parsed: DocumentNode) -> Case:
        hides = hides_suggestions or judged is not draft
        found = find_violations(parsed, draft=judged, schema=schema, rules=rules, hides_suggestions=hides)
        return Case(
            draft=judged,
            document=parsed,
            schema=schema,
            violations=found.violations,
            operation=found.operation,
            known_words=known_words,
            mentioned=mentioned,
        )

    first = judge(draft, document)
    explanations = _explain_all(first) or list(extra(first))
    current, explained, later = first, explanations, list[str]()
    for _ in range(MAX_ROUNDS):
        changed = _apply(current, explained)
        if changed is None:
            break
        reparsed = parse_draft(changed.query)
        if reparsed is None:
            break
        current = judge(changed, reparsed)
        if not current.violations:
            return Repair(case=first, explanations=explanations, draft=changed, later_hints=later)
        explained = _explain_all(current)
        later += [one.chosen.says for one in explained if one.chosen]
    return Repair(case=first, explanations=explanations, draft=None, later_hints=later)


def _explain_all(case: Case) -> list[Explanation]:
    found = []
    for violation in case.violations:
        handler = HANDLERS.get(violation.rule)
        finding = handler(violation, case=case) if handler else Diagnosis(hint=violation.message)
        found.append(Explanation(violation=violation, finding=finding, chosen=_choose(violation, finding, case=case)))
    return found


def _choose(violation: Violation, finding: Diagnosis, *, case: Case) -> Candidate | None:
    """Return the only candidate that removes this violation and adds no other."""
    if len(finding.candidates) < 2:  # noqa: PLR2004 - what is alone is tried with all others
        return finding.candidates[0] if finding.candidates else None
    before = {one.key for one in case.violations}
    surviving = []
    for candidate in finding.candidates:
        changed = apply_changes(case.draft, changes=[candidate.change])
        document = parse_draft(changed.query) if changed else None
        if changed is None or document is None:
            continue
        after = {one.key for one in find_violations(document, draft=changed, schema=case.schema).violations}
        if violation.key not in after and after <= before:
            surviving.append(candidate)
    return surviving[0] if len(surviving) == 1 else None


def _apply(case: Case, explained: list[Explanation]) -> Draft | None:
    """Apply every chosen change. Returns None if nothing changes. One change may fix several violations."""
    changes = [one.chosen.change for one in explained if one.chosen]
    changed = apply_changes(case.draft, changes=changes)
    return None if changed == case.draft else changed


def parse_draft(text: str) -> DocumentNode | None:
    """Parse a document. Returns None if it does not parse or is too large to fix."""
    try:
        return parse(text, max_tokens=MAX_TOKENS)
    except (GraphQLError, RecursionError):
        return None
