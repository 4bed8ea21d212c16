"""Other wordings of plain questions: verbs, idioms and constructions that people use for the same thing."""

import tomllib
from pathlib import Path

import pytest

from sprints.asking.chat import chat
from sprints.evaluation.comparing import same
from sprints.semantics.questions.signs import Rewrite, list_rewrites
from sprints.sql_sandbox.execution import try_execute
from tests.sprints.semantics.questions.reading import parts_of, read
from tests.sprints.semantics.questions.test_answers import NOW, ask
from toolbox.database import event_loop
from toolbox.database.pools import reader

pytestmark = pytest.mark.usefixtures("django_db_setup")
WORDINGS = tomllib.loads((Path(__file__).parents[3] / "data" / "sprints" / "wordings.toml").read_text(encoding="utf-8"))
ASKED = [(said, one["sql"]) for one in WORDINGS["questions"] for said in one["said"]]


@pytest.mark.slow
@pytest.mark.parametrize(("said", "truth"), ASKED)
def test_a_wording_has_the_rows_of_an_independent_statement(said: str, truth: str) -> None:
    gold = event_loop.run(try_execute(truth))
    assert gold.error is None

    answer = ask(said)

    assert not answer.is_ambiguous, answer.answer
    assert same(answer.rows, gold=gold.rows), (answer.sql, answer.rows[:5], gold.rows[:5])


@pytest.mark.parametrize("rewrite", list_rewrites(), ids=lambda one: one.example)
def test_a_construction_means_what_it_is_written_as(rewrite: Rewrite) -> None:
    assert parts_of(read(rewrite.example)) == parts_of(read(rewrite.means))


@pytest.mark.parametrize(
    "question",
    [
        "What is holding HARBOR up?",
        "What's the record velocity of a sprint?",
        "HARBOR velocity history",
        "What landed in HARBOR Sprint 9?",
        "What is missing from ACCEL Sprint 9?",
        "Which issues should be closed?",
        "Which issues are clear?",
        "Which tickets are doing well?",
    ],
)
def test_a_part_of_a_verb_or_a_noun_is_never_skipped(question: str) -> None:
    assert ask(question).is_ambiguous


@pytest.mark.parametrize(
    ("question", "means"),
    [
        ("levis open tickets", "Levi's open tickets"),
        ("How many of Levis tickets are open?", "How many of Levi's tickets are open?"),
        ("What is on Levi's plate?", "open issues of Levi"),
        ("How many issues are on Levi's list?", "How many open issues does Levi have?"),
        ("Which bugs need to be fixed?", "Which bugs are open?"),
    ],
)
def test_whose_work_it_is_and_what_is_to_be_done(question: str, means: str) -> None:
    asked, meant = ask(question), ask(means)

    assert asked.rows == meant.rows != []


@pytest.mark.parametrize(
    ("before", "question", "means"),
    [
        ("Who has the most bugs at HARBOR?", "and who has the fewest?", "Who has the fewest bugs at HARBOR?"),
        ("Which team has the most bugs?", "and which team has the fewest?", "Which team has the fewest bugs?"),
        ("Which open tickets does Levi have?", "do any of those have a due date?",
         "Which open tickets of Levi have a due date?"),
    ],
)  # fmt: skip
def test_a_follow_up_turns_a_ranking_or_asks_for_a_part(before: str, question: str, means: str) -> None:
    asked = event_loop.run(chat(question, now=NOW, reader=reader, model=None, context=ask(before).query))

    assert not asked.is_ambiguous, asked.answer
    assert asked.rows == ask(means).rows != []


@pytest.mark.parametrize(
    ("question", "means"),
    [
        ("How many bugs are blocked? Which ones?", "Which bugs are blocked?"),
        ("How much time was spent on QA?", "What is the average time in status QA?"),
        ("Did any of our teams complete more than 30 points in sprint 8?",
         "Which teams completed more than 30 points in sprint 8?"),
        ("Which of our stories is the oldest?", "Which story is the oldest?"),
    ],
)  # fmt: skip
def test_a_rewrite_leaves_alone_what_asks_for_more(question: str, means: str) -> None:
    asked = ask(question)

    assert not asked.is_ambiguous, asked.answer
    assert asked.rows == ask(means).rows != []


def test_a_feast_is_a_day_only_behind_a_preposition_of_time() -> None:
    assert ask("What is due before Christmas?").rows == ask("What is due before 25 December?").rows != []
    assert "christma" in str(ask("bugs about christmas").interpretation)


def test_who_has_none_of_it_today_has_none_now() -> None:
    assert ask("Who has nothing in progress today?").rows == ask("Who has nothing in progress?").rows != []


def test_a_misspelt_stage_is_every_status_that_ends_with_it() -> None:
    assert ask("tickets in reveiw").rows == ask("tickets in review").rows != ask("tickets in In Review").rows


def test_the_bug_is_one() -> None:
    assert ask("What is the bug that we have left unsolved for the longest time?").count == 1
