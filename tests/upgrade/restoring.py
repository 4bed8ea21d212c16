"""The stored dump in a separate database, upgraded by the present code."""

import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from django.db import connections

from tests.conftest import _clone, _drop, server_environment
from tests.upgrade.product import manage

HERE = Path(__file__).parent
FACTS: dict[str, Any] = json.loads((HERE / "facts.json").read_text(encoding="utf-8"))
ADDRESSES = ("DATABASE_URL", "DATABASE_READER_URL", "DATABASE_ANALYST_URL")
MADE_YOUNG = """
UPDATE oauth2_provider_accesstoken SET expires = now() + interval '1 hour';
UPDATE oauth2_provider_grant SET expires = now() + interval '1 hour';
UPDATE oauth2_provider_refreshtoken SET created = now(), updated = now();
UPDATE toolbox_api_keys SET expires_at = now() + interval '1 hour' WHERE digest LIKE 'oauth:%';
UPDATE agents_runs SET deadline_at = now() + interval '1 hour' WHERE state = 'running';
UPDATE toolbox_tasks SET created_at = now(), changed_at = now();
UPDATE toolbox_mcp_sessions SET changed_at = now();
"""
"""What was good for minutes is good again. Names are those of the dump: this runs before `migrate`."""


@contextmanager
def upgraded(*, upstream: str) -> Iterator[dict[str, str]]:
    """
    Restore the dump in a separate database and migrate it, until the block ends.

    Yields the environment of processes that use it. The dump's upstream gets its present address.
    """
    usual = connections["default"].settings_dict["NAME"]
    name = f"{usual}_upgrade"
    environment = server_environment() | {"SECRET_KEY": FACTS["secretKey"], "TOOLROOM_AUDIT_KEEP_DAYS": "0"}
    environment |= {url: environment[url].replace(f"/{usual}?", f"/{name}?") for url in ADDRESSES}
    _clone("template1", to=name)
    try:
        _execute(environment, gzip.decompress((HERE / "dump.sql.gz").read_bytes()))
        _execute(environment, MADE_YOUNG.encode())
        manage("migrate", "--no-input", environment=environment)
        _execute(environment, f"UPDATE graphql_proxy_upstreams SET address = '{upstream}'".encode())
        yield environment
    finally:
        _drop(name)


def _execute(environment: dict[str, str], statements: bytes) -> None:
    """Execute statements as the owner in a separate session: a dump changes the session's settings."""
    with psycopg.connect(environment["DATABASE_URL"]) as connection:
        connection.execute(statements)
