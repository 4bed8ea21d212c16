"""Tasks with known answers: judged by numbers and facts, done with Toolroom or with the raw data."""

import asyncio
import json
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from agents.evaluation.tasks import Outcome, Task, judge, load_tasks
from agents.evaluation.with_raw_data import MAX_ANSWER_BYTES, RawData, find_sample_files
from agents.runs.answer_numbers import MARK
from tests.agents.model_server import KEY, MODEL, ModelServer
from tests.agents.turns import calls, says
from tests.conftest import server_environment
from toolbox.model import ToolRequest

COUNT = Task(name="count", domain="x", question="How many in 2025?", numbers=(Decimal(12),))
NAMES = Task(name="names", domain="x", question="Which ones?", facts=("Carolina|CAR", "Winnipeg"))
NOTHING = Task(name="nothing", domain="x", question="How many in 2031?")
TASKS = """
[[tasks]]
name = "february"
domain = "linescore"
question = "How did Carolina do in February 2025?"
numbers = [2, 5]

[[tasks]]
name = "goals"
domain = "linescore"
question = "How many goals did Carolina score in February 2025?"
numbers = [18]

[[tasks]]
name = "spectators"
domain = "linescore"
question = "How many spectators came to Carolina's games in February 2025?"
"""
FEBRUARY = {"teamCode": "CAR", "startDate": "2025-02-01", "endDate": "2025-02-28"}


@pytest.mark.parametrize(
    ("task", "text", "verdict"),
    [
        (COUNT, "There are 12.", "right"),
        (COUNT, "There are 11.6.", "wrong"),
        (COUNT, "There are 0.", "wrong"),
        (COUNT, "There are 12, or 13.", "right"),
        (COUNT, f"There are 12.\n\n{MARK}12.)", "asked back"),
        (COUNT, "In 2025? Which year do you mean?", "asked back"),
        (NAMES, "CAR and Winnipeg.", "right"),
        (NAMES, "CARS and Winnipeg.", "wrong"),
        (NAMES, "I do not know.", "asked back"),
        (NOTHING, "Nobody knows 2031.", "wrong"),
        (NOTHING, "That cannot be told for 2031.", "asked back"),
        (NOTHING, "17 in 2031.", "wrong"),
    ],
)
def test_an_answer_is_judged_by_its_numbers_and_facts(task: Task, text: str, verdict: str) -> None:
    assert judge(task, outcome=Outcome(text=text, state="succeeded", answered=1)) == verdict


def test_a_run_that_failed_has_claimed_nothing() -> None:
    assert judge(COUNT, outcome=Outcome(text="It is 17.", state="failed")) == "asked back"


def test_there_are_sixty_tasks_and_twelve_that_cannot_be_answered() -> None:
    tasks = load_tasks()

    assert len(tasks) >= 60
    assert sum(not task.is_answerable for task in tasks) >= 12
    assert len({task.name for task in tasks}) == len(tasks)
    assert {task.domain for task in tasks} == {"linescore", "backtests", "sprints", "graphql", "devassist"}


@pytest.mark.parametrize(
    ("text", "said"), [("tasks = 1", "tuple"), ("[[tasks]]\nname = 'a'", "question"), ("[", "Invalid"), (TASKS, "pets")]
)
def test_a_file_of_tasks_that_is_wrong_is_named(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(text)

    with pytest.raises(ValueError, match=said):
        load_tasks(path, domains=["pets"])


@pytest.fixture(scope="module")
def data() -> RawData:
    return find_sample_files()


def ask(data: RawData, tool: str, **arguments: Any) -> dict[str, Any]:
    answer, is_refusal = asyncio.run(data.call(ToolRequest(id="1", name=tool, arguments=json.dumps(arguments))))
    given: dict[str, Any] = json.loads(answer)
    assert is_refusal == ("error" in given)
    return given


def test_raw_data_are_listed_searched_read_and_asked(data: RawData) -> None:
    assert "linescore/periods_2024_2025.csv.gz" in ask(data, "list_files")["files"]
    assert len(ask(data, "search_file", file="linescore/teams.csv", text="carolina")["lines"]) == 1
    assert ask(data, "read_lines", file="linescore/periods_2024_2025.csv.gz", count=1)["lines"][0].startswith(
        "game_id,"
    )
    counted = ask(data, "query_sql", sql="SELECT count(DISTINCT game_id) AS games FROM linescore_periods_2024_2025")
    assert counted == {"rows": [{"games": 1312}]}


@pytest.mark.parametrize("start", ["", "x"])
def test_a_long_answer_of_raw_data_is_cut_between_characters(tmp_path: Path, start: str) -> None:
    folder = tmp_path / "own" / "samples"
    folder.mkdir(parents=True)
    (folder / "long.jsonl").write_text(
        start + "\N{LATIN SMALL LETTER E WITH ACUTE}" * MAX_ANSWER_BYTES, encoding="utf-8"
    )
    asked = ToolRequest(id="1", name="read_lines", arguments='{"file": "own/long.jsonl"}')

    answer, is_refusal = asyncio.run(RawData([folder]).call(asked))

    assert not is_refusal
    assert MAX_ANSWER_BYTES - 2 < len(answer.encode()) <= MAX_ANSWER_BYTES


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("read_lines", {"file": "../../etc/passwd"}, "There is no file"),
        ("query_sql", {"sql": "DELETE FROM linescore_teams"}, "not authorized"),
        ("query_sql", {"sql": "ATTACH '/etc/passwd' AS x"}, "not authorized"),
        (
            "query_sql",
            {"sql": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"},
            "inter",
        ),
        ("query_sql", {"sql": "SELECT FROM"}, "SQLite"),
        ("search_file", {"file": "linescore/teams.csv"}, "text"),
        ("drop", {}, "no tool"),
    ],
)
def test_raw_data_refuse_what_is_not_theirs(data: RawData, tool: str, arguments: dict[str, Any], said: str) -> None:
    assert said in ask(data, tool, **arguments)["error"]["message"]


def evaluate(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    alone = server_environment() | {"AGENT_MODEL": "", "OPENAI_API_KEY": "", "CELERY_BROKER_URL": ""} | environment
    return subprocess.run(
        [sys.executable, "manage.py", "evaluate_agent", *arguments], cwd=settings.BASE_DIR, env=alone, text=True,
        capture_output=True, timeout=120, check=False,
    )  # fmt: skip


@pytest.mark.slow
def test_a_scripted_model_is_evaluated_with_toolroom_and_with_raw_data(model: ModelServer, tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(TASKS)
    games = "SELECT count(*) AS games FROM linescore_periods_2024_2025"
    model.when(
        "How did Carolina",
        calls("list_game_results", FEBRUARY), says("Carolina won 2 games and lost 5."),
        calls("query_sql", {"sql": games}), says("Carolina won 3 games and lost 4."),
    )  # fmt: skip
    model.when(
        "How many goals",
        calls("list_game_results", FEBRUARY), says("They scored 4711 goals."),
        calls("query_sql", {"sql": games}), says("The files do not tell."),
    )  # fmt: skip
    model.when("spectators", says("That is not recorded."), says("That is not recorded."))

    done = evaluate(
        "--tasks", str(tmp_path / "own.toml"), "--compare-raw-data", "--json", str(tmp_path / "report.json"),
        AGENT_MODEL=MODEL, OPENAI_BASE_URL=model.address, OPENAI_API_KEY=KEY,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    report = {(one["task"], one["means"]): one for one in json.loads((tmp_path / "report.json").read_text())}
    verdicts = {name: one["verdict"] for name, one in report.items()}
    assert verdicts == {
        ("february", "Toolroom"): "right",
        ("february", "raw data"): "wrong",
        ("goals", "Toolroom"): "asked back",
        ("goals", "raw data"): "asked back",
        ("spectators", "Toolroom"): "asked back",
        ("spectators", "raw data"): "asked back",
    }
    assert report["goals", "Toolroom"]["marked"]
    assert report["february", "Toolroom"]["calls"] == report["february", "raw data"]["calls"] == 1
    assert report["february", "raw data"]["tokens"] == 240
    assert "Answers of scripted-1" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "no model is configured"),
        (("--no-model", "--compare-raw-data"), "raw data need a model"),
        (("--no-model", "x"), "x"),
    ],
)
def test_what_cannot_be_evaluated_is_said(arguments: tuple[str, ...], said: str) -> None:
    done = evaluate(*arguments)

    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr
