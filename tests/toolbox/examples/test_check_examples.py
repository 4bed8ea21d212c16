"""`manage.py check_examples`: every shipped example works on the shipped data, and a broken one is named."""

from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.conftest import running_server
from toolbox.database.caches import clear_all_caches
from toolbox.examples.cache import load_examples
from toolbox.models import Example

USUAL = {
    "question": "How did {team} do in {month}?",
    "tool": "query_linescore_data",
    "arguments": {"teamCode": "{team}"},
    "answer": "{{ answer.data.count }} rows",
}


@pytest.fixture
def database(scratch_database: None) -> Iterator[None]:
    """Let the test have its own examples, and clear the cache afterwards."""
    clear_all_caches()
    yield
    clear_all_caches()


def check_examples(*domains: str) -> tuple[str, str]:
    """Run the command; returns its output and its exit status."""
    out, err, ended = StringIO(), StringIO(), ""
    try:
        call_command("check_examples", *domains, stdout=out, stderr=err)
    except CommandError as failed:
        ended = str(failed)
    return out.getvalue() + err.getvalue(), ended


@pytest.mark.slow
def test_every_shipped_example_works(database: None) -> None:
    from graphql_proxy.ingest.samples import point_at
    from graphql_proxy.models import Upstream

    with running_server() as address:
        Upstream.objects.update(is_default=False)
        Upstream.objects.filter(slug="hockey").update(is_default=True, is_enabled=True)
        point_at(f"{address}/graphql/")
        clear_all_caches()

        printed, ended = check_examples()

    assert ended == ""
    assert printed.endswith("51 examples work\n")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"tool": "query_linescore"}, "linescore has no tool query_linescore."),
        ({"answer": "{{ answer.data.number }} rows"}, "The answer names what the tool does not say"),
        ({"arguments": {"team": "{team}"}}, "query_linescore_data refused it"),
        ({"phrasings": ["How many overtime games did {team} have in {month}?"]}, "as near are overtime-month"),
        ({"arguments": {"startDate": "{month.first}"}}, "It cannot be filled: {month} has no first."),
    ],
)
def test_a_broken_example_is_named(database: None, changed: dict[str, Any], said: str) -> None:
    Example.objects.filter(domain="linescore", name="team-month").delete()
    Example.objects.create(domain="linescore", name="broken", **USUAL | changed)

    printed, ended = check_examples("linescore")

    assert ended in ("1 of 15 examples do not work", "2 of 15 examples do not work")  # two that say the same
    assert "✗ linescore/broken" in printed
    assert said in printed


def test_no_examples_at_all_is_a_failure(database: None) -> None:
    Example.objects.all().delete()

    assert check_examples()[1] == "no example is there"


def test_loading_twice_adds_nothing_and_keeps_what_curators_wrote(database: None) -> None:
    Example.objects.filter(domain="linescore", name="team-month").update(question="Mine: {team}, {month}?")

    loaded = load_examples("linescore")

    assert (loaded.added, loaded.skipped) == (0, 15)
    assert Example.objects.get(domain="linescore", name="team-month").question == "Mine: {team}, {month}?"


def test_a_domain_without_examples_adds_none(database: None) -> None:
    assert load_examples("toolbox").added == 0
