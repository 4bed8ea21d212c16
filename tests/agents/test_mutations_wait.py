"""A GraphQL document that writes, asked for by a model: a person decides, over REST, and it is sent once at most."""

import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from graphql import build_schema

from tests.agents.conversation_client import Observer, Owner
from tests.agents.own_worker import Scripted, calls, says, work_on
from tests.mock_upstream import mock_upstream

WRITES = "execute_graphql_mutation"
SDL = "type Query { name: String! } type Mutation { rename(to: String!): String! }"
RENAME = 'mutation { rename(to: "%s") }'


@pytest.fixture
def team(cast: SimpleNamespace, django_db_blocker: Any) -> Iterator[tuple[str, list[str]]]:
    """Run an upstream with one name that a mutation changes; yields its slug and the names it was given."""
    from graphql_proxy.models import Upstream

    names: list[str] = []
    schema = build_schema(SDL)
    assert schema.mutation_type
    schema.mutation_type.fields["rename"].resolve = lambda *_, to: names.append(to) or to  # type: ignore[func-returns-value]
    with mock_upstream(schema) as running, django_db_blocker.unblock():
        row = Upstream.objects.create(
            slug="renamed-by-a-run", address=running.address, is_local=True, allows_mutations=True
        )
        yield row.slug, names
        row.delete()


@pytest.fixture
def person(cast: SimpleNamespace, django_db_blocker: Any, monkeypatch: pytest.MonkeyPatch) -> Owner:
    """Hold conversations as alice, whose key may write, without a broker."""
    from toolbox.models import ApiKey

    with django_db_blocker.unblock():
        key = ApiKey.objects.get(name="alice")
    talk = Owner("", owner_id=key.owner_id, key_id=key.pk)
    monkeypatch.setattr(talk, "_tell", lambda _: None)
    return talk


def make_arguments(slug: str, to: str = "Whalers") -> dict[str, Any]:
    """Return the call's arguments."""
    return {"upstream": slug, "query": RENAME % to}


@pytest.fixture
def waiting_run(person: Owner, team: tuple[str, list[str]], scripted_as: Scripted) -> UUID:
    """Create a run whose model wants to rename the team."""
    scripted_as(calls(json.dumps(make_arguments(team[0])), tool=WRITES))
    run_id = person.say("Rename the team.")
    work_on(run_id)
    return run_id


def test_it_waits_without_any_policy_and_nothing_is_sent(
    waiting_run: UUID, team: tuple[str, list[str]], onlooker: Observer
) -> None:
    assert onlooker.run(waiting_run)["state"] == "awaiting_approval"
    assert team[1] == []


def test_approved_it_is_sent_once(
    waiting_run: UUID,
    person: Owner,
    team: tuple[str, list[str]],
    onlooker: Observer,
    scripted_as: Scripted,
) -> None:
    scripted_as(says("Renamed."))

    person.approve(waiting_run)
    work_on(waiting_run)
    work_on(waiting_run)

    assert (onlooker.answer(waiting_run), team[1]) == ("Renamed.", ["Whalers"])
    assert [(row["tool"], row["outcome"], row["caller"]) for row in onlooker.calls(waiting_run)] == [
        (WRITES, "answered", "alice")
    ]


def test_a_person_s_own_document_is_sent_instead(
    waiting_run: UUID,
    person: Owner,
    team: tuple[str, list[str]],
    onlooker: Observer,
    scripted_as: Scripted,
) -> None:
    scripted_as(says("Renamed otherwise."))

    person.approve(waiting_run, arguments=make_arguments(team[0], "Nordiques"))
    work_on(waiting_run)

    assert (onlooker.answer(waiting_run), team[1]) == ("Renamed otherwise.", ["Nordiques"])


def test_rejected_it_is_never_sent(
    waiting_run: UUID,
    person: Owner,
    team: tuple[str, list[str]],
    onlooker: Observer,
    scripted_as: Scripted,
) -> None:
    script = scripted_as(says("As you wish."))

    person.reject(waiting_run, word="Not that name.")
    work_on(waiting_run)

    assert (onlooker.answer(waiting_run), team[1]) == ("As you wish.", [])
    assert "Not that name." in script.told[0][-1].text


def test_a_key_that_was_revoked_meanwhile_sends_nothing(
    waiting_run: UUID,
    person: Owner,
    team: tuple[str, list[str]],
    onlooker: Observer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def find_no_caller(_: object) -> None:
        return None

    monkeypatch.setattr("agents.runs.run_caller.resolve_caller", find_no_caller)

    person.approve(waiting_run)
    work_on(waiting_run)

    assert (onlooker.run(waiting_run)["error_code"], team[1]) == ("KEY_ENDED", [])
