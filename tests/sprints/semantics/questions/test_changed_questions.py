"""
What must hold when the words of a question change, whatever the question: those of six sets are changed.

A word that changes the meaning changes the query, or the question is asked back. Pure; the answers need no truth.
"""

import json
import re
from functools import cache
from pathlib import Path

import pytest

from sprints.linking.names import Name
from sprints.semantics.describe import describe_condition, describe_query, split_conditions
from sprints.semantics.query import DimensionGroup, MetricQuery, NamedCondition
from sprints.semantics.questions.grammar import Parse
from sprints.semantics.questions.tokens import Token, cut
from tests.sprints.semantics.questions.reading import INDEX, LEXICON, parse

SETS = [Path(f"tests/data/sprints/questions{number}.jsonl") for number in ("", "_2", "_3", "_4", "_5", "_6")]
pytestmark = [pytest.mark.slow, pytest.mark.parametrize("path", SETS, ids=[path.stem for path in SETS])]

CHANGES = (
    "except bugs", "since sprint 5", "in October", "with more than 3 points", "without labels", "that are not blocked",
    "for more than 3 days", "at least twice", "per month", "versus ORBIT", "nor labels", "ever", "in hours",
)  # fmt: skip
COMPARED = (" than ", " versus ", " vs ", " against ", "compare")


@cache
def read_all(path: Path) -> tuple[tuple[Parse, MetricQuery], ...]:
    """Parse the questions of a set that need no other question. Those asked back are left out."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    parsed = [parse(line["question"]) for line in lines if not line["previous"]]
    found = tuple((one, one.query) for one in parsed if one.query is not None)
    assert len(found) > len(parsed) // 4
    return found


def tokens_of(one: Parse) -> list[Token]:
    return cut(one.linked, lexicon=LEXICON, index=INDEX)


def is_aside(one: Parse) -> bool:
    return any(assumption.startswith("Left aside") for assumption in one.assumptions)


def test_a_negation_before_any_word_changes_the_query_or_is_asked_back(path: Path) -> None:
    same = []
    for one, query in read_all(path):
        text = one.linked.text
        for token in tokens_of(one):
            changed = parse(f"{text[: token.start]}not {text[token.start :]}")
            if changed.query == query and not is_aside(changed):
                same.append(changed.linked.text)

    assert same == []


def test_what_is_added_changes_the_query_or_is_asked_back(path: Path) -> None:
    same = []
    for one, query in read_all(path):
        for change in CHANGES:
            changed = parse(f"{one.linked.text.rstrip(' ?.!')} {change}")
            if changed.query == query and not is_aside(changed) and not says_already(one, query=query, change=change):
                same.append(changed.linked.text)

    assert same == []


def says_already(one: Parse, *, query: MetricQuery, change: str) -> bool:
    """Return whether the question says so, so that to say it again changes nothing."""
    said = f" {one.linked.text} {describe_query(query, model=LEXICON.model).text}".casefold()
    if change == "ever" and query.rank and "'sprint'" in str(query.group_by):
        return True  # a ranking of sprints is of all times
    last = change.rpartition(" ")[2].casefold().rstrip("s").removesuffix("ed")
    return any(word in said for word in COMPARED) if change.startswith("versus") else last in said


def test_only_before_what_filters_nothing_is_asked_back(path: Path) -> None:
    """A filter is exclusive already. Before what is counted, grouped or ranked, "only" would be lost."""
    same = []
    for one, query in read_all(path):
        text = one.linked.text
        for token in tokens_of(one):
            is_filter = token.names or token.period or token.reference or token.key or not token.senses
            if is_filter or not {sense.kind for sense in token.senses} <= {"entity", "measure", "grain", "unit"}:
                continue
            changed = parse(f"{text[: token.start]}only {text[token.start :]}")
            if changed.query == query and not is_aside(changed):
                same.append(changed.linked.text)

    assert same == []


def test_swapped_teams_swap_in_the_query(path: Path) -> None:
    for one, query in read_all(path):
        teams = {name.text: name for token in tokens_of(one) if token.kind == "team" for name in token.names}
        said = [name for name in teams if name in one.linked.text]
        if len(said) != len(teams) or len(teams) != 1 or "Sprint" in one.linked.text or "sprint" in one.linked.text:
            continue
        (team,) = teams.values()
        other = next(name for name in INDEX.of_kind("team") if name.text != team.text)
        changed = parse(one.linked.text.replace(team.text, other.text))
        if changed.query is not None:
            assert swap(query, team, other) == changed.query.model_dump_json(), one.linked.text


def swap(query: MetricQuery, team: Name, other: Name) -> str:
    return query.model_dump_json().replace(team.value, other.value).replace(f'"{team.text}"', f'"{other.text}"')


def test_a_query_in_words_keeps_its_conditions_or_is_asked_back(path: Path) -> None:
    """The words that the product shows of its parse have the same conditions again, wherever they are understood."""
    other = []
    for _, query in read_all(path):
        words = describe_query(query, model=LEXICON.model).text
        if re.search(r"team \w+ or \w+, .*Sprint", words):
            continue  # a team beside each sprint is another condition
        again = parse(words)
        if again.query is not None and conditions_of(again.query) != conditions_of(query):
            other.append((words, conditions_of(again.query) ^ conditions_of(query)))

    assert other == []


def conditions_of(query: MetricQuery) -> set[str]:
    """Return the conditions in words, with those of the measures. That the groups are named is no condition."""
    model = LEXICON.model
    parts = [*split_conditions(query.where)]
    parts += [NamedCondition(predicate=name) for one in query.measures for name in model.measures[one].where]
    described = {_describe_unordered(describe_condition(one, model=model)) for one in parts}
    grouped = {one.dimension for one in query.group_by if isinstance(one, DimensionGroup)}
    return described - {f"with {model.dimensions[name].label}" for name in grouped}


def _describe_unordered(text: str) -> str:
    """Return a condition without the order of its values, and a time without the role that the measure has anyway."""
    plain = re.sub("^(resolved|created) (?=in |from |before |since |on )", "", text)
    return " or ".join(sorted(one.removeprefix("in ") for one in re.split(",? or |, ", plain)))
