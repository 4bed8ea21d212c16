"""Backups of an embedded cluster, restored and moved to a new cluster; `manage.py` is called where words matter."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from psycopg import sql

from config.management.commands.restore import Command
from config.postgres import backup as backups
from config.postgres import cluster, upgrade
from config.postgres.backup import BackupRefused, Manifest, Roles, make_backup, read_manifest, restore_backup
from config.postgres.client_programs import ProgramMissing, find_programs, read_major, run_program
from config.postgres.cluster import ensure_running, leave
from config.postgres.location import find_place, packaged_programs
from config.postgres.roles import ANALYST, DATABASE, OWNER, READER, provision
from config.postgres.table_checksums import compute_checksums, find_differences, read_sequences
from tests.config.conftest import open_folder
from tests.config.own_cluster import environment_of, manage, superuser_url

ROLES = Roles(owner=OWNER, reader=READER, analyst=ANALYST)
FILL = """
CREATE TABLE games (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text, score numeric, place vector(2));
ALTER TABLE games OWNER TO toolroom;
GRANT SELECT ON games TO toolroom_reader;
INSERT INTO games (name, score, place) SELECT 'game ' || n, n / 3.0, '[1,2]' FROM generate_series(1, 1000) AS n;
"""
COUNT = "SELECT count(*) FROM games"


@contextmanager
def run_cluster(var: Path) -> Iterator[psycopg.Connection[Any]]:
    """Start the server until the block ends, and connect as the superuser."""
    place = ensure_running(var)
    try:
        with psycopg.connect(superuser_url(var), autocommit=True) as connection:
            yield connection
    finally:
        leave(place)


@pytest.fixture(scope="module")
def filled_var() -> Iterator[Path]:
    """Create a cluster with a filled table, and stop it."""
    with open_folder() as folder:
        with run_cluster(folder / "var") as connection:
            connection.execute(FILL.encode())
        yield folder / "var"


@pytest.fixture
def backup(filled_var: Path, tmp_path: Path) -> Iterator[Path]:
    """Back up a cluster that has only the filled table; yields the backup's folder."""
    with run_cluster(filled_var) as unused:
        unused.close()
        with psycopg.connect(superuser_url(filled_var, database="postgres"), autocommit=True) as admin:
            names = admin.execute("SELECT datname FROM pg_database WHERE datname LIKE 'toolroom_%' LIMIT 99").fetchall()
            for [name] in names:
                admin.execute(sql.SQL("DROP DATABASE {}").format(sql.Identifier(name)))
        with psycopg.connect(superuser_url(filled_var), autocommit=True) as connection:
            connection.execute("TRUNCATE games RESTART IDENTITY")
            connection.execute(FILL.splitlines()[-1].encode())
        folder = tmp_path / "backup"
        key_file = filled_var / "secret_key"
        make_backup(superuser_url(filled_var), folder=folder, roles=ROLES, secret_key="not told", key_file=key_file)
        yield folder


def restore(folder: Path, *, var: Path, roles: Roles = ROLES, is_replacing: bool = True) -> str:
    """Restore a backup as the command does; returns the name under which the present database was kept."""
    url = superuser_url(var, database="postgres")
    return restore_backup(
        folder, admin_url=url, database=DATABASE, roles=roles, is_replacing=is_replacing,
        provision=lambda name: provision(url, database=name),
    )  # fmt: skip


def ask(var: Path, statement: str, *, database: str = DATABASE) -> Any:
    """Return the one value that a statement returns."""
    with psycopg.connect(superuser_url(var, database=database), autocommit=True) as connection:
        row = connection.execute(statement.encode()).fetchone()
        return row[0] if row else None


@pytest.mark.slow
def test_a_backup_keeps_the_key_private(filled_var: Path, backup: Path) -> None:
    with pytest.raises(BackupRefused, match="name one that does not exist"):
        make_backup(superuser_url(filled_var), folder=backup, roles=ROLES, secret_key="", key_file=None)

    assert read_manifest(backup).tables["public.games"][0] == "1000"
    assert (backup / "secret_key").read_text() == "not told"
    assert (backup / "secret_key").stat().st_mode & 0o777 == 0o600
    assert backup.stat().st_mode & 0o777 == 0o700
    assert "not told" not in (backup / "manifest.json").read_text()


@pytest.mark.slow
def test_a_database_with_rows_is_replaced_only_when_told_so_and_kept(filled_var: Path, backup: Path) -> None:
    ask(filled_var, "DELETE FROM games WHERE id > 10 RETURNING 1")

    with pytest.raises(BackupRefused, match=r"has rows in 1 tables \(public.games\). Nothing was restored."):
        restore(backup, var=filled_var, is_replacing=False)
    kept = restore(backup, var=filled_var)

    assert ask(filled_var, COUNT, database=kept) == 10
    assert ask(filled_var, COUNT) == 1000
    assert ask(filled_var, "SELECT has_table_privilege('toolroom_reader', 'games', 'SELECT')")
    assert ask(filled_var, "SELECT relowner::regrole::text FROM pg_class WHERE relname = 'games'") == OWNER
    assert ask(filled_var, "INSERT INTO games (name) VALUES ('next') RETURNING id") == 1001


@pytest.mark.slow
def test_a_backup_made_while_ids_are_given_out_can_be_restored(
    filled_var: Path, backup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sequences are of no snapshot: what is given out after the dump is no difference."""
    url = superuser_url(filled_var)

    def dump_and_insert(*arguments: Any, **given: Any) -> str:
        said = run_program(*arguments, **given)
        ask(filled_var, "INSERT INTO games (name) VALUES ('meanwhile') RETURNING id")
        return said

    with monkeypatch.context() as patched:
        patched.setattr(backups, "run_program", dump_and_insert)
        make_backup(url, folder=tmp_path / "second", roles=ROLES, secret_key="", key_file=None)
    restore(tmp_path / "second", var=filled_var)

    assert ask(filled_var, COUNT) == 1000
    assert ask(filled_var, "SELECT last_value FROM games_id_seq") == 1000


@pytest.mark.slow
def test_a_database_that_cannot_get_its_name_is_taken_back(
    filled_var: Path, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The present database never is without its name."""
    fill = backups.fill_database

    def fill_and_stay(folder: Path, *, manifest: Manifest, url: str, owner: str) -> None:
        fill(folder, manifest=manifest, url=url, owner=owner)
        stays.append(psycopg.connect(url))

    stays: list[psycopg.Connection[Any]] = []
    monkeypatch.setattr(backups, "fill_database", fill_and_stay)
    with pytest.raises(psycopg.errors.ObjectInUse):
        restore(backup, var=filled_var)
    stays[0].close()

    assert ask(filled_var, COUNT) == 1000
    assert ask(filled_var, "SELECT count(*) FROM pg_database WHERE datname LIKE 'toolroom%'") == 1


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["damaged", "in use", "altered", "roles"])
def test_what_cannot_be_restored_changes_nothing(filled_var: Path, backup: Path, fault: str) -> None:
    said = {
        "damaged": "is damaged", "in use": "sessions use the database", "altered": "1 tables are not what they were",
        "roles": "Use the names of the backup",
    }  # fmt: skip
    manifest, dump = backup / "manifest.json", backup / "database.dump"
    if fault == "damaged":
        dump.write_bytes(dump.read_bytes() + b"\0")
    if fault == "altered":
        values = json.loads(manifest.read_text())
        values["tables"]["public.games"][0] = "1001"
        manifest.write_text(json.dumps(values))
    roles = Roles(owner=OWNER, reader="other", analyst=ANALYST) if fault == "roles" else ROLES

    with psycopg.connect(superuser_url(filled_var)) as connection:
        if fault != "in use":
            connection.close()
        with pytest.raises(BackupRefused, match=said[fault]):
            restore(backup, var=filled_var, roles=roles)

    assert ask(filled_var, COUNT) == 1000
    assert ask(filled_var, "SELECT count(*) FROM pg_database WHERE datname LIKE 'toolroom%'") == 1


@pytest.mark.slow
def test_on_another_machine_the_commands_install_the_key_of_the_backup(filled_var: Path, tmp_path: Path) -> None:
    folder = tmp_path / "backup"
    with open_folder() as other:
        backed_up = manage("backup", str(folder), environment=environment_of(filled_var))
        restored = manage("restore", str(folder), environment=environment_of(other / "var"))
        with run_cluster(other / "var") as connection:
            count = connection.execute(COUNT).fetchone()
        key, kept = (other / "var" / "secret_key").read_text(), len(list((other / "var").glob("secret_key.before-*")))

    assert (backed_up.returncode, restored.returncode) == (0, 0), backed_up.stderr + restored.stderr
    assert count == (1000,)
    assert key == (filled_var / "secret_key").read_text()
    assert kept == 1
    assert key not in backed_up.stdout + restored.stdout


@pytest.mark.slow
def test_a_cluster_moves_to_a_new_folder_unless_it_is_in_use_or_tables_differ(
    filled_var: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise BackupRefused("tables differ")

    with run_cluster(filled_var) as connection:
        before = compute_checksums(connection) | read_sequences(connection)
        in_use = manage("upgrade_cluster", environment=environment_of(filled_var))
    home = find_place(filled_var).home
    (home / cluster.PROVISIONED).unlink()  # as an older version of Toolroom has left it
    with monkeypatch.context() as patched:
        patched.setattr(upgrade, "fill_database", fail)
        with pytest.raises(BackupRefused, match="tables differ"):
            upgrade.upgrade_cluster(filled_var, old_programs=None, say=lambda _: None)
    assert not list(home.glob("data-*"))
    assert not (home / cluster.PROVISIONED).exists()
    cluster.start(find_place(filled_var))  # as a process that was killed has left it
    kept = upgrade.upgrade_cluster(filled_var, old_programs=None, say=lambda _: None)

    assert "Other processes use the cluster" in in_use.stderr
    assert (kept / "PG_VERSION").exists()
    with run_cluster(filled_var) as connection:
        after = compute_checksums(connection) | read_sequences(connection)
        assert find_differences(before, after=after) == []
    shutil.rmtree(kept)


def test_an_upgrade_says_whose_programs_it_needs(var: Path) -> None:
    data = find_place(var).data
    data.mkdir(parents=True)
    (data / "PG_VERSION").write_text("15\n")

    with pytest.raises(BackupRefused, match=r"made by PostgreSQL 15, .* --old-programs"):
        upgrade.upgrade_cluster(var, old_programs=None, say=lambda _: None)

    assert var in data.parents  # a folder that root makes elsewhere would be there in the next run of the tests


def test_programs_are_those_of_the_server_s_version() -> None:
    major = read_major(packaged_programs())

    assert read_major(find_programs(major)) == major
    with pytest.raises(ProgramMissing, match="postgresql-client-9"):
        find_programs(9)


@pytest.mark.parametrize(
    ("url", "said"),
    [("postgresql://me@db/one", "given before"), ("postgresql://me:given@db/one", "given")],
)
def test_a_program_gets_the_password_of_the_address_or_else_the_usual_one(
    url: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without one in the address, PGPASSWORD and ~/.pgpass stay the operator's."""
    program = tmp_path / "program"
    program.write_text('#!/bin/sh\necho "$PGPASSWORD"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PGPASSWORD", "given before")

    assert run_program(program, url=url).strip() == said


def restore_key(folder: Path) -> str:
    manifest = SimpleNamespace(secret_key_fingerprint="another", has_secret_key=True)
    return Command()._restore_key(folder, manifest=manifest)  # type: ignore[arg-type]


@pytest.fixture
def var_with_key(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("config.management.commands.restore.read_environment", lambda: SimpleNamespace(secret_key=""))
    settings.TOOLROOM_VAR = tmp_path / "var"
    settings.TOOLROOM_VAR.mkdir()
    (settings.TOOLROOM_VAR / "secret_key").write_text("the present key")
    (tmp_path / "secret_key").write_text("the backup's key")
    return settings.TOOLROOM_VAR  # type: ignore[no-any-return]


def test_the_key_of_a_backup_takes_the_place_of_the_present_one_which_is_kept(
    var_with_key: Path, tmp_path: Path
) -> None:
    said = restore_key(tmp_path)

    [kept] = var_with_key.glob("secret_key.before-*")
    assert (var_with_key / "secret_key").read_text() == "the backup's key"
    assert (var_with_key / "secret_key").stat().st_mode & 0o777 == 0o600
    assert kept.read_text() == "the present key"
    assert str(kept) in said


def test_a_key_that_cannot_be_written_leaves_the_present_one(
    var_with_key: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret_key").unlink()

    with pytest.raises(OSError, match="secret_key"):
        restore_key(tmp_path)

    assert (var_with_key / "secret_key").read_text() == "the present key"


def test_a_folder_that_is_no_backup_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BackupRefused, match="no backup that can be read"):
        read_manifest(tmp_path)


def test_a_backup_of_another_format_is_refused(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps({"format": 99}))

    with pytest.raises(BackupRefused, match="has format 99"):
        read_manifest(tmp_path)


def test_a_sequence_may_have_gone_on_and_not_back() -> None:
    before = {"public.a_id_seq": ["7", "True"], "public.b_id_seq": ["1", "False"], "public.c_id_seq": ["7", "True"]}

    after = {"public.a_id_seq": ["8", "True"], "public.b_id_seq": ["1", "True"], "public.c_id_seq": ["6", "True"]}

    assert find_differences(before, after=after) == ["public.c_id_seq: 7 True became 6 True"]


def test_a_changed_value_a_lost_row_and_a_lost_table_are_differences() -> None:
    before = {"public.a": ["2", "77"], "public.b": ["1", "5"], "public.c": ["0", "None"]}

    after = {"public.a": ["2", "78"], "public.b": ["1", "5"]}

    assert find_differences(before, after=after) == [
        "public.a: 2 77 became 2 78",
        "public.c: 0 None became missing",
    ]
