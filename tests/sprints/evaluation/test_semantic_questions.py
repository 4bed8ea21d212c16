"""Another database with a semantic model of its own, asked with and without a language model."""

import json
import re
from datetime import date
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from sprints.evaluation.semantic_questions import SemanticQuestions
from sprints.semantics.scope import AliasNames
from tests.sprints.asking.test_flow import ScriptedModel
from toolbox.database import event_loop

LIBRARY = Path(__file__).with_name("library")
TODAY = date(2026, 3, 31)


@pytest.mark.usefixtures("django_db_setup")
def test_the_command_answers_a_public_set_on_another_schema(tmp_path: Path, django_db_blocker: object) -> None:
    report = tmp_path / "report.json"
    with django_db_blocker.unblock():  # type: ignore[attr-defined]
        call_command(
            "evaluate_sql", LIBRARY / "questions.csv", dump=LIBRARY / "library.sql", semantics=LIBRARY / "library.toml",
            json=report, stdout=StringIO(),
        )  # fmt: skip

    judged = json.loads(report.read_text())["questions"]
    assert {one["question"]: one["verdict"] for one in judged} == {
        one["question"]: "right" if one["is_answerable"] else "asked" for one in judged
    }


@pytest.mark.usefixtures("django_db_setup")
@pytest.mark.parametrize("names", [("order", "user", "group"), ("select", "left", "l" * 63)])
def test_entities_may_be_called_by_words_that_sql_reserves(
    names: tuple[str, str, str], tmp_path: Path, django_db_blocker: object
) -> None:
    renamed = (LIBRARY / "library.toml").read_text()
    for entity, name in zip(("loan", "book", "branch"), names, strict=True):
        renamed = re.sub(
            rf'(?<=entities\.){entity}\b|(?<=joins\.){entity}\b|(?<=entity = "){entity}(?=")', name, renamed
        )
        renamed = renamed.replace(f"{{{entity}}}", f"{{{name}}}")
    theirs, report = tmp_path / "theirs.toml", tmp_path / "report.json"
    theirs.write_text(renamed)
    with django_db_blocker.unblock():  # type: ignore[attr-defined]
        call_command(
            "evaluate_sql", LIBRARY / "questions.csv", dump=LIBRARY / "library.sql", semantics=theirs,
            json=report, stdout=StringIO(),
        )  # fmt: skip

    judged = json.loads(report.read_text())["questions"]
    assert [one["said"] for one in judged if one["is_answerable"] and one["verdict"] != "right"] == []
    assert sum(one["is_answerable"] for one in judged) == 5


@pytest.mark.usefixtures("django_db_setup")
def test_terms_whose_sql_is_wrong_are_named_before_anything_is_asked(tmp_path: Path, django_db_blocker: object) -> None:
    wrong = (LIBRARY / "library.toml").read_text().replace("avg({row}.pages)", "avg({row}.page_count)")
    wrong = wrong.replace('view = "branches"', 'view = "houses"')
    theirs, report = tmp_path / "theirs.toml", tmp_path / "report.json"
    theirs.write_text(wrong)
    with django_db_blocker.unblock(), pytest.raises(CommandError) as refused:  # type: ignore[attr-defined]
        call_command(
            "evaluate_sql", LIBRARY / "questions.csv", dump=LIBRARY / "library.sql", semantics=theirs,
            json=report, stdout=StringIO(),
        )  # fmt: skip

    assert "Measure average_pages fails: column book.page_count does not exist" in str(refused.value)
    assert "houses" in str(refused.value)
    assert "Measure loans" not in str(refused.value)
    assert not report.exists()


def test_aliases_of_one_statement_are_never_the_same() -> None:
    names = AliasNames()

    taken = [names.take(name) for name in ("loan_2", "loan", "loan", "loan", "order", "order", "n" * 63, "n" * 63)]

    assert taken[:6] == ["loan_2", "loan", "loan_3", "loan_4", '"order"', "order_2"]
    assert len({alias[:63] for alias in taken}) == len(taken)


def test_a_language_model_writes_the_query_and_corrects_it_once() -> None:
    model = ScriptedModel(
        {"query": {"measures": ["loans"], "group_by": [{"kind": "dimension", "dimension": "genres"}]}},
        {"query": {"measures": ["loans"], "group_by": [{"kind": "dimension", "dimension": "genre"}]}},
    )
    questions = SemanticQuestions.from_file(LIBRARY / "library.toml", today=TODAY, language_model=model)

    draft = event_loop.run(questions.ask("loans by genre"))

    assert draft.assumptions[0] == "loans, by genre"
    assert draft.sql is not None
    assert "Did you mean genre" in model.heard[-1]


@pytest.mark.django_db
def test_a_file_that_names_what_is_not_there_is_refused(tmp_path: Path) -> None:
    broken = tmp_path / "broken.toml"
    broken.write_text((LIBRARY / "library.toml").read_text().replace('count = "books"', 'count = "volumes"'))

    with pytest.raises(CommandError, match="Entity book names the measure volumes, which is not defined"):
        call_command(
            "evaluate_sql", LIBRARY / "questions.csv", dump=LIBRARY / "library.sql", semantics=broken, stdout=StringIO()
        )
