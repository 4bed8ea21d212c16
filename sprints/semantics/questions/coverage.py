"""Coverage of a question by a model's query: unused parts of the question, and added conditions."""

from collections.abc import Iterator
from typing import Any

import regex

from sprints.linking.periods import EARLIEST, Period
from sprints.semantics.query import MetricQuery
from sprints.semantics.questions.grammar import Parse
from sprints.semantics.questions.phrase import Phrase, is_sprints

_NEGATIONS = frozenset({"not", "except", "without"})
_NEGATED = frozenset({"ne", "not_in", "is_null", "not"})
_NEGATED_SQL = regex.compile(r"\bNOT\b|<>|!=|\bIS NULL\b|\bEXCEPT\b", regex.IGNORECASE)
_SAME = {
    "done": {"done", "completed", "open", "resolved"}, "completed": {"done", "completed"},
    "open": {"open", "done", "left_in_sprint"}, "member_now": {"sprint", "sprint_issues"},
    "ever_blocked": {"ever_blocked", "blocked"},
    "unassigned": {"unassigned", "assignee"}, "unestimated": {"unestimated", "story_points"},
}  # fmt: skip
_SAID_IDS = frozenset({"measure", "dimension", "predicate", "time"})
UNKNOWN = "I do not know the word '{word}'; look at what the model took it for."
BY_MODEL = "The SQL was written by the model, not derived from the definitions of the layer."


def find_doubts(parse: Parse, *, query: MetricQuery) -> list[str]:
    """Return what the question says and the query does not use, and values of the query that nobody said."""
    content = query.model_dump(mode="json", exclude_defaults=False)
    found = set(_strings(content))
    doubts = [UNKNOWN.format(word=word) for word in parse.unbound]
    unused = (one for one in parse.phrases if not _uses(one, found=found, query=query, content=content))
    doubts += [f"'{phrase.said}' is not used." for phrase in unused]
    said = {value for phrase in parse.phrases for value in _values(phrase)}
    text = parse.linked.text.casefold()
    nodes = list(_nodes(content))
    compared = [value for node in nodes if node.get("kind") == "comparison" for value in node["values"]]
    texts = [str(one["key"]) if isinstance(one, dict) else one for one in compared if isinstance(one, dict | str)]
    added = [one for one in texts if one not in said and one.casefold() not in text]
    known = {sense.name for phrase in parse.phrases for sense in phrase.senses}
    predicates = {str(node["predicate"]) for node in nodes if node.get("kind") == "named"}
    added += [one for one in sorted(predicates) if not known & _SAME.get(one, {one})]
    doubts += [f"'{one}' was added; the question does not say it." for one in added]
    if any(node.get("kind") == "time" and "grain" not in node for node in nodes) and not any(
        phrase.period for phrase in parse.phrases
    ):
        doubts.append("A time was added; the question does not say one.")
    return list(dict.fromkeys(doubts))


def find_doubts_about_sql(parse: Parse, *, sql: str) -> list[str]:
    """Return what the question says and the statement does not contain. SQL of a model is never certain."""
    lowered = sql.casefold()
    doubts = [BY_MODEL]
    for phrase in parse.phrases:
        values = _values(phrase)
        is_used = not values or any(value.casefold() in lowered for value in values)
        if phrase.period is not None:
            is_used = phrase.period.span.start.isoformat() in sql or phrase.period.span.end.isoformat() in sql
        if phrase.number is not None and phrase.kind != "top":
            is_used = is_used and f"{phrase.number:g}" in sql
        if phrase.is_negated or phrase.marks & _NEGATIONS:
            is_used = is_used and bool(_NEGATED_SQL.search(sql))
        if not is_used:
            doubts.append(f"'{phrase.said}' is not used.")
    return list(dict.fromkeys(doubts))


def _uses(phrase: Phrase, *, found: set[str], query: MetricQuery, content: dict[str, Any]) -> bool:
    values = _values(phrase)
    is_used = _answers_marks(phrase, query=query)
    if is_sprints(phrase) and phrase.edge:
        is_used = "sprint_number" in found
    elif values or is_sprints(phrase):
        is_used = set(values) <= found
    elif phrase.period is not None:
        is_used = _bounds(phrase.period) <= {one[:10] for one in found}
    elif phrase.kind in ("bound", "number", "days"):
        is_used = _compares(phrase, found=found, content=content)
    elif phrase.kind == "rank":
        is_used = _is_ranked(phrase, query=query)
    elif phrase.kind in ("term", "group", "missing"):
        is_used = _uses_term(phrase, found=found)
        if phrase.kind == "group":
            is_used = is_used and _is_grouped(phrase, query=query)
    if phrase.is_negated or phrase.kind == "missing" or (phrase.kind == "mark" and phrase.marks & _NEGATIONS):
        is_used = is_used and (bool(found & _NEGATED) or "unassigned" in found or "unestimated" in found)
    return is_used


def _bounds(period: Period) -> set[str]:
    starts = set() if period.span.start == EARLIEST else {period.span.start.isoformat()}
    return {period.span.end.isoformat()} | starts


def _compares(phrase: Phrase, *, found: set[str], content: dict[str, Any]) -> bool:
    number = f"{phrase.number:g}"
    return (phrase.op or "eq", number) in set(_comparisons(content)) or (phrase.op is None and number in found)


def _answers_marks(phrase: Phrase, *, query: MetricQuery) -> bool:
    """Return whether a number answers a question for a number, and a share one for a share."""
    if phrase.marks & {"how_many", "how_much"} and not query.measures:
        return False
    return "share" not in phrase.marks or query.share is not None


def _uses_term(phrase: Phrase, *, found: set[str]) -> bool:
    ids = {sense.name for sense in phrase.senses if sense.kind in _SAID_IDS}
    entities = {sense.name for sense in phrase.senses if sense.kind == "entity"}
    grains = {sense.name for sense in phrase.senses if sense.kind == "grain"}
    plural = {f"{one}s" for one in entities}
    if "person" in entities:
        entities |= {"assignee", "reporter"}
    if "issue" in entities:
        return True
    wanted = ids | entities | grains | plural
    if {"done", "completed"} & wanted:
        wanted |= {"done", "completed", "resolved", "resolved_issues", "completed_points", "completed_issues"}
    return not wanted or bool(wanted & found) or any(one in text for one in wanted for text in found if "_" in text)


def _is_grouped(phrase: Phrase, *, query: MetricQuery) -> bool:
    grouped = set(_strings([group.model_dump(mode="json") for group in query.group_by]))
    ids = {sense.name for sense in phrase.senses}
    return bool(grouped & (ids | ({"assignee"} if "person" in ids else set())))


def _is_ranked(phrase: Phrase, *, query: MetricQuery) -> bool:
    direction = "desc" if phrase.is_descending else "asc"
    directions: set[str] = {one.direction for one in query.order} | ({query.rank.direction} if query.rank else set())
    if not phrase.senses or phrase.kind == "top":
        directions |= {direction} if query.limit else set()
    counts = {query.limit, query.rank.count if query.rank else None}
    return direction in directions and (phrase.number is None or int(phrase.number) in counts)


def _values(phrase: Phrase) -> list[str]:
    """Return the values that a query compares with."""
    if phrase.keys:
        return list(phrase.keys)
    if phrase.edge:
        return []
    return [name.value if name.kind in ("team", "person", "sprint", "epic") else name.text for name in phrase.names]


def _strings(value: object) -> Iterator[str]:
    """Return the texts and numbers in a tree of JSON."""
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _strings(one)
    elif not isinstance(value, bool) and value is not None:
        yield f"{value:g}" if isinstance(value, int | float) else str(value)


def _nodes(value: object) -> Iterator[dict[str, Any]]:
    """Return the objects in a tree of JSON."""
    if isinstance(value, dict):
        yield value
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _nodes(one)


def _comparisons(content: object) -> Iterator[tuple[str, str]]:
    for node in _nodes(content):
        if node.get("kind") == "comparison":
            yield from ((str(node["op"]), one) for one in _strings(node["values"]))
        elif "measure" in node and "op" in node and node.get("value") is not None:
            yield str(node["op"]), f"{node['value']:g}"
