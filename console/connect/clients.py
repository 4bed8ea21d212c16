"""The configuration of each MCP client, with this server's address and a key. Pure."""

import json
import shlex
from collections.abc import Callable
from dataclasses import dataclass

NAME = "toolroom"
KEY_VARIABLE = "TOOLROOM_KEY"


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """One instruction: what to do with the text, such as running it or putting it into a file."""

    what: str
    text: str


Writer = Callable[..., list[Instruction]]


@dataclass(frozen=True, slots=True, kw_only=True)
class McpClient:
    """An MCP client; `write(address, key=...)` returns its instructions, without a key if `key` is ""."""

    id: str
    title: str
    write: Writer


def _write_claude(address: str, *, key: str) -> list[Instruction]:
    command = f"claude mcp add --transport http {NAME} {shlex.quote(address)}"
    if key:
        return [Instruction(what="Run", text=f"{command} --header {shlex.quote(f'Authorization: Bearer {key}')}")]
    return [
        Instruction(what="Run", text=command),
        Instruction(what=f"In Claude Code choose {NAME}, then Authenticate", text="/mcp"),
    ]


def _write_cursor(address: str, *, key: str) -> list[Instruction]:
    server = {"url": address} | _headers(key)
    what = "Put into ~/.cursor/mcp.json, or .cursor/mcp.json of a project"
    return [Instruction(what=what, text=_json({"mcpServers": {NAME: server}}))]


def _write_vscode(address: str, *, key: str) -> list[Instruction]:
    server = {"type": "http", "url": address} | _headers(key)
    return [Instruction(what="Put into .vscode/mcp.json, then press Start", text=_json({"servers": {NAME: server}}))]


def _write_codex(address: str, *, key: str) -> list[Instruction]:
    table = f"[mcp_servers.{NAME}]\nurl = {json.dumps(address)}\n"
    into = Instruction(what="Put into ~/.codex/config.toml", text=table)
    if not key:
        return [into, Instruction(what="Run", text=f"codex mcp login {NAME}")]
    into = Instruction(what=into.what, text=f"{table}bearer_token_env_var = {json.dumps(KEY_VARIABLE)}\n")
    return [into, Instruction(what="Run before Codex starts", text=f"export {KEY_VARIABLE}={shlex.quote(key)}")]


def _write_other(address: str, *, key: str) -> list[Instruction]:
    server = {"type": "http", "url": address} | _headers(key)
    return [Instruction(what="As most clients want it", text=_json({"mcpServers": {NAME: server}}))]


def _headers(key: str) -> dict[str, dict[str, str]]:
    return {"headers": {"Authorization": f"Bearer {key}"}} if key else {}


def _json(value: object) -> str:
    return json.dumps(value, indent=2) + "\n"


CLIENTS = {
    client.id: client
    for client in (
        McpClient(id="claude", title="Claude Code", write=_write_claude),
        McpClient(id="cursor", title="Cursor", write=_write_cursor),
        McpClient(id="vscode", title="VS Code", write=_write_vscode),
        McpClient(id="codex", title="Codex", write=_write_codex),
        McpClient(id="other", title="Other", write=_write_other),
    )
}


def write_instructions(client: str, *, site: str, key: str = "") -> list[Instruction]:
    """Return how to connect a client to the server at `site`; without a key, the client asks the person by OAuth."""
    return CLIENTS[client].write(f"{site}/mcp", key=key)
