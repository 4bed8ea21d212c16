"""Hold conversations in tests, and observe them in the database."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import psycopg
from django.db import connections
from psycopg.rows import dict_row

from agents.queries import conversations, leases, run_requests
from agents.tasks import carry_out_run
from config.celery import app
from toolbox.contract.caller import Caller
from toolbox.database import event_loop

FINAL = ("succeeded", "failed", "cancelled", "timed_out")
SETTINGS: dict[str, Any] = {
    "title": "", "toolkits": [], "model": "", "max_steps": 24, "max_tokens": 200_000, "max_seconds": 60,
    "max_cost": None, "max_total_tokens": None, "max_total_cost": None,
    "max_answer_bytes": 20_000, "approve_tools": [], "second_message": "wait",
}  # fmt: skip


APPROVER = Caller(name="approver", scopes=frozenset({"*:read", "*:write"}))


class Owner:
    """The conversations of one owner; None is the local operator."""

    def __init__(self, broker: str, *, owner_id: int | None = None, key_id: int | None = None) -> None:
        self.broker, self._owner_id, self._key_id = broker, owner_id, key_id

    def begin(self, **settings: Any) -> UUID:
        """Create a conversation and return its id."""
        made = event_loop.run(conversations.create(SETTINGS | settings, owner_id=self._owner_id))
        return UUID(str(made["id"]))

    def say(self, text: str, *, to: UUID | None = None, is_told: bool = True, **settings: Any) -> UUID:
        """Post a message, in a new conversation unless one is given, and return the run's id."""
        conversation = to or self.begin(**settings)
        posted = event_loop.run(
            run_requests.post_message(conversation, owner_id=self._owner_id, key_id=self._key_id, text=text)
        )
        assert not isinstance(posted, str), posted
        if is_told:
            self._tell(posted.run_id)
        return posted.run_id

    def cancel(self, run_id: UUID) -> None:
        """Cancel a run."""
        following = event_loop.run(leases.cancel(run_id))
        if following:
            self._tell(following)

    def approve(self, run_id: UUID, *, arguments: dict[str, Any] | None = None) -> None:
        """Approve the waiting step."""
        assert event_loop.run(
            run_requests.approve(
                run_id, number=None, caller=APPROVER, arguments=json.dumps(arguments) if arguments else ""
            )
        )
        self._tell(run_id)

    def reject(self, run_id: UUID, *, word: str = "") -> None:
        """Reject the waiting step."""
        assert event_loop.run(run_requests.reject(run_id, number=None, word=word))
        self._tell(run_id)

    def _tell(self, run_id: UUID) -> None:
        with app.connection_for_write(self.broker) as connection:
            carry_out_run.apply_async(kwargs={"run_id": str(run_id)}, connection=connection)


class Observer:
    """A separate connection to the database that is woken by the events of runs."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection
        connection.execute("LISTEN agents_runs")

    def ask(self, statement: str, *values: Any) -> list[dict[str, Any]]:
        """Return all rows of a statement."""
        cursor = self._connection.execute(statement.encode(), values)
        return list(cursor.fetchall()) if cursor.description else []

    def run(self, run_id: UUID) -> dict[str, Any]:
        """Return a run's row."""
        return self.ask("SELECT * FROM agents_runs WHERE id = %s", run_id)[0]

    def steps(self, run_id: UUID) -> list[dict[str, Any]]:
        """Return a run's steps."""
        return self.ask("SELECT * FROM agents_steps WHERE run_id = %s ORDER BY number", run_id)

    def events(self, run_id: UUID) -> list[dict[str, Any]]:
        """Return a run's events."""
        return self.ask("SELECT number, kind, data FROM agents_events WHERE run_id = %s ORDER BY number", run_id)

    def answer(self, run_id: UUID) -> str:
        """Return what a run answered."""
        found = self.ask("SELECT text FROM agents_messages WHERE run_id = %s AND role = 'assistant'", run_id)
        return str(found[0]["text"]) if found else ""

    def calls(self, run_id: UUID) -> list[dict[str, Any]]:
        """Return the audit rows of the calls that a run made."""
        return self.ask(
            "SELECT * FROM toolbox_tool_calls WHERE request_id LIKE %s ORDER BY called_at", f"{run_id.hex}-%"
        )

    def find_waiting(self, table: str) -> list[dict[str, Any]]:
        """Return the statements that wait for a lock on a table with this prefix."""
        return self.ask(
            "SELECT activity.pid, activity.query FROM pg_locks AS lock JOIN pg_stat_activity AS activity USING (pid) "
            "JOIN pg_class AS class ON class.oid = lock.relation "
            "WHERE NOT lock.granted AND activity.datname = current_database() AND class.relname LIKE %s",
            f"{table}%",
        )

    def stuck(self) -> list[dict[str, Any]]:
        """Return the statements that wait for another transaction's end."""
        return self.ask(
            "SELECT pid, query FROM pg_stat_activity "
            "WHERE datname = current_database() AND wait_event = 'transactionid'"
        )

    def end_of(self, run_id: UUID, *, seconds: float = 60) -> dict[str, Any]:
        """Wait until a run has ended, and return its row."""
        self.until(lambda: self.run(run_id)["state"] in FINAL, seconds=seconds, about=run_id)
        return self.run(run_id)

    def state_of(self, run_id: UUID, *, state: str, seconds: float = 60) -> dict[str, Any]:
        """Wait until a run is in a state, and return its row."""
        self.until(lambda: self.run(run_id)["state"] == state, seconds=seconds, about=run_id)
        return self.run(run_id)

    def until(self, condition: Callable[[], Any], *, seconds: float = 60, about: UUID | None = None) -> None:
        """Check at every event and ten times a second; raises TimeoutError with what is known of the run."""
        for _ in range(int(seconds * 10)):
            if condition():
                return
            for _ in self._connection.notifies(timeout=0.1, stop_after=1):
                pass
        if not condition():
            raise TimeoutError(f"not within {seconds:g} s: {self._describe_run(about)}")

    def _describe_run(self, about: UUID | None) -> str:
        if about is None:
            return ""
        events = [f"{event['kind']} {event['data']}" for event in self.events(about)]
        return f"{self.run(about)}\n" + "\n".join(events[-20:])


@contextmanager
def observe_database() -> Iterator[Observer]:
    """Connect to the test's database as its owner."""
    with psycopg.connect(conninfo(), autocommit=True, row_factory=dict_row) as connection:
        yield Observer(connection)


@contextmanager
def lock_table(table: str) -> Iterator[None]:
    """Lock a table until the block ends: a statement that reads it waits."""
    with psycopg.connect(conninfo()) as connection:
        connection.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE".encode())
        yield
        connection.rollback()


@contextmanager
def reserve_step(run_id: UUID, *, step: int) -> Iterator[None]:
    """Stop a run before a step until the block ends: a worker that begins the step waits for its number."""
    with psycopg.connect(conninfo()) as connection:
        connection.execute(
            "INSERT INTO agents_steps (run_id, number, kind, state, attempt, idempotency_key, call_id, tool, arguments,"
            " edited_arguments, word, answer, shown, code, prompt_tokens, completion_tokens, created_at)"
            " VALUES (%s, %s, 'model', 'started', 0, %s, '', '', '', '', '', '', '', '', 0, 0, now())",
            [run_id, step, f"{run_id.hex}-reserved"],
        )
        yield
        connection.rollback()


def conninfo() -> str:
    """Return the connection string of the test's database for its owner."""
    entry = connections["default"].settings_dict
    return psycopg.conninfo.make_conninfo(
        dbname=entry["NAME"], user=entry["USER"], host=entry["HOST"] or None, password=entry["PASSWORD"] or None,
        port=entry["PORT"] or None,
    )  # fmt: skip
