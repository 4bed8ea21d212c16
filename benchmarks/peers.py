"""The servers that a user would choose instead, FastMCP and MCP Toolbox, with our statement on the same database."""

import json
import re
import shutil
import subprocess
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.questions import TOOL, BenchmarkQuestion
from benchmarks.scratch import Scratch
from benchmarks.servers import HOST, RunningServer, free_port, running
from benchmarks.tool_requests import ToolRequest

CONNECTIONS = 8
INSTALL_SECONDS = 240
FASTMCP = ("fastmcp==4.1.2", "psycopg[binary,pool]==3.3.9", "uvloop==0.23.0", "httptools")
TOOLBOX = "@toolbox-sdk/server@1.12.0"
ORDER = ("team_code", "start_date", "end_date", "most")


class PeerMissing(RuntimeError):
    """A peer cannot be measured here; the message says why."""


@contextmanager
def fastmcp_server(folder: Path, *, question: BenchmarkQuestion, scratch: Scratch) -> Iterator[RunningServer]:
    """Run FastMCP in a virtual environment of its own below `folder`; raises PeerMissing."""
    python = _fastmcp_python(folder / "fastmcp")
    port = free_port()
    setup = {
        "database": scratch.reader_url, "connections": CONNECTIONS, "statement": question.statement.sql, "host": HOST,
        "port": port,
    }  # fmt: skip
    program = Path(__file__).with_name("fastmcp_peer.py")
    environment = {"BENCHMARK_PEER": json.dumps(setup)}
    with running([str(python), str(program)], port=port, environment=environment) as server:
        yield server


@contextmanager
def toolbox_server(folder: Path, *, question: BenchmarkQuestion, scratch: Scratch) -> Iterator[RunningServer]:
    """Run MCP Toolbox from npm, installed below `folder`; raises PeerMissing."""
    program = _toolbox_program(folder / "toolbox")
    port = free_port()
    configuration = folder / "toolbox" / f"tools-{port}.yaml"
    configuration.write_text(toolbox_configuration(question, scratch=scratch))
    command = [
        str(program), "--config", str(configuration), "--address", HOST, "--port", str(port), "--enable-api",
        "--disable-version-check", "--disable-reload", "--log-level", "ERROR",
    ]  # fmt: skip
    try:
        with running(command, port=port, environment={}) as server:
            yield server
    finally:
        configuration.unlink()


def toolbox_arguments(question: BenchmarkQuestion) -> str:
    """Return the question's arguments with a limit, for which a `postgres-sql` tool has no default."""
    return json.dumps(json.loads(question.arguments) | {"limit": question.statement.parameters["most"]})


def toolbox_rest_request(question: BenchmarkQuestion) -> ToolRequest:
    """Build the tool call for MCP Toolbox's own REST API."""
    return ToolRequest(path=f"/api/tool/{TOOL}/invoke", body=toolbox_arguments(question))


def _fastmcp_python(folder: Path) -> Path:
    python = folder / "bin" / "python"
    if not (folder / "installed").exists():
        venv.create(folder, with_pip=True, clear=True)
        _install([str(python), "-m", "pip", "install", "--quiet", *FASTMCP])
        (folder / "installed").touch()
    return python


def _toolbox_program(folder: Path) -> Path:
    program = folder / "node_modules" / ".bin" / "toolbox"
    npm = shutil.which("npm")
    if npm is None:
        raise PeerMissing("npm is not on this machine")
    if not (folder / "installed").exists():
        folder.mkdir(parents=True, exist_ok=True)
        _install([npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), TOOLBOX])
        (folder / "installed").touch()
    return program


def _install(command: list[str]) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=INSTALL_SECONDS)
    except subprocess.CalledProcessError as failed:
        raise PeerMissing(f"it could not be installed: {failed.stderr.strip()[-300:]}") from failed
    except subprocess.TimeoutExpired as slow:
        raise PeerMissing(f"it could not be installed within {INSTALL_SECONDS} s") from slow


def toolbox_configuration(question: BenchmarkQuestion, *, scratch: Scratch) -> str:
    """Return its configuration as JSON, which is valid YAML; `queryParams.host` makes it use the unix socket."""
    source = {
        "kind": "source", "name": "scratch", "type": "postgres", "host": "localhost", "port": "5432",
        "database": scratch.name, "user": scratch.reader_role, "password": "unused",
        "queryParams": {"host": scratch.socket_folder, "pool_max_conns": str(CONNECTIONS)},
    }  # fmt: skip
    kinds = {"limit": "integer"}
    parameters = [
        {"name": name, "type": kinds.get(name, "string"), "description": name}
        for name in json.loads(toolbox_arguments(question))
    ]
    tool = {
        "kind": "tool", "name": TOOL, "type": "postgres-sql", "source": "scratch", "parameters": parameters,
        "description": "Answer how a team did in its periods.", "statement": _numbered(question.statement.sql),
    }  # fmt: skip
    return f"{json.dumps(source)}\n---\n{json.dumps(tool)}\n"


def _numbered(sql: str) -> str:
    """Replace %(name)s by $1, $2 … in the order of MCP Toolbox's parameters; for the first page only."""
    first_page = sql.replace("OFFSET %(skipped)s", "")
    return re.sub(r"%\((\w+)\)s", lambda found: f"${ORDER.index(found[1]) + 1}", first_page)
