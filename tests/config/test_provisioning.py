"""Provisioning a server that was made without a locale, as `initdb` and Debian's packages do where none is set."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from django.conf import settings

from config.postgres.cluster import SUPERUSER, _program, _run
from config.postgres.location import find_place
from config.postgres.roles import OWNER, WrongEncoding, provision

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("cast")]


@pytest.fixture(scope="module")
def sql_ascii_server() -> Iterator[str]:
    """Start a server whose databases are in SQL_ASCII; yields the superuser's address."""
    place = find_place(settings.TOOLROOM_VAR)
    folder = Path(tempfile.mkdtemp(prefix="toolroom-ascii-", dir="/tmp"))
    if place.account:
        os.chown(folder, place.account.pw_uid, place.account.pw_gid)
    data, options = str(folder / "data"), f"-k '{folder}' -c listen_addresses=''"
    _run(
        place, "initdb", "-D", data, "-U", SUPERUSER, "--auth=trust", "--encoding=SQL_ASCII", "--locale=C", "--no-sync"
    )
    _run(place, "pg_ctl", "-D", data, "-l", str(folder / "log"), "-w", "-o", options, "start")
    yield f"postgresql://{SUPERUSER}@/postgres?host={folder}"
    _program(place, "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
    shutil.rmtree(folder)


def test_the_database_is_in_utf_8_all_the_same(sql_ascii_server: str) -> None:
    made = provision(sql_ascii_server, database="spoken")

    assert "database spoken" in made
    with psycopg.connect(sql_ascii_server.replace("/postgres?", "/spoken?"), user=OWNER) as owner:
        assert owner.execute("SELECT lower('ÄÉ'), length('日本')").fetchone() == ("äé", 2)
    assert provision(sql_ascii_server, database="spoken") == []


def test_a_database_of_another_encoding_is_refused_with_what_to_do(sql_ascii_server: str) -> None:
    with psycopg.connect(sql_ascii_server, autocommit=True) as admin:
        admin.execute("CREATE DATABASE mute")

    with pytest.raises(WrongEncoding, match="mute is in SQL_ASCII, and Toolroom needs UTF8: drop it"):
        provision(sql_ascii_server, database="mute")
