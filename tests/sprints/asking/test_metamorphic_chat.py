"""
What must hold between answers of the chat endpoint, whatever the data: questions are drawn from parts.

A further filter never adds; teams sum to the whole; a state and its negation make up all; a list has as many rows as
are counted; a question and its paraphrase, and a follow-up and the whole question, agree.
"""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sprints.asking.chat import ChatAnswer, chat
from tests.sprints.asking.test_flow import NOW, ask
from toolbox.database import event_loop
from toolbox.database.pools import reader

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("django_db_setup")]

TEAMS = ("ACCEL", "ORBIT", "HARBOR")
STATES = {"open": "not open", "blocked": "not blocked", "overdue": "not overdue", "in progress": "not in progress"}
NOUNS = st.sampled_from(["issues", "bugs", "stories", "p0 issues", "tasks"])
STATE = st.sampled_from(list(STATES))
FILTERS = st.sampled_from([
    "labelled security", "with more than 3 points", "created since September", "without an estimate", "of ORBIT",
    "in the backlog", "that are not blocked", "assigned to Levi Walker", "created in October", "that were reopened",
    "not in any sprint", "in the active sprint of ACCEL", "with no labels",
])  # fmt: skip
STATE_AND_MORE = st.tuples(STATE, FILTERS).filter(lambda drawn: not drawn[1].endswith(STATES[drawn[0]]))
"""Blocked issues that are not blocked are asked back."""
LEADS = st.sampled_from(["", "Good morning! ", "For the steering committee, ", "My boss keeps asking: ", "Please, "])
RUNS = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))


def count(question: str) -> Decimal:
    """Ask for a number, and check that the question was understood."""
    answer = ask(question)
    assert not answer.is_ambiguous, (question, answer.answer)
    assert answer.source == "layer", question
    (row,) = answer.rows
    return Decimal(str(list(row.values())[-1]))


def follow(first: str, then: str) -> ChatAnswer:
    return event_loop.run(chat(then, now=NOW, reader=reader, model=None, context=ask(first).query))


def numbers(answer: ChatAnswer) -> list[Any]:
    return sorted(Decimal(str(list(row.values())[-1])) for row in answer.rows)


@RUNS
@given(noun=NOUNS, drawn=STATE_AND_MORE)
def test_a_further_filter_never_adds(noun: str, drawn: tuple[str, str]) -> None:
    state, more = drawn
    assert count(f"How many {state} {noun} {more} are there?") <= count(f"How many {state} {noun} are there?")


@RUNS
@given(noun=NOUNS, state=STATE)
def test_teams_sum_to_the_whole(noun: str, state: str) -> None:
    whole = count(f"How many {state} {noun} are there?")

    assert sum(count(f"How many {state} {noun} does {team} have?") for team in TEAMS) == whole
    assert sum(numbers(ask(f"{state} {noun} by team"))) == whole


@RUNS
@given(noun=NOUNS, state=STATE)
def test_a_state_and_its_negation_make_up_all(noun: str, state: str) -> None:
    met = count(f"How many {noun} are {state}?")
    failed = count(f"How many {noun} are {STATES[state]}?")

    if state != "unassigned":  # asked of open issues only, which is said
        assert met + failed == count(f"How many {noun} are there in total?")
    assert met + failed <= count(f"How many {noun} are there in total?")


@RUNS
@given(noun=NOUNS, drawn=STATE_AND_MORE)
def test_a_list_has_as_many_rows_as_are_counted(noun: str, drawn: tuple[str, str]) -> None:
    state, more = drawn
    assert ask(f"Which {state} {noun} {more} are there?").count == count(f"How many {state} {noun} {more} are there?")


@RUNS
@given(noun=NOUNS, drawn=STATE_AND_MORE, lead=LEADS)
def test_a_question_and_its_paraphrase_agree(noun: str, drawn: tuple[str, str], lead: str) -> None:
    state, more = drawn
    plain = count(f"How many {state} {noun} {more} are there?")

    assert count(f"{lead}what is the number of {state} {noun} {more}?") == plain
    assert count(f"{lead}how many {noun} {more} are {state}?") == plain


@RUNS
@given(noun=NOUNS, state=STATE, team=st.sampled_from(TEAMS))
def test_a_follow_up_and_the_whole_question_agree(noun: str, state: str, team: str) -> None:
    whole = count(f"How many {state} {noun} does {team} have?")
    before = "HARBOR" if team == "ORBIT" else "ORBIT"  # a follow-up that changes nothing is asked back
    first = f"How many {state} {noun} does {before} have?"

    assert numbers(follow(first, f"and {team}?")) == [whole]
    assert follow(first, "which ones?").count == count(first)


@RUNS
@given(number=st.integers(1, 9), noun=st.sampled_from(["issues", "open issues", "issues of ORBIT"]))
def test_a_longer_ranking_holds_the_shorter(number: int, noun: str) -> None:
    short = ask(f"top {number} {noun} by story points").rows
    longer = ask(f"top {number + 1} {noun} by story points").rows

    assert [row["issue"] for row in short] == [row["issue"] for row in longer][: len(short)]
    assert len(short) >= number
