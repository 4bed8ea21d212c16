"""Real errors of several servers, the schema that they are about, and the shipped hints."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from graphql import build_schema

from graphql_proxy.fixes.hint_rows import Hint
from graphql_proxy.upstreams import KnownUpstream

DATA = Path(__file__).parent / "data"
SMALL_SDL = (DATA / "small.graphql").read_text()
SMALL = build_schema(SMALL_SDL)
SERVERS = ("graphql_js", "graphql_core", "graphql_java")

UPSTREAM = KnownUpstream(
    id=1,
    slug="small",
    title="",
    address="http://127.0.0.1:1/graphql",
    is_default=True,
    is_local=True,
    is_open=True,
    allows_mutations=False,
    allows_introspection=True,
    timeout_seconds=2,
    cache_seconds=0,
    most_answer_bytes=100_000,
    most_document_bytes=65_536,
    most_tokens=5_000,
    most_depth=12,
    most_aliases=30,
    most_root_fields=20,
    most_directives=30,
    most_list_size=1_000,
    assumed_list_size=20,
    most_cost=100_000,
    size_names="",
    caller_header="",
    needs_caller_credential=False,
    max_answer_tokens=0,
)


def cases(server: str) -> list[dict[str, Any]]:
    """Return documents with a server's answers."""
    found: list[dict[str, Any]] = json.loads((DATA / f"errors_{server}.json").read_text())["cases"]
    return found


def observed_java_cases() -> list[dict[str, Any]]:
    """Return errors that Java servers gave elsewhere, with the expected reading of each."""
    found: list[dict[str, Any]] = json.loads((DATA / "errors_java_observed.json").read_text())["cases"]
    return found


def every_error() -> list[str]:
    """Return every error of every server."""
    return [error for server in SERVERS for case in cases(server) for error in case["errors"]]


def shipped_rows() -> list[dict[str, Any]]:
    """Return the shipped hints as they are in the file."""
    rows: list[dict[str, Any]] = json.loads((files("graphql_proxy") / "samples" / "error_hints.json").read_text())
    return rows


def shipped_hints() -> list[Hint]:
    """Return the shipped hints in their order."""
    usual = {"matcher": "regex", "layer": "beside", "lookup": ""}
    rows = sorted(shipped_rows(), key=lambda row: row["order"])
    return [
        Hint(**{key: value for key, value in (usual | row).items() if key not in ("order", "example")}) for row in rows
    ]
