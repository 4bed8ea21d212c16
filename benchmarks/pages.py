"""
How long pages take at a million calls, a million events and 200,000 issues: `python -m benchmarks.pages`.

The calls are made by one statement in a scratch database with a partition a month: 90 days, 40 tools, 60 keys of
which the first makes half of them, one refusal in twenty, one failure in fifty. The issues are of twenty teams, the
events of one run that is loaded as a person loads it. Each page is asked for in this process, through Django's
middleware, as a superuser; the first request of each address warms up and does not count. CPU is of this process alone:
PostgreSQL's is not in it. The first event of an answer is measured by `python benchmarks/agents.py`.
"""

import argparse
import os
import statistics
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from benchmarks.scratch import scratch_database

CALLS, EVENTS, ISSUES = 1_000_000, 1_000_000, 200_000
TIMES, MAX_MILLISECONDS = 5, 200
_FILL = """
INSERT INTO toolbox_tool_calls (called_at, request_id, caller, key_id, transport, domain, tool, arguments, outcome,
    code, status, rows, answer_bytes, milliseconds)
SELECT now() - number * interval '90 days' / %(calls)s, md5(number::text), 'key ' || key_id, key_id, 'mcp', 'linescore',
    'tool_' || number %% 40, '{"teamCode": "CAR", "startDate": "2025-02-01", "endDate": "2025-02-28", "limit": 50}',
    CASE WHEN number %% 20 = 7 THEN 'refused' WHEN number %% 50 = 11 THEN 'failed' ELSE 'answered' END,
    CASE WHEN number %% 20 = 7 THEN 'INVALID_PARAMETER' WHEN number %% 50 = 11 THEN 'DEADLINE' ELSE '' END,
    200, number %% 50, 900, 1 + number %% 300
FROM (
    SELECT number,
        CASE WHEN number > %(calls)s * 0.999 THEN 60 WHEN number %% 2 = 0 THEN 1 ELSE 2 + number %% 58 END AS key_id
    FROM generate_series(1, %(calls)s) AS number
) AS made
"""
_PART = """
DO $$
DECLARE month timestamp;
BEGIN
    ALTER TABLE toolbox_tool_calls DETACH PARTITION toolbox_tool_calls_before;
    FOR month IN
        SELECT generate_series(date_trunc('month', now() AT TIME ZONE 'UTC') - interval '12 months',
                               date_trunc('month', now() AT TIME ZONE 'UTC') + interval '3 months', '1 month')
    LOOP
        EXECUTE format(
            'CREATE TABLE IF NOT EXISTS %I PARTITION OF toolbox_tool_calls FOR VALUES FROM (%L) TO (%L)',
            'toolbox_tool_calls_' || to_char(month, 'YYYY_MM'), month AT TIME ZONE 'UTC',
            (month + interval '1 month') AT TIME ZONE 'UTC'
        );
    END LOOP;
END
$$
"""
"""As after a year: what is there before migration 0023 would else be one partition."""
ADDRESSES = {
    "the latest calls": "/activity/",
    "a busy key": "/activity/?key=1",
    "a key of 90 days ago": "/activity/?key=60",
    "a tool": "/activity/?tool=tool_7",
    "refused calls": "/activity/?outcome=refused",
    "a busy key and a tool that it never calls": "/activity/?key=1&tool=tool_7",
    "a key and failures": "/activity/?key=1&outcome=failed",
    "a tool that there is not": "/activity/?tool=nothing",
    "the slowest calls": "/activity/?sort=-ms",
    "a busy key's calls by tool": "/activity/?key=1&sort=tool",
    "refused calls by rows, page 20": "/activity/?outcome=refused&sort=-rows&page=20",
    "one call with its session": "/activity/calls/{call}/",
    "refused and failed": "/activity/queue/",
    "trends of 90 days": "/activity/trends/?days=90",
    "ask": "/",
    "data": "/data/",
    "tools": "/tools/",
    "a team's board": "/sprints/",
    "runs": "/backtests/",
    "a run": "/backtests/runs/{run}/",
    "the admin": "/admin/",
    "the admin's calls": "/admin/toolbox/toolcall/",
    "the admin's issues": "/admin/sprints/issue/",
}


def main() -> None:
    """Fill, measure and print; exits with 1 if a page takes longer than 200 ms."""
    parser = argparse.ArgumentParser(description="How long pages of the console take.")
    parser.add_argument("--calls", type=int, default=CALLS)
    parser.add_argument("--events", type=int, default=EVENTS)
    parser.add_argument("--issues", type=int, default=ISSUES)
    arguments = parser.parse_args()
    with ExitStack() as stack:
        scratch = stack.enter_context(scratch_database(name="pages"))
        os.environ |= scratch.environment | {"DJANGO_SETTINGS_MODULE": "config.settings", "ALLOWED_HOSTS": "testserver"}
        import django  # noqa: PLC0415 - settings name the scratch database from here on

        django.setup()
        slow = _measure(calls=arguments.calls, events=arguments.events, issues=arguments.issues)
    if slow:
        raise SystemExit(f"slower than {MAX_MILLISECONDS} ms: {', '.join(slow)}")


def _measure(*, calls: int, events: int, issues: int) -> list[str]:
    from django.contrib.auth.models import User  # noqa: PLC0415
    from django.core.management import call_command  # noqa: PLC0415
    from django.db import connection  # noqa: PLC0415
    from django.test import Client  # noqa: PLC0415

    from benchmarks.many_issues import fill  # noqa: PLC0415
    from toolbox.audit.log import audit  # noqa: PLC0415
    from toolbox.database import event_loop  # noqa: PLC0415

    call_command("migrate", verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute(_PART)
        cursor.execute(_FILL, {"calls": calls})
        cursor.execute("VACUUM ANALYZE toolbox_tool_calls, toolbox_call_counts")
        cursor.execute("SELECT max(id) FROM toolbox_tool_calls")
        [call] = cursor.fetchone() or [1]
    with connection.cursor() as cursor:
        fill(cursor.connection, issues=issues)
    run = _load_run(events)
    browser = Client()
    browser.force_login(User.objects.create_superuser("bench"))
    print(f"{calls:,} calls, {events:,} events, {issues:,} issues; load average {os.getloadavg()[0]:.1f}\n")
    print("| page | median ms | worst ms | CPU, ms |\n|---|--:|--:|--:|")
    middle = call - calls // 2
    slow = [name for name, address in ADDRESSES.items() if _time(browser, name, address.format(call=middle, run=run))]
    event_loop.run(audit.flush())  # write the audit log before the database is dropped
    return slow


def _load_run(events: int) -> str:
    from django.core.management import call_command  # noqa: PLC0415

    from benchmarks.backtests_log import write_log  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder:
        log = write_log(Path(folder), events=events)
        call_command("ingest_backtest", str(log.path), verbosity=0)
    return str(log.run_id)


def _time(browser: object, name: str, address: str) -> bool:
    took, spent = [], []
    for _ in range(TIMES + 1):
        started, busy = time.perf_counter(), time.process_time()
        answer = browser.get(address)  # type: ignore[attr-defined]
        took.append((time.perf_counter() - started) * 1000)
        spent.append((time.process_time() - busy) * 1000)
        if answer.status_code != 200:  # noqa: PLR2004 - OK
            raise SystemExit(f"{address} is answered with {answer.status_code}")
    median = statistics.median(took[1:])
    print(f"| {name} | {median:.0f} | {max(took[1:]):.0f} | {statistics.median(spent[1:]):.0f} |", flush=True)
    return median > MAX_MILLISECONDS


if __name__ == "__main__":
    main()
