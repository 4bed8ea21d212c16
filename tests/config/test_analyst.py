"""The analyst's role: created with the other roles and restricted, also in clusters older than the role."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from config.postgres.cluster import PROVISIONED, SUPERUSER, address, ensure_running, leave
from config.postgres.location import Place
from config.postgres.roles import ANALYST, DATABASE, OWNER, READER, provision
from sprints.sql_sandbox.role_lockdown import LIMITS, lockdown_statements
from tests.config.conftest import open_folder

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    """Run a cluster for these tests."""
    with open_folder() as folder:
        running = ensure_running(folder / "var")
        yield running
        leave(running)


def _query(place: Place, statement: str, *, user: str, database: str = DATABASE) -> list[tuple[Any, ...]]:
    with psycopg.connect(address(place, database=database, user=user), autocommit=True) as connection:
        cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def test_a_new_cluster_has_every_wall(place: Place) -> None:
    for database in (DATABASE, "template1"):
        assert _query(place, lockdown_statements(role=ANALYST), user=SUPERUSER, database=database) == []
    for name, value in LIMITS.items():
        assert _query(place, f"SHOW {name}", user=ANALYST) == [(value,)]


def test_the_owner_and_the_reader_see_what_they_saw(place: Place) -> None:
    for user in (OWNER, READER):
        assert _query(place, "SELECT count(*) > 0 FROM pg_class", user=user) == [(True,)]
        assert _query(place, "SELECT pg_try_advisory_lock(1)", user=user) == [(True,)]
    assert _query(place, "SELECT '[1,2]'::vector::text", user=READER) == [("[1,2]",)]


def test_a_cluster_that_was_made_before_gets_role_and_walls(place: Place) -> None:
    _query(place, "GRANT SELECT ON pg_class TO PUBLIC", user=SUPERUSER)
    _query(place, "GRANT EXECUTE ON FUNCTION pg_sleep(float8) TO PUBLIC", user=SUPERUSER, database="template1")
    (place.home / PROVISIONED).rename(place.home / "provisioned")
    leave(place)

    again = ensure_running(place.home.parent)

    for database in (DATABASE, "template1"):
        assert _query(again, lockdown_statements(role=ANALYST), user=SUPERUSER, database=database) == []


def test_provisioning_twice_makes_nothing_new(place: Place) -> None:
    assert provision(address(place, database="postgres", user=SUPERUSER), template="template1") == []


def test_roles_may_have_other_names_and_passwords(place: Place) -> None:
    made = provision(
        address(place, database="postgres", user=SUPERUSER),
        owner="o'wner", reader="rea der", analyst='ana"lyst', database="other", analyst_password="it's \"secret\"",
    )  # fmt: skip

    assert {"role o'wner", "role rea der", 'role ana"lyst', "database other"} <= set(made)
    assert _query(place, lockdown_statements(role='ana"lyst'), user=SUPERUSER, database="other") == []


def test_a_database_that_belongs_to_somebody_else_is_not_walled(place: Place) -> None:
    _query(place, "CREATE DATABASE foreign_one TEMPLATE template0", user=SUPERUSER, database="postgres")

    made = provision(address(place, database="postgres", user=SUPERUSER), database="foreign_one")

    assert [thing for thing in made if "restrictions" in thing] == []
    assert len(_query(place, lockdown_statements(role=ANALYST), user=SUPERUSER, database="foreign_one")) > 500
