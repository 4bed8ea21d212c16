"""Another database's dump, asked through a model, in a scratch database that is dropped."""

from typing import Any

import psycopg
import pytest
from django.db import connections

from sprints.evaluation.external import load_dump
from sprints.evaluation.running import Pair, judge
from tests.sprints.asking.test_flow import ScriptedModel
from tests.sprints.cast import TODAY
from toolbox.database import event_loop
from toolbox.database.pools import reader

DUMP = """
CREATE TABLE boats (boat_id int PRIMARY KEY, boat_name text NOT NULL);
CREATE TABLE trips (trip_id int, boat_id int REFERENCES boats (boat_id), days numeric);
INSERT INTO boats VALUES (1, 'Ada'), (2, 'Bea');
INSERT INTO trips VALUES (1, 1, 2.5), (2, 1, 4), (3, 2, 1);
"""
NAME = "toolroom_evaluation_test"


@pytest.fixture
def admin(django_db_setup: None) -> str:
    entry = connections["default"].settings_dict
    return psycopg.conninfo.make_conninfo(dbname="postgres", user=entry["USER"], host=entry["HOST"] or None)


def test_a_dump_is_asked_and_dropped(admin: str) -> None:
    gold = "SELECT b.boat_name, sum(t.days) FROM boats b JOIN trips t USING (boat_id) GROUP BY 1"
    model = ScriptedModel(
        {"sql": "SELECT sum(days) AS total, boat_name FROM trips JOIN boats USING (boat_id) GROUP BY boat_name"},
        {"sql": "DELETE FROM trips"},
        {"sql": "SELECT pg_sleep(1)"},
        {"sql": "SELECT string_agg(boat_name, ', ') FROM boats"},
    )

    async def every() -> Any:
        async def ask(question: str) -> Any:
            return await external.ask(question, model=model, today=TODAY)

        pairs = [
            Pair(category="all", question=question, gold_sql=gold)
            for question in ("Days by boat?", "Tidy up", "Wait", "All")
        ]
        return [await judge(pair, ask=ask, run=external.run, clock=reader.clock) for pair in pairs]

    with load_dump(DUMP, admin=admin, analyst=as_analyst(admin), name=NAME) as external:
        judged = event_loop.run(every())

    assert [one.verdict for one in judged] == ["right", "refused", "refused", "wrong"]
    assert "Forbidden keyword detected: DELETE" in judged[1].said
    assert "pg_sleep is not allowed" in judged[2].said
    assert "boats (boat_id integer, boat_name text)" in model.heard[0]
    assert "trips.boat_id = boats.boat_id" in model.heard[0]
    assert _databases(admin) == []


def test_a_dump_that_cannot_be_read_leaves_nothing(admin: str) -> None:
    with (
        pytest.raises(psycopg.Error),
        load_dump("CREATE TABEL x ();", admin=admin, analyst=as_analyst(admin), name=NAME),
    ):
        pass

    assert _databases(admin) == []


def _databases(admin: str) -> list[Any]:
    with psycopg.connect(admin) as connection:
        return connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [NAME]).fetchall()


def test_the_role_that_runs_the_questions_owns_nothing(admin: str) -> None:
    with (
        load_dump(DUMP, admin=admin, analyst=as_analyst(admin), name=NAME) as external,
        psycopg.connect(external.address) as connection,
    ):
        assert connection.execute("SELECT count(*) FROM public.boats").fetchone() == (2,)
        connection.rollback()
        connection.execute("SET default_transaction_read_only = off")
        connection.commit()
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("DELETE FROM public.trips")


def as_analyst(admin: str) -> str:
    return psycopg.conninfo.make_conninfo(admin, user="sprints_analyst")
