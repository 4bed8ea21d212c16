"""Every command says in a sentence that the tables are not there yet, or that the database is away."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import get_commands, load_command_class

from tests.config.conftest import open_folder
from tests.config.own_cluster import environment_of
from toolbox.database.command import DatabaseCommand

WITHOUT_DATABASE = {"catalogue_cost", "install_language_servers", "tooldocs"}
MAKES_DATABASE = {"backup", "provision_database", "quickstart", "restore", "upgrade_cluster"}
CALLS = {
    "add_workspace": ["."],
    "build_backtest_performance": [],
    "check_examples": [],
    "check_topology": [],
    "check_verified_queries": [],
    "connect": ["claude"],
    "create_api_key": ["a"],
    "drill": ["--staging"],
    "embed_rca": [],
    "export_rca": [],
    "forget_runs": ["--days", "3"],
    "ingest_backtest": ["backtests/samples/sma_stops_2011_2012.jsonl.gz"],
    "ingest_docs": ["devassist/samples/docs"],
    "ingest_graphql_schema": ["a", "--fetch"],
    "ingest_jira": ["sprints/samples/meridian.jsonl.gz"],
    "ingest_linescore": ["linescore/samples/periods_2024_2025.csv.gz"],
    "ingest_rca": ["devassist/samples/root_causes.jsonl"],
    "login_link": ["a"],
    "warm_workspace": [],
}
"""Commands that read tables first; chat, evaluate_agent and mcp end the event loop and would need a process each."""

RUN_ALL = """
import io, json, sys
import django; django.setup()
from django.core.management import call_command
messages = {}
for name, arguments in json.loads(sys.argv[1]).items():
    try:
        call_command(name, *arguments, stdout=io.StringIO(), stderr=io.StringIO())
    except Exception as error:
        messages[name] = f"{type(error).__name__}: {error}"
print("MESSAGES" + json.dumps(messages))
"""


def run_all(*, environment: dict[str, str]) -> dict[str, str]:
    """Run every command of CALLS in one process; returns by name what it raised."""
    done = subprocess.run(
        (sys.executable, "-c", RUN_ALL, json.dumps(CALLS)),
        cwd=settings.BASE_DIR, env=environment, capture_output=True, text=True, timeout=300, check=True,
    )  # fmt: skip
    messages: dict[str, str] = json.loads(done.stdout.rpartition("MESSAGES")[2])
    return messages


def test_every_command_that_needs_the_database_has_the_base_that_words_its_faults() -> None:
    own = {path.name for path in Path(settings.BASE_DIR).iterdir() if (path / "management").is_dir()}
    commands = {name: load_command_class(app, name) for name, app in get_commands().items() if app in own}

    others = {name for name, command in commands.items() if not isinstance(command, DatabaseCommand)}

    assert others == WITHOUT_DATABASE | MAKES_DATABASE
    assert set(CALLS) <= set(commands)


@pytest.mark.slow
def test_every_command_names_migrate_where_the_tables_are_not_there() -> None:
    with open_folder() as folder:
        messages = run_all(environment=environment_of(folder / "var"))

    wanted = "CommandError: The database is behind the code: run manage.py migrate. relation "
    assert {name: messages.get(name, "no error") for name in CALLS if not messages[name].startswith(wanted)} == {}


@pytest.mark.slow
def test_every_command_says_where_no_database_answers() -> None:
    names = ("DATABASE_URL", "DATABASE_READER_URL", "DATABASE_ANALYST_URL")
    with open_folder() as folder:
        away = dict.fromkeys(names, "postgresql://nobody@127.0.0.1:1/none")
        messages = run_all(environment=environment_of(folder / "var") | away)

    wanted = "CommandError: The database is not reachable: correct DATABASE_URL, or start it. "
    assert {name: messages.get(name, "no error") for name in CALLS if not messages[name].startswith(wanted)} == {}
