"""
Fill a database through the product, and store it as dump.sql.gz with facts.json beside it.

The stored dump was made from commit 705f1eb1b98fc1ab01ec5a0ecb1f7cb7a4c4f8d8 (0.1.0, before the kernel was redesigned).

To make the next one: check out the commit whose databases are to upgrade, in a clean clone with its requirements
installed; run `python -m tests.upgrade.make_dump`; copy dump.sql.gz and facts.json to the branch that upgrades. This
script and filling.py fit the commit that they lie in, and change with it; test_upgrade.py reads facts.json alone.
"""

import gzip
import json
import os
import platform
import re
import subprocess
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg

from config.postgres.cluster import address, ensure_running
from config.postgres.roles import ANALYST, OWNER, READER
from tests.upgrade.rows import AUDIT, count_rows, read_values

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
DATABASE = "toolroom_upgrade_dump"
SECRET_KEY = "upgrade-test-0123456789-abcdefghijklmnopqrstuvwxyz-not-a-secret"
LEFT_OUT = (
    r"^(\\(un)?restrict .*|CREATE SCHEMA public;|(COMMENT|GRANT|REVOKE) .*(SCHEMA public|pg_catalog\.|plpgsql).*)$"
)
"""Commands of psql, and what every database has that was made from template1."""
ELSEWHERE = "/srv/toolroom"
"""Where the dump says that the clone lies."""


def main() -> None:
    """Make the database, fill it, dump it, drop it."""
    place = ensure_running(ROOT / "var")
    admin = psycopg.connect(address(place, database="postgres", user="postgres"), autocommit=True)
    admin.execute(f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)")
    admin.execute(f"CREATE DATABASE {DATABASE} OWNER {OWNER} TEMPLATE template1")
    names = {"DATABASE_URL": OWNER, "DATABASE_READER_URL": READER, "DATABASE_ANALYST_URL": ANALYST}
    os.environ.update({name: address(place, database=DATABASE, user=role) for name, role in names.items()})
    os.environ.update({"SECRET_KEY": SECRET_KEY, "DJANGO_SETTINGS_MODULE": "config.settings"})
    import django

    django.setup()
    facts = _fill() | {"secretKey": SECRET_KEY}
    facts["tables"] = count_rows(os.environ["DATABASE_URL"])
    facts["audit"] = {table: read_values(os.environ["DATABASE_URL"], table) for table in AUDIT}
    dumped = subprocess.run(
        [place.programs / "pg_dump", "--no-owner", "--inserts", "--rows-per-insert=50", "--schema=public",
         "--schema=sprintscope", os.environ["DATABASE_URL"]],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    packed = gzip.compress(_plain(dumped.stdout).encode(), compresslevel=9, mtime=0)
    (HERE / "dump.sql.gz").write_bytes(packed)
    (HERE / "facts.json").write_text(json.dumps(facts, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    admin.execute(f"DROP DATABASE {DATABASE} WITH (FORCE)")
    print(f"{len(packed):,} bytes, {sum(facts['tables'].values()):,} rows")


def _fill() -> dict[str, Any]:
    """Fill the database while web server, workers and broker run; imports late, because imports read settings."""
    from django.core.management import call_command

    from tests.agents.model_server import KEY, MODEL, model_server
    from tests.agents.processes import own_broker, web
    from tests.conftest import server_environment
    from tests.upgrade import filling, queueing

    call_command("migrate", verbosity=0)
    facts = filling.add_people_and_rows()
    with ExitStack() as stack:
        broker, model = stack.enter_context(own_broker()), stack.enter_context(model_server())
        environment = server_environment() | {
            "CELERY_BROKER_URL": broker.address, "OPENAI_BASE_URL": model.address, "OPENAI_API_KEY": KEY,
            "AGENT_MODEL": MODEL,
        }  # fmt: skip
        server, _ = stack.enter_context(web(environment))
        facts |= filling.make_calls(server, environment=environment, facts=facts)
        facts |= queueing.leave_work(server, environment=environment, facts=facts, model=model)
        facts |= queueing.read_answers(server, facts=facts)
    return facts


def _plain(dump: str) -> str:
    """Return what the owner executes in our own database, without the statements of LEFT_OUT."""
    text = re.sub(LEFT_OUT, "", dump, flags=re.MULTILINE).replace(str(ROOT), ELSEWHERE)
    return re.sub(r"\n{3,}", "\n\n", text.replace(f"'{platform.node()}:", "'worker:"))


if __name__ == "__main__":
    main()
