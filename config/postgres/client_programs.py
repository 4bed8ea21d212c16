"""PostgreSQL's client programs of a major version: the wheel's, or those installed on the machine."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from config.postgres.location import packaged_programs

_INSTALLED = ("/usr/lib/postgresql/{major}/bin", "/usr/pgsql-{major}/bin", "/opt/homebrew/opt/postgresql@{major}/bin")


class ProgramMissing(RuntimeError):
    """No programs of that major version are installed; the message names the package to install."""


class ProgramFailed(RuntimeError):
    """A program ended with an error; the message holds its output."""


def find_programs(major: int) -> Path:
    """
    Return the folder with pg_dump and pg_restore of a major version.

    The version must be the server's: an older pg_dump refuses, and a newer one writes what an older server cannot read.
    Raises ProgramMissing.
    """
    for folder in _list_folders(major):
        if (folder / "pg_dump").exists() and read_major(folder, program="pg_dump") == major:
            return folder
    raise ProgramMissing(
        f"The server is PostgreSQL {major}, and this machine has no pg_dump and pg_restore of version {major}. Install "
        f"the package postgresql-client-{major} (Debian and Ubuntu; from apt.postgresql.org where the distribution has "
        f"another version) or postgresql{major} (Red Hat), or put the folder of these programs into PATH."
    )


def read_major(folder: Path, *, program: str = "postgres") -> int:
    """Return the major version of the programs in a folder. Raises ProgramMissing."""
    try:
        said = subprocess.run([folder / program, "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as missing:
        raise ProgramMissing(f"{folder / program} cannot be run: {missing}") from missing
    found = re.search(r"\(PostgreSQL\) (\d+)", said)
    if found is None:
        raise ProgramMissing(f"{folder / program} says {said.strip()!r}, which names no version of PostgreSQL.")
    return int(found[1])


def run_program(program: Path, *arguments: str, url: str = "") -> str:
    """
    Run a program, connected to `url` if given, and return its output. The password is not on its command line.

    Raises ProgramFailed.
    """
    environment = os.environ | {"LC_ALL": "C"}
    if url:
        parts: dict[str, Any] = conninfo_to_dict(url)
        if password := parts.pop("password", None):  # without one, the operator's PGPASSWORD and ~/.pgpass apply
            environment |= {"PGPASSWORD": str(password)}
        arguments = (*arguments, "--dbname", make_conninfo("", **parts))
    done = subprocess.run(
        [program, *arguments],
        env=environment, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    if done.returncode:
        raise ProgramFailed(f"{program.name} ended with {done.returncode}: {done.stderr.strip()[-2000:]}")
    return done.stdout


def _list_folders(major: int) -> Iterator[Path]:
    yield packaged_programs()
    yield from (Path(folder.format(major=major)) for folder in _INSTALLED)
    in_path = shutil.which("pg_dump")
    if in_path:
        yield Path(in_path).parent
