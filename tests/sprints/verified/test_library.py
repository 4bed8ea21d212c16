"""Which verified query a question asks, and when none answers it."""

from typing import Any

import pytest

from sprints.linking.link import link
from sprints.semantics.questions.lexicon import shipped_lexicon
from sprints.verified.library import Library, VerifiedStatement, list_shipped_queries, make_library
from tests.sprints.cast import TODAY, index

INDEX = index()
LEXICON = shipped_lexicon()
LIBRARY = make_library(list_shipped_queries(), lexicon=LEXICON)


def find(question: str, *, library: Library = LIBRARY) -> VerifiedStatement | None:
    return library.find(link(question, index=INDEX, today=TODAY), index=INDEX, lexicon=LEXICON)


def make_row(question: str, *, sql: str = "SELECT 1", slug: str = "mine") -> dict[str, Any]:
    return {
        "slug": slug,
        "topic": "t",
        "question": question,
        "phrasings": [],
        "sql": sql,
        "slots": {},
        "assumptions": [],
    }


@pytest.mark.parametrize(
    ("question", "slug"),
    [
        ("Which issues were removed from ACCEL Sprint 7?", "removed-from-sprint"),
        ("Please list the tickets that were removed from sprint 7", "removed-from-sprint"),
        ("Show me the burndown of ORBIT", "burndown"),
        ("burndown of ACCEL's sprint 5", "burndown"),
        ("How busy is Levi Walker?", "workload-of-person"),
        ("dependencies of ACCEL-12", "links-of-issue"),
        ("Who is overloaded?", "workload-by-person"),
        ("Why are issues of ORBIT blocked?", "blocked-reasons"),
        ("issues closed by week since March", "throughput"),
        ("How much was carried over in each sprint?", "carry-over-by-sprint"),
    ],
)
def test_a_question_in_a_curators_words_finds_its_query(question: str, slug: str) -> None:
    found = find(question)

    assert found is not None
    assert found.slug == slug


@pytest.mark.parametrize(
    "question",
    [
        "What is the average salary on team ACCEL?",
        "How many lines of code did ACCEL commit last sprint?",
        "Delete all closed issues of ACCEL",
        "What will the velocity of ACCEL be?",
        "Which issues were not removed from ACCEL Sprint 7?",
        "Which issues were removed before ACCEL Sprint 7?",
        "Which bugs were removed from ACCEL Sprint 7?",
        "Who is overloaded except Levi Walker?",
        "Who has the least work?",
        "Why are issues not blocked?",
        "What is the velocity of Team Zeppelin?",
        "burndown of sprint 5 in March and in April",
        "How is it going?",
        "",
        "Which issues were removed since ACCEL Sprint 8?",
    ],
)
def test_one_word_that_changes_the_meaning_finds_none(question: str) -> None:
    assert find(question) is None


def test_a_name_that_the_statement_has_no_slot_for_rules_it_out() -> None:
    library = make_library([make_row("What was invented?")], lexicon=LEXICON)

    assert find("What was invented?", library=library) is not None
    assert find("What was invented in ACCEL?", library=library) is None


def test_a_query_is_not_found_without_the_name_that_its_statement_needs() -> None:
    library = make_library([make_row("What did {person} invent?", sql="SELECT {person}")], lexicon=LEXICON)

    assert find("What did Levi Walker invent?", library=library) is not None
    assert find("What did invent?", library=library) is None


def test_a_wording_of_two_queries_finds_neither() -> None:
    rows = [make_row("What was invented?"), make_row("what is invented", slug="other")]

    assert find("What was invented?", library=make_library(rows, lexicon=LEXICON)) is None


def test_a_question_about_others_is_another_question() -> None:
    found = find("Which issues block others?")

    assert found is not None
    assert found.slug == "blocking-links"


def test_a_library_may_be_empty() -> None:
    assert find("What is blocked?", library=Library()) is None


def test_a_noun_alone_is_of_the_question_before() -> None:
    linked = link("blockers", index=INDEX, today=TODAY)
    mine = make_library([make_row("blockers")], lexicon=LEXICON)

    assert mine.find(linked, index=INDEX, lexicon=LEXICON) is not None
    assert mine.find(linked, index=INDEX, lexicon=LEXICON, is_follow_up=True) is None


def test_an_unknown_word_needs_what_it_is_of() -> None:
    found = find("dates of ACCEL Sprint 8")

    assert found is not None
    assert found.slug == "active-sprints"
    assert find("dates") is None
    assert find("which dates") is None
    assert find("dates of ORBIT") is None
