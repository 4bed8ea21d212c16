"""A word with a meaning is never lost: it is in the query, or the question means something else without it."""

import json
from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from pathlib import Path

import pytest

from sprints.linking.folding import normalise
from sprints.linking.link import link
from sprints.linking.name_cache import load_name_index
from sprints.linking.names import NameIndex
from sprints.semantics.questions.grammar import Parse, parse_question
from sprints.semantics.questions.lexicon import shipped_lexicon
from sprints.semantics.questions.signs import spell_signs
from sprints.semantics.questions.tokens import Token, cut
from toolbox.database import event_loop
from toolbox.database.pools import reader

SETS = sorted((Path(__file__).resolve().parents[3] / "data" / "sprints").glob("questions*.jsonl"))
TODAY = date(2026, 11, 18)
LEXICON = shipped_lexicon()
FILTERS = ("predicate", "time", "measure", "dimension", "entity", "grain", "unit")
IMPLIED = {
    "added_late": ("removed", "added"),  # what is removed from a sprint is removed after its start
    "committed": ("member_now", "sprint_points"),  # planned for a sprint of days ahead: in it now
    "sprint_active": ("status",),  # the current status
    "completed": ("carried_over", "left_in_sprint"),  # slipped unfinished; something to finish
    "sprint_issues": ("added_points", "removed_points", "completed_points"),  # the scope that came or went
    "open": ("carried_over",),
    "done": ("average_cycle_time", "cycle_time"),  # what takes so long is done
    "sprint_ends": ("carried_over",),  # left over at the end of the sprint
    "person": ("assignee", "reporter", "team"),  # what the people of a team did
    "membership": ("sprint",),
    "assignee": ("assigned",),
    "spent_hours": ("time_in_status",),
    "team": ("committed_points",),  # what the team had committed to, of each sprint
    "issue": (
        "issue",
        "time_in_status",
        "membership",
        *(one.id for one in LEXICON.model.measures.values() if one.entity in ("issue", "membership")),
    ),
}
"""What else in a query says the same as a term."""
MIN_TOKENS = 100

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("django_db_setup")]


@lru_cache(maxsize=1)
def names() -> NameIndex:
    async def load() -> NameIndex:
        return await load_name_index(reader=reader)

    return event_loop.run(load())


def parse(question: str) -> Parse:
    return parse_question(question, index=names(), today=TODAY, lexicon=LEXICON)


def read_tokens(text: str) -> list[Token]:
    return cut(link(text, index=names(), today=TODAY), lexicon=LEXICON, index=names())


def list_meanings(token: Token) -> Iterator[str]:
    """Yield what a query may hold of a token: values, and terms of the model."""
    yield from (text for name in (*token.names, *token.sprints) for text in (name.value, name.text))
    if token.kind == "type":
        yield "issue"  # an epic that is named by its title, bugs of a list
    if token.period is not None:
        yield token.period.span.end.isoformat()
    yield from [token.key] if token.key else []
    yield from (f"{one:g}" for one in (token.number, token.days, token.top) if one is not None)
    for sense in token.senses:
        if sense.kind in FILTERS and sense.form != "comparative":  # which is longer: both are shown
            yield from (sense.name, *IMPLIED.get(sense.name, ()))


def has_meaning(token: Token) -> bool:
    return not token.is_free and any(list_meanings(token))


def list_lost(question: str) -> tuple[list[str], int]:
    """Return the words that nothing in the query says and that change nothing, and how many words were tried."""
    text = spell_signs(normalise(question))
    whole = parse(text)
    if whole.query is None:
        return [], 0
    said, aside = whole.query.model_dump_json(exclude_defaults=True), " ".join(whole.assumptions)
    tokens = [one for one in read_tokens(text) if has_meaning(one) and one.said not in aside]
    lost = []
    for token in tokens:
        if any(meaning in said for meaning in list_meanings(token)):
            continue
        shorter = parse(f"{text[: token.start]} {text[token.end :]}")
        if (shorter.query, shorter.assumptions) == (whole.query, whole.assumptions):
            lost.append(token.said)
    return lost, len(tokens)


@pytest.mark.parametrize("path", SETS, ids=[path.stem for path in SETS])
def test_no_word_with_a_meaning_is_lost(path: Path) -> None:
    questions = [json.loads(line)["question"] for line in path.read_text(encoding="utf-8").splitlines()]

    found = {question: list_lost(question) for question in questions}

    assert {question: lost for question, (lost, _) in found.items() if lost} == {}
    assert sum(tried for _, tried in found.values()) > MIN_TOKENS * len(questions) / 120
