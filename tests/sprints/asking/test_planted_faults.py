"""Wrong numbers that were planted between the database and the answer: each is said before anybody reads it."""

from typing import Any

import pytest

from sprints.asking import chat as chat_module
from sprints.contracts import QueryResult
from sprints.sql_sandbox.execution import try_execute
from tests.sprints.asking.test_flow import ScriptedModel, ask

pytestmark = pytest.mark.usefixtures("django_db_setup")


def plant(monkeypatch: pytest.MonkeyPatch, **values: Any) -> None:
    """Replace every row of the first statement by these values."""

    async def run_wrongly(sql: str) -> QueryResult:
        result = await try_execute(sql)
        return result.model_copy(update={"rows": [{**row, **values} for row in result.rows]})

    monkeypatch.setattr(chat_module, "try_execute", run_wrongly)


@pytest.mark.parametrize(
    "question",
    [
        "How many points did ORBIT complete in Sprint 5?",
        "Which sprint of ORBIT completed the most points?",
        "Which sprints of ORBIT completed more than 30 points?",
    ],
)
def test_a_number_that_a_second_derivation_contradicts_is_doubted(
    question: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = ask(question)
    plant(monkeypatch, completed_points=999)

    answer = ask(question)

    assert not any(one.startswith("Doubtful") for one in honest.assumptions)
    assert answer.answer.startswith("Not certain: Two ways to compute")
    assert any("999" in one for one in answer.assumptions)


def test_a_row_that_fails_a_filter_is_doubted(monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, issue_type="Story")

    assert ask("open bugs of ACCEL").answer.startswith("Not certain: The question asks for")


def test_a_number_that_no_row_gives_is_not_repeated() -> None:
    model = ScriptedModel({"explanation": "ORBIT completed 4711 points.", "suggestions": []})

    answer = ask("How many points did ORBIT complete in Sprint 5?", model=model)

    assert "no row gives its 4711" in answer.answer
    assert str(answer.rows[0]["completed_points"]) in answer.answer


def test_rows_that_share_the_last_place_are_all_listed_and_that_is_said() -> None:
    answer = ask("Which issue has been open the longest in ACCEL?")

    assert answer.count > 1
    assert len({row["age_days"] for row in answer.rows}) == 1
    assert answer.answer.endswith(f"{answer.count} rows share the first place.")


@pytest.mark.parametrize("question", ["Top 3 issues of ORBIT by story points", "the 4 oldest open issues of ACCEL"])
def test_a_list_is_not_cut_inside_a_tie(question: str) -> None:
    answer = ask(question)
    wanted = int(next(word for word in question.split() if word.isdigit()))
    by = list(answer.rows[0])[-1] if "oldest" in question else "story_points"

    places = [row[by] for row in answer.rows]
    assert answer.count >= wanted
    assert set(places[wanted - 1 :]) == {places[wanted - 1]}
    assert answer.count == wanted or any("share" in note for note in answer.notes or [])
