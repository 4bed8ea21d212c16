"""Definitions are read in the admin, with example answers; synonyms that curators add are read in questions."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from sprints.asking.chat import ChatAnswer, chat
from sprints.curation.definitions import answer_example, list_definitions
from sprints.models import TermSynonym
from sprints.semantics.model import shipped_model
from sprints.verified.synonyms import find_conflict
from tests.sprints.cast import index
from toolbox.database import event_loop
from toolbox.database.caches import clear_all_caches
from toolbox.database.pools import reader

NOW = datetime(2026, 11, 18, 13, tzinfo=UTC)
MODEL = shipped_model()
TERMS = list_definitions(MODEL, synonyms=())


@pytest.fixture
def curator(client: Client, scratch_database: None) -> Iterator[Client]:
    clear_all_caches()
    client.force_login(User.objects.get(username="curator"))
    yield client
    clear_all_caches()


def ask(question: str) -> ChatAnswer:
    clear_all_caches()
    return event_loop.run(chat(question, now=NOW, reader=reader, model=None))


def row(phrase: str, *, meaning: str = "predicate:blocked", form: str = "adjective") -> dict[str, str]:
    kind, _, term = meaning.partition(":")
    return {"kind": kind, "term": term, "form": form, "phrase": phrase}


def add(curator: Client, phrase: str, *, meaning: str = "predicate:blocked", form: str = "adjective") -> str:
    page = reverse("admin:sprints_termsynonym_add")
    reply = curator.post(page, {"phrase": phrase, "meaning": meaning, "form": form})
    return reply.content.decode()


def test_every_term_is_listed_with_grain_and_sql() -> None:
    assert {one.kind for one in TERMS} == {"entity", "measure", "dimension", "predicate", "time"}
    assert len(TERMS) == sum(
        len(group) for group in (MODEL.entities, MODEL.measures, MODEL.dimensions, MODEL.predicates, MODEL.time_roles)
    )
    assert [one.id for one in TERMS if not (one.sql and one.grain and one.description)] == []


@pytest.mark.slow
@pytest.mark.usefixtures("django_db_setup")
def test_every_example_answers() -> None:
    examples = {one.id: event_loop.run(answer_example(one.kind, term=one.id, model=MODEL)) for one in TERMS}

    assert {name: one.result.error for name, one in examples.items() if one and one.result.error} == {}
    assert len([one for one in examples.values() if one]) / len(TERMS) >= 0.9


def test_a_curator_reads_definitions_and_an_example(curator: Client) -> None:
    every = curator.get(reverse("admin:sprints_termsynonym_definitions_page"), {"q": "velocity"}).content.decode()
    one = curator.get(
        reverse("admin:sprints_termsynonym_definition_page", args=["measure", "velocity"])
    ).content.decode()

    assert MODEL.measures["velocity"].description in every
    assert "carry_over" not in every
    assert "Example: " in one
    assert "completed_points" in one
    assert curator.get(reverse("admin:sprints_termsynonym_definition_page", args=["measure", "no"])).status_code == 404


def test_a_synonym_is_read_in_questions_at_once(curator: Client) -> None:
    before = ask("Which issues are mothballed?")

    add(curator, " Mothballed ")
    after = ask("Which issues are mothballed?")

    assert before.is_ambiguous
    assert "'mothballed'" in before.answer
    assert (after.is_ambiguous, after.rows) == (False, ask("Which issues are blocked?").rows)
    page = curator.get(reverse("admin:sprints_termsynonym_definition_page", args=["predicate", "blocked"]))
    assert "added here: mothballed" in page.content.decode()


def test_a_synonym_that_means_something_else_is_refused_with_what_it_means(curator: Client) -> None:
    shown = add(curator, "open")

    assert "already means" in shown
    assert "open (predicate)" in shown
    assert not TermSynonym.objects.exists()


def test_a_synonym_of_two_terms_is_refused() -> None:
    conflict = find_conflict(row("mothballed", meaning="predicate:open"), others=[row("mothballed")], index=index())

    assert conflict == "'mothballed' already means blocked (predicate)."


@pytest.mark.parametrize(
    ("phrase", "why"),
    [
        ("accel", "is the name of a team"),
        ("levi walker", "is the name of a person"),
        ("last month", "is read as an issue key, a time, a sprint or a number"),
        ("the", "already means articles"),
        ("not", "already means not (grammar)"),
        ("?!", "one to 5 words"),
        ("a b c d e f", "one to 5 words"),
        ("blocked", "is a word for it already"),
    ],
)
def test_what_cannot_be_a_synonym_is_refused_in_words(phrase: str, why: str) -> None:
    assert why in find_conflict(row(phrase), others=[], index=index())


def test_a_synonym_of_a_term_that_is_gone_is_left_out() -> None:
    from sprints.verified.synonyms import add_synonyms

    assert add_synonyms(MODEL, rows=[row("x", meaning="measure:gone")]) == MODEL


def test_someone_who_may_not_see_synonyms_sees_no_definitions(client: Client, scratch_database: None) -> None:
    assert client.get(reverse("admin:sprints_termsynonym_definitions_page")).status_code == 302
