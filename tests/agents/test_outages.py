"""Database and broker go and come back, really, under a worker that is at work; a cluster of the module's own."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from django.conf import settings
from psycopg.rows import dict_row

from config.embedded import broker
from config.postgres.cluster import SUPERUSER, address, crash, revive
from config.postgres.location import Place, find_place
from tests.agents.model_server import KEY, MODEL, ModelServer
from tests.agents.processes import Part, starting_worker, web
from tests.agents.rest import RestClient, connect_person
from tests.agents.turns import Gate, calls, says

pytestmark = pytest.mark.slow
MAKE_READY = """
import django; django.setup()
from django.contrib.auth.models import User
from django.core.management import call_command
from toolbox.models import ApiKey
call_command("migrate", verbosity=0)
print(ApiKey.make(name="k", owner_id=User.objects.create_user("o").pk, scopes=["*:read", "*:write"])[1])
"""
LIST = "list_backtest_runs"


@dataclass
class Host:
    """A host with only Toolroom's own parts: its folder, its worker, and a client."""

    var: Path
    place: Place
    worker: Part
    person: RestClient

    def steps(self, run: str) -> list[str]:
        """Return a run's steps, each with its state."""
        where = address(self.place, database="toolroom", user=SUPERUSER)
        with psycopg.connect(where, row_factory=dict_row) as connection:
            rows = connection.execute("SELECT tool, state FROM agents_steps WHERE run_id = %s ORDER BY number", [run])
            return [f"{row['tool']} {row['state']}".strip() for row in rows]


@pytest.fixture(scope="module")
def host(fake_model: ModelServer) -> Iterator[Host]:
    """Start a worker before there is a database, then a database and a web server."""
    var = Path(tempfile.mkdtemp(prefix="toolroom-outages-"))
    var.chmod(0o711)  # started by root, PostgreSQL runs as nobody, who must be able to enter
    usual = {name: value for name, value in os.environ.items() if not name.startswith(("DATABASE_", "CELERY_"))}
    environment = usual | {
        "TOOLROOM_VAR": str(var), "OPENAI_BASE_URL": fake_model.address, "OPENAI_API_KEY": KEY, "AGENT_MODEL": MODEL,
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }  # fmt: skip
    try:
        with starting_worker(environment) as worker:
            worker.wait_for("agents_runs is not swept for now")
            made = subprocess.run(
                [sys.executable, "-c", MAKE_READY], cwd=settings.BASE_DIR, env=environment, text=True,
                capture_output=True, check=False, timeout=120,
            )  # fmt: skip
            assert made.returncode == 0, made.stderr[-3000:]
            with web(environment) as (where, _), connect_person(where, key=made.stdout.split()[-1]) as person:
                yield Host(var=var, place=find_place(var), worker=worker, person=person)
    finally:
        shutil.rmtree(var, ignore_errors=True)


def test_a_worker_may_be_started_before_there_are_tables(host: Host, fake_model: ModelServer) -> None:
    fake_model.when("early", says("Good morning."))

    assert host.person.read_events(host.person.say("early"))[-1]["data"]["text"] == "Good morning."


def test_a_broker_that_forgets_costs_no_run(host: Host, fake_model: ModelServer) -> None:
    gate = Gate()
    fake_model.when("forgotten", says("Nothing is forgotten.").at(gate))
    run_id = host.person.say("forgotten")
    broker._say(broker._find_folder(host.var), "FLUSHALL")

    gate.open()

    assert host.person.read_events(run_id)[-1]["data"]["state"] == "succeeded"


def test_a_broker_that_crashes_takes_no_worker_along(host: Host, fake_model: ModelServer) -> None:
    gate = Gate()
    fake_model.when("crashing", says("Still here.").at(gate))
    fake_model.when("afterwards", says("Good evening."))
    run_id = host.person.say("crashing")
    assert gate.reached.wait(60)

    broker._say(broker._find_folder(host.var), "SHUTDOWN NOSAVE")
    host.worker.wait_for("Connection to broker lost")
    gate.open()

    assert host.person.read_events(run_id)[-1]["data"]["text"] == "Still here."
    assert host.person.read_events(host.person.say("afterwards"))[-1]["data"]["text"] == "Good evening."
    assert host.worker.process.poll() is None


@pytest.mark.parametrize("phase", ["waiting", "streaming"])
def test_a_database_that_is_restarted_costs_no_run(host: Host, fake_model: ModelServer, phase: str) -> None:
    gate = Gate()
    answer = says(f"All of {phase} again.")
    held = says("One two three four.").at(gate, after=2) if phase == "streaming" else answer.at(gate)
    fake_model.when(phase, calls(LIST, {}), held, answer, again=True)
    run_id = host.person.say(phase)
    assert gate.reached.wait(60)

    crash(host.place)
    gate.open()
    revive(host.place)  # or a web process did, which looks every 2 s

    with connect_person(str(host.person.http.base_url), key=host.person.http.headers["Authorization"][7:]) as again:
        again._runs = host.person._runs
        end = again.read_events(run_id)[-1]["data"]
    assert end["state"] == "succeeded", end
    assert host.steps(str(run_id)).count(f"{LIST} answered") == 1
