"""Clients that are not Python dependencies: installed once from their registries, beside the conformance suite."""

import shutil
import subprocess
import sys
import venv
from pathlib import Path

from tests.conformance.referee import SECONDS, NotToBeHad, alone, install, installed

TYPESCRIPT = {
    "@modelcontextprotocol/client": "2.4.0",
    "@modelcontextprotocol/ext-tasks": "0.2.2",
    "@modelcontextprotocol/sdk": "1.32.2",
}
FASTMCP_VERSION = "4.1.2"
"""As benchmarks/peers.py; in an environment of its own, for it pins what requirements.txt pins otherwise."""
WALKS = Path(__file__).with_name("walks")


def typescript(cache: Path) -> tuple[Path, Path]:
    """Return the suite's node, and a folder with the TypeScript clients and their packages; raises NotToBeHad."""
    place = cache / "-".join(("mcp-clients", *TYPESCRIPT.values()))
    with alone(cache):
        if not (place / "installed").exists():
            install(place, TYPESCRIPT)
            (place / "installed").touch()
        for program in WALKS.glob("*.mjs"):  # node looks for packages beside the program
            shutil.copy(program, place)
    return installed(cache).node, place


def fastmcp(cache: Path) -> Path:
    """Return a Python that has FastMCP's client with tasks; raises NotToBeHad."""
    place = cache / f"fastmcp-{FASTMCP_VERSION}-python-{sys.version_info.major}.{sys.version_info.minor}"
    python = place / "bin" / "python"
    with alone(cache):
        if not (place / "installed").exists():
            venv.create(place, with_pip=True, clear=True)
            wanted = [f"{name}=={FASTMCP_VERSION}" for name in ("fastmcp", "fastmcp-tasks")]
            _ran([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted])
            (place / "installed").touch()
    return python


def _ran(command: list[str]) -> None:
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired as slow:
        raise NotToBeHad(f"pip is too slow: {slow}") from slow
    if ran.returncode:
        raise NotToBeHad(f"pip cannot install FastMCP: {ran.stderr.strip()[-300:]}")
