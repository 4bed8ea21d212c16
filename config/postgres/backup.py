"""
Backups: a folder with a dump of the database, the signing key, and what every table held.

    manifest.json   versions, roles, rows and a checksum of every table, all of one moment
    database.dump   pg_dump's custom format, of the schemas in `table_checksums`
    secret_key      the key below TOOLROOM_VAR, where no SECRET_KEY is set; readable by its owner alone

Without the signing key, the stored secrets of upstreams cannot be read, and sessions and links are invalid. With
SECRET_KEY set, the key is the operator's to keep: the manifest has a fingerprint of it. Roles are not in a backup:
`provision` makes them. A restore fills a new database beside the present one, compares every table, and only then
gives it the present one's name.
"""

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from config.postgres.client_programs import find_programs, run_program
from config.postgres.table_checksums import (
    SCHEMAS,
    Counts,
    compute_checksums,
    find_differences,
    find_filled_tables,
    read_sequences,
)

FORMAT = 1
_MANIFEST, _DUMP, SECRET_KEY = "manifest.json", "database.dump", "secret_key"
_OF_EVERY_DATABASE = (" SCHEMA - public ", " ACL - SCHEMA public ", " COMMENT - SCHEMA public ")
"""Entries of a dump that every new database has already, and that only its owner could restore."""
_MAX_NAMED = 5


class BackupRefused(RuntimeError):
    """A backup or restore was not started, or was undone; the message says why and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """The database roles that a dump's grants name."""

    owner: str
    reader: str
    analyst: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """The content of a backup."""

    made_at: str
    server_version: str
    major: int
    roles: Roles
    secret_key_fingerprint: str
    has_secret_key: bool
    dump_sha256: str
    tables: Counts
    format: int = FORMAT


def fingerprint_key(secret_key: str) -> str:
    """Return a fingerprint that distinguishes signing keys without revealing them."""
    return hashlib.sha256(b"toolroom.backup\0" + secret_key.encode()).hexdigest()[:16]


def make_backup(url: str, *, folder: Path, roles: Roles, secret_key: str, key_file: Path | None) -> Manifest:
    """
    Back up the database at `url` into a new folder, while it is in use.

    The dump and the checksums use one snapshot. An incomplete folder has a name that ends in `.partial`. Raises
    BackupRefused, ProgramMissing, ProgramFailed and psycopg.Error.
    """
    if folder.exists():
        raise BackupRefused(f"{folder} exists. A backup makes its own folder: name one that does not exist.")
    draft = folder.with_name(f"{folder.name}.partial")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True, mode=0o700)
    with psycopg.connect(url) as connection:
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        version = connection.info.server_version
        snapshot = connection.execute("SELECT pg_export_snapshot()").fetchone()
        programs = find_programs(version // 10_000)
        sequences = read_sequences(connection)
        schemas = [f"--schema={schema}" for schema in SCHEMAS]
        target = ["--format=custom", f"--snapshot={snapshot[0] if snapshot else ''}", f"--file={draft / _DUMP}"]
        run_program(programs / "pg_dump", *target, *schemas, url=url)
        tables = compute_checksums(connection) | sequences
    if key_file:
        (draft / SECRET_KEY).touch(mode=0o600)
        (draft / SECRET_KEY).write_text(secret_key)
    manifest = Manifest(
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        server_version=f"{version // 10_000}.{version % 10_000}",
        major=version // 10_000,
        roles=roles,
        secret_key_fingerprint=fingerprint_key(secret_key),
        has_secret_key=key_file is not None,
        dump_sha256=_hash_file(draft / _DUMP),
        tables=tables,
    )
    (draft / _MANIFEST).write_text(json.dumps(asdict(manifest), indent=1) + "\n", encoding="utf-8")
    for path in (*draft.iterdir(), draft):
        _sync(path)
    draft.rename(folder)
    return manifest


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest; raises BackupRefused, also if the dump is not the one that was written."""
    try:
        values = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
        if values["format"] != FORMAT:
            raise BackupRefused(f"{folder} has format {values['format']}; this version of Toolroom reads {FORMAT}.")
        manifest = Manifest(**values | {"roles": Roles(**values["roles"])})
        dumped = _hash_file(folder / _DUMP)
    except (OSError, ValueError, KeyError, TypeError) as unreadable:
        raise BackupRefused(f"{folder} is no backup that can be read: {unreadable}") from unreadable
    if dumped != manifest.dump_sha256:
        raise BackupRefused(f"{folder / _DUMP} is damaged: its SHA-256 is not the one in {_MANIFEST}.")
    return manifest


def restore_backup(
    folder: Path,
    *,
    admin_url: str,
    database: str,
    roles: Roles,
    provision: Callable[[str], object],
    is_replacing: bool = False,
) -> str:
    """
    Restore a backup under the name `database`; returns the name under which a database with rows was kept, or "".

    `provision` creates an empty database of a name, with extension and restrictions. Nobody may be connected to the
    present database. If anything fails, the present database stays unchanged. Raises BackupRefused, ProgramMissing,
    ProgramFailed and psycopg.Error.
    """
    manifest = read_manifest(folder)
    stamp = datetime.now(UTC).strftime("%Y%m%d_%H%M%S_%f")
    draft = f"{database[:30]}_restore_{stamp}"
    with psycopg.connect(admin_url, autocommit=True) as admin:
        _check_target(admin, manifest, database=database, roles=roles)
        filled = _find_filled(admin, database=database, url=admin_url)
        if filled and not is_replacing:
            shown = ", ".join(filled[:_MAX_NAMED]) + (" …" if len(filled) > _MAX_NAMED else "")
            raise BackupRefused(
                f"The database {database} has rows in {len(filled)} tables ({shown}). Nothing was restored. To restore "
                "over it, say --replace: the present database is kept under another name."
            )
        try:
            provision(draft)
            fill_database(folder, manifest=manifest, url=make_conninfo(admin_url, dbname=draft), owner=roles.owner)
            return _swap(admin, draft=draft, database=database, kept=f"{database[:30]}_before_{stamp}", filled=filled)
        except BaseException:
            admin.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(draft)))
            raise


def fill_database(folder: Path, *, manifest: Manifest, url: str, owner: str) -> None:
    """Restore a dump into an empty database and compare every table with the manifest. Raises BackupRefused."""
    with psycopg.connect(url) as connection:
        programs = find_programs(connection.info.server_version // 10_000)
    dump = str(folder / _DUMP)
    entries = run_program(programs / "pg_restore", "--list", dump).splitlines()
    jobs = f"--jobs={min(4, os.cpu_count() or 1)}"
    with tempfile.NamedTemporaryFile("w", suffix=".list") as wanted:
        wanted.writelines(f"{line}\n" for line in entries if not any(part in line for part in _OF_EVERY_DATABASE))
        wanted.flush()
        how = ("--exit-on-error", "--no-owner", f"--role={owner}", jobs, f"--use-list={wanted.name}")
        run_program(programs / "pg_restore", *how, dump, url=url)
    with psycopg.connect(url) as connection:
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        found = compute_checksums(connection) | read_sequences(connection)
    different = find_differences(manifest.tables, after=found)
    if different:
        shown = "\n  ".join(different[:_MAX_NAMED])
        raise BackupRefused(f"{len(different)} tables are not what they were when backed up:\n  {shown}")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("ANALYZE")


def _check_target(admin: psycopg.Connection[Any], manifest: Manifest, *, database: str, roles: Roles) -> None:
    major = admin.info.server_version // 10_000
    if major < manifest.major:
        raise BackupRefused(f"The backup is of PostgreSQL {manifest.major}, but this server is older: {major}.")
    if roles != manifest.roles:
        raise BackupRefused(
            f"The backup grants to the roles {asdict(manifest.roles)}, and this server's are {asdict(roles)}. Use the "
            "names of the backup in DATABASE_URL, DATABASE_READER_URL and DATABASE_ANALYST_URL."
        )
    row = admin.execute(
        "SELECT count(*), string_agg(DISTINCT application_name, ', ') FROM pg_stat_activity "
        "WHERE datname = %s AND backend_type = 'client backend' AND pid <> pg_backend_pid()",
        [database],
    ).fetchone()
    if row and row[0]:
        raise BackupRefused(
            f"{row[0]} sessions use the database {database} ({row[1]}). Stop web processes, workers and poolers first."
        )


def _find_filled(admin: psycopg.Connection[Any], *, database: str, url: str) -> list[str]:
    if not _has_database(admin, database):
        return []
    with psycopg.connect(make_conninfo(url, dbname=database)) as connection:
        return find_filled_tables(connection)


def _has_database(admin: psycopg.Connection[Any], name: str) -> bool:
    return admin.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone() is not None


def _swap(admin: psycopg.Connection[Any], *, draft: str, database: str, kept: str, filled: list[str]) -> str:
    """Rename the draft to the present database's name; keeps the present database if it has rows."""
    rename = sql.SQL("ALTER DATABASE {} RENAME TO {}")
    with admin.transaction():  # atomic: there is always a database of that name
        if _has_database(admin, database):
            admin.execute(rename.format(sql.Identifier(database), sql.Identifier(kept)))
        admin.execute(rename.format(sql.Identifier(draft), sql.Identifier(database)))
    if filled:
        return kept
    try:
        admin.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(kept)))
    except psycopg.Error:  # the restore is complete; somebody still uses the empty database
        return kept
    return ""


def _hash_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sync(path: Path) -> None:
    """Flush a file or folder to disk, before the backup gets its final name."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
