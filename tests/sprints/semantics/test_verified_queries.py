"""Every verified query that ships is said by the layer with the same rows as its SQL, or stays SQL for a reason."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from sprints.evaluation.comparing import same
from sprints.semantics.query import MetricQuery
from sprints.verified.library import list_shipped_queries
from tests.sprints.semantics.running import Answer, run_sql
from tests.sprints.semantics.verified_queries import DIFFERENT_WITH_TEAM, EXPRESSED, KEPT, SLOTS, both, compare

STATEMENTS = {str(row["slug"]): str(row["sql"]) for row in list_shipped_queries()}
OPTIONAL = re.compile(r"\[\[(.*?)\]\]", re.DOTALL)
SLOT = re.compile(r"\{([a-z]+(?:\.[a-z]+)?)\}")
TEAM = "(SELECT team_id FROM teams WHERE team_key = 'ORBIT')"


@pytest.fixture(autouse=True)
def _database(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    with django_db_blocker.unblock():
        yield


def fill(sql: str, slots: dict[str, str]) -> str:
    """Fill slots, and leave out the optional parts without a value."""
    text = OPTIONAL.sub(lambda part: part[1] if set(SLOT.findall(part[1])) <= set(slots) else "", sql)
    return SLOT.sub(lambda slot: SLOTS.get(slots[slot[1]], slots[slot[1]]), text)


def test_every_verified_query_is_expressed_or_kept_with_a_reason() -> None:
    assert set(EXPRESSED) | set(KEPT) == set(STATEMENTS)
    assert not set(EXPRESSED) & set(KEPT)
    assert all(KEPT.values())


@pytest.mark.parametrize("slug", EXPRESSED)
def test_the_layer_gives_the_rows_of_the_verified_sql(slug: str) -> None:
    query, slots = EXPRESSED[slug]

    answer = Answer.of(MetricQuery.model_validate(query))

    gold = run_sql(fill(STATEMENTS[slug], slots))
    assert same(answer.rows, gold=gold), f"{len(answer.rows)} rows, gold has {len(gold)}"


@pytest.mark.parametrize(
    "slug", [slug for slug in EXPRESSED if "{team}" in STATEMENTS[slug] and slug not in DIFFERENT_WITH_TEAM]
)
def test_the_layer_gives_the_rows_of_the_verified_sql_for_one_team(slug: str) -> None:
    query, slots = EXPRESSED[slug]
    team = compare("team", "eq", "ORBIT")
    where = both(query["where"], team) if query["where"] else team

    answer = Answer.of(MetricQuery.model_validate(query | {"where": where}))

    gold = run_sql(fill(STATEMENTS[slug], slots | {"team": TEAM}))
    assert same(answer.rows, gold=gold), f"{len(answer.rows)} rows, gold has {len(gold)}"
