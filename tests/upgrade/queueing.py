"""The work that make_dump.py leaves to workers: runs, tasks and jobs that ended, wait, or belonged to a dead worker."""

from contextlib import ExitStack
from typing import Any

import psycopg

from tests.agents.model_server import ModelServer
from tests.agents.processes import Part, worker
from tests.agents.turns import Gate, calls, refuses, says
from tests.upgrade.filling import games_of
from tests.upgrade.product import CONVERSATIONS, Browser, Client, manage, wait_for

ADD_JOB = "/admin/toolbox/job/add/?kind=linescore.file"
A_DAY = {"teamCode": "CAR", "startDate": "2025-01-30", "endDate": "2025-01-30"}
WRITING = {"startDate": "2025-02-01", "endDate": "2025-02-01", "source": "shipped"}


class Filler:
    """A person who starts work and waits until it is in the wanted state."""

    def __init__(self, server: str, *, environment: dict[str, str], facts: dict[str, Any], model: ModelServer) -> None:
        self.client = Client(server, key=facts["keys"]["writer"])
        self.curator = Browser(server, name="curator", password=facts["password"])
        self.model = model
        self.environment = environment
        self.rows = psycopg.connect(environment["DATABASE_URL"], autocommit=True)
        self.runs: dict[str, dict[str, str]] = {}
        self.tasks: dict[str, str] = {}
        self.jobs: dict[str, str] = {}

    def begin_task(self, name: str, *, question: str) -> None:
        """Ask an agent as a task."""
        asked = self.client.mcp("tools/call", about="ask_agent", name="ask_agent", arguments={"question": question})
        self.tasks[name] = asked["taskId"]

    def begin_job(self, name: str, *, day: str) -> None:
        """Start to load a file of games."""
        file = {"file": (f"{day}.csv", games_of(day), "text/csv")}
        page = self.curator.submit(ADD_JOB, files=file)
        self.jobs[name] = page.url.path.split("/")[4]

    def wait_for(self, table: str, state: str, *, key: str) -> None:
        """Wait until a row is in a state; tasks call it status."""
        column = "status" if table == "toolbox_tasks" else "state"
        statement = f"SELECT 1 FROM {table} WHERE id::text = %s AND {column} = %s"
        wait_for(lambda: self.rows.execute(statement, [key, state]).fetchone(), what=f"{table} {key} {state}")


def leave_work(
    server: str, *, environment: dict[str, str], facts: dict[str, Any], model: ModelServer
) -> dict[str, Any]:
    """Do some work with a worker, kill it while it does more, and queue work that no worker takes."""
    filler = Filler(server, environment=environment, facts=facts, model=model)
    with ExitStack() as stack:
        part = stack.enter_context(worker(environment))
        _finish_work(filler)
        _pause_work(filler)
        _kill_in_work(filler, part=part)
    filler.runs["queued"] = filler.client.ask("Is anybody there?")
    filler.runs["cancelled"] = filler.client.ask("Do not answer this.")
    filler.client.post(f"{filler.runs['cancelled']['run']}/cancel")
    filler.begin_task("queued", question="Does a task wait?")
    filler.begin_job("queued", day="2025-02-04")
    return {"runs": filler.runs, "tasks": filler.tasks, "jobs": filler.jobs}


def _finish_work(filler: Filler) -> None:
    filler.model.when("How did Carolina", calls("query_linescore_data", A_DAY), says("They played on 30 January."))
    filler.runs["finished"] = filler.client.ask("How did Carolina do?", title="Carolina", toolkits=["linescore"])
    filler.model.when("End a task", says("It has ended."))
    filler.begin_task("finished", question="End a task")
    filler.begin_job("finished", day="2025-02-02")
    filler.wait_for("agents_runs", "succeeded", key=_id(filler.runs["finished"]))
    filler.wait_for("toolbox_tasks", "completed", key=filler.tasks["finished"])
    filler.wait_for("toolbox_jobs", "succeeded", key=filler.jobs["finished"])
    filler.model.when("This cannot be", refuses(400, message="It is refused."))
    filler.runs["failed"] = filler.client.ask("This cannot be answered.")
    filler.wait_for("agents_runs", "failed", key=_id(filler.runs["failed"]))
    filler.client.post(f"{filler.runs['finished']['conversation']}/fork", message=1, title="Forked")
    filler.model.when("Say it locally", says("It is said."))
    manage("chat", "Say it locally", environment=filler.environment)


def _pause_work(filler: Filler) -> None:
    """Bring a run and a task to where a person decides."""
    filler.model.when("May I look", calls("query_linescore_data", A_DAY))
    filler.runs["awaiting"] = filler.client.ask("May I look?", approveTools=["query_linescore_data"])
    filler.model.when("Are all games there", calls("ingest_linescore_games", WRITING))
    filler.begin_task("awaiting", question="Are all games there?")
    filler.wait_for("agents_runs", "awaiting_approval", key=_id(filler.runs["awaiting"]))
    filler.wait_for("toolbox_tasks", "input_required", key=filler.tasks["awaiting"])


def _kill_in_work(filler: Filler, *, part: Part) -> None:
    """Kill the worker while a model answers it, twice, and while a job waits for a lock."""
    for question in ("Will you finish", "Will a task finish"):
        gate = Gate()
        filler.model.when(question, says("Half of it is lost.").at(gate, after=2))
        if "task" in question:
            filler.begin_task("lost", question=f"{question}?")
        else:
            filler.runs["lost"] = filler.client.ask(f"{question}?")
        assert gate.reached.wait(60)
    with psycopg.connect(filler.environment["DATABASE_URL"]) as holding:
        holding.execute("LOCK TABLE linescore_games, linescore_teams IN ACCESS EXCLUSIVE MODE")
        filler.begin_job("lost", day="2025-02-03")
        filler.wait_for("toolbox_jobs", "running", key=filler.jobs["lost"])
        part.kill()
        filler.rows.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
            " AND wait_event_type = 'Lock'"
        )


def read_answers(server: str, *, facts: dict[str, Any]) -> dict[str, Any]:
    """Read what REST returns for the conversations, and MCP for the tasks."""
    client = Client(server, key=facts["keys"]["writer"])
    paths = [CONVERSATIONS]
    for name, run in facts["runs"].items():
        paths += [run["conversation"], f"{run['conversation']}/messages", run["run"]]
        if name == "finished":
            paths += [f"{run['run']}/events", *(f"{run['run']}/steps/{number}" for number in (1, 2, 3))]
    tasks = {name: client.mcp("tasks/get", about=task, taskId=task) for name, task in facts["tasks"].items()}
    return {"answers": {path: client.get(path) for path in paths}, "taskAnswers": tasks}


def _id(run: dict[str, str]) -> str:
    return run["run"].rpartition("/")[2]
