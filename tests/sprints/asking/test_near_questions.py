"""What is suggested instead of a question that the grammar does not read says nearly the same, and is read."""

from time import process_time

import pytest

from sprints.asking.near_questions import NearQuestion, list_near_questions
from sprints.asking.question_text import word_questions
from sprints.semantics.query import MetricQuery
from tests.sprints.cast import TODAY
from tests.sprints.semantics.questions.reading import INDEX, LEXICON, parse, parts_of, read

MAX_MILLISECONDS = 1500  # 30 on a quiet machine for most questions; this one is ten times as long


def suggest(question: str, *, after: str = "") -> list[NearQuestion]:
    assert after or parse(question).query is None, "The grammar reads it: take another example."
    return list_near_questions(
        question, readings=(), index=INDEX, today=TODAY, lexicon=LEXICON, context=read(after) if after else None
    )


def means(suggested: list[NearQuestion], question: str) -> bool:
    """Return whether one of the suggestions means the same as a question that the grammar reads."""
    return any(_rows(one.query) == _rows(read(question)) for one in suggested)


def _rows(query: MetricQuery) -> dict[str, object]:
    return {**parts_of(query), "columns": ()}


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("Which bugs are fully blocked?", "Which bugs are blocked?"),
        ("How many stories of ORBIT are flumpy blocked?", "How many stories of ORBIT are blocked?"),
        ("Which grumble issues of HARBOR are overdue?", "Which issues of HARBOR are overdue?"),
    ],
)
def test_a_word_without_a_meaning_is_left_out(question: str, meant: str) -> None:
    suggested = suggest(question)

    assert means(suggested[:1], meant)
    assert suggested[0].left_out


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("How many bugs of ORBIT are still lurking?", "How many open bugs does ORBIT have?"),
        ("Which bugs of ORBIT are stalled?", "Which bugs of ORBIT are blocked?"),
        ("Which issues were stripped from ACCEL Sprint 6?", "Which issues were removed in ACCEL Sprint 6?"),
    ],
)
def test_an_unknown_word_stands_for_its_likely_term(question: str, meant: str) -> None:
    assert means(suggest(question), meant)


@pytest.mark.parametrize(
    "question",
    [
        "The auditors keep nagging about zebras, so which bugs of ORBIT are blocked?",
        "Zebras everywhere today, whatever: which bugs of ORBIT are blocked?",
        "Which bugs of ORBIT are blocked, since nobody ever fed the zebras?",
    ],
)
def test_the_clause_that_asks_is_suggested_without_the_others(question: str) -> None:
    assert means(suggest(question), "Which bugs of ORBIT are blocked?")


def test_names_that_are_said_are_kept_in_the_first_suggestion() -> None:
    person = INDEX.of_kind("person")[0].text

    suggested = suggest(f"Which wobbly bugs did {person} zap in ACCEL?")

    assert person in suggested[0].text
    assert "ACCEL" in suggested[0].text


def test_a_negation_far_from_its_state_is_kept() -> None:
    suggested = suggest("How many wobbly issues of ORBIT were never really properly estimated?")

    assert "unestimated" in suggested[0].text


def test_who_has_nothing_is_asked_for_the_people_without_it() -> None:
    suggested = suggest("Who hasn't got any wobbly thing in progress?")

    assert means(suggested, "Which people have no issues in progress?")


def test_two_sides_are_suggested_as_groups() -> None:
    suggested = suggest("Were more bugs or more stories wobbly resolved in October?")

    assert any(one.query.group_by and "Bug" in str(one.query.where) for one in suggested)


def test_a_follow_up_is_suggested_as_a_question_that_stands_alone() -> None:
    suggested = suggest("and which of them are wobbly blocked?", after="Which bugs does ORBIT have?")

    assert means(suggested, "Which open bugs of ORBIT are blocked?")


@pytest.mark.parametrize(
    "question",
    [
        "How far along is each wobbly epic of ORBIT, in percent?",
        "Which wobbly team is slowest, by median cycle time?",
        "Over all its closed sprints, what share of the committed points did HARBOR wobbly complete?",
        "created 10-14 Nvo by nobody knows",
        "the of and",
        "॑",
    ],
)
def test_each_suggestion_is_read_as_its_query(question: str) -> None:
    for one in suggest(question):
        assert parse(one.text).query is not None, one.text
        assert one.text[0].isupper(), one.text


@pytest.mark.parametrize(
    ("question", "worded"),
    [
        ("who has 5 or more open issues", "Which people have at least 5 open issues?"),
        ("open issues per team except bugs", "How many open issues that are not bugs are there by team?"),
        ("stories of 13 points or more", "List the stories with at least 13 points"),
        ("bugs created in October versus September", "Bugs created: October against September"),
        ("average cycle time of issues resolved in October by type",
         "What is the average cycle time of issues resolved in October 2026 by type?"),
        ("how many HARBOR issues created in October were committed",
         "How many issues of HARBOR created in October 2026 were committed in sprints?"),
        ("days blocked of HARBOR", "What are the days blocked of HARBOR?"),
    ],
)  # fmt: skip
def test_a_query_is_asked_for_in_plain_english(question: str, worded: str) -> None:
    assert next(word_questions(read(question), model=LEXICON.model)) == worded


def test_no_two_suggestions_are_the_same_query() -> None:
    suggested = suggest("Which wobbly bugs of ORBIT are blocked?")

    assert len({str(one.query) for one in suggested}) == len(suggested)


def test_the_readings_of_an_ambiguous_question_are_suggested() -> None:
    readings = (read("Which bugs are blocked?"), read("Which bugs are open?"))

    suggested = list_near_questions("bugs?", readings=readings, index=INDEX, today=TODAY, lexicon=LEXICON, context=None)

    assert [one.query for one in suggested] == list(readings)


def test_the_search_is_bounded() -> None:
    question = "Which zorb of the bugs and stories " + "that someone zapped in October for ACCEL and ORBIT " * 5
    suggest(question)

    started = process_time()
    suggest(question)

    assert 1000 * (process_time() - started) < MAX_MILLISECONDS
