"""
A public name changes only with an alias and a line in the changelog.

`public_names.json` holds the names that there are. Names are added to it by the command in REWRITE; it takes none away.
"""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import httpx
import psycopg
import pytest
from django.conf import settings

from tests.conftest import ALICE_KEY, server_environment
from tests.toolbox.transports import PLAIN_HTTP
from tests.upgrade.public_names import Names, collect_names, is_served

pytestmark = pytest.mark.slow

SNAPSHOT = Path(__file__).with_name("public_names.json")
REWRITE = "REWRITE_PUBLIC_NAMES=1 python -m pytest tests/upgrade/test_public_names.py"
ALIASES: dict[str, dict[str, str]] = {}
"""By kind, the old names that go on under a new one. Each wants a line in CHANGELOG.md that has both."""


@pytest.fixture(scope="module")
def client(server: str) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {ALICE_KEY}"}
    with httpx.Client(base_url=server, headers=headers, timeout=60, verify=PLAIN_HTTP) as opened:
        yield opened


@pytest.fixture(scope="module")
def names(client: httpx.Client) -> Names:
    return collect_names(client, database_url=server_environment()["DATABASE_URL"])


def read_snapshot() -> Names:
    """Return the stored names; none if there is no snapshot yet."""
    known: Names = json.loads(SNAPSHOT.read_text(encoding="utf-8")) if SNAPSHOT.exists() else {}
    return known


def find_lost(before: Names, *, now: Names, aliases: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Return the names that are neither there any more nor declared as aliases."""
    return [
        f"{kind}: {name}"
        for kind, known in before.items()
        for name in known
        if name not in now.get(kind, []) and name not in aliases.get(kind, {})
    ]


def find_unexplained(aliases: Mapping[str, Mapping[str, str]], *, now: Names, changelog: str) -> list[str]:
    """Return the aliases of names that are not there, and those that no line of the changelog explains."""
    lines = changelog.split("\n- ")
    return [
        f"{kind}: {old} -> {new}"
        for kind, renamed in aliases.items()
        for old, new in renamed.items()
        if new not in now.get(kind, []) or not any(old in line and new in line for line in lines)
    ]


def test_every_public_name_is_still_there(names: Names) -> None:
    before = read_snapshot()

    lost = find_lost(before, now=names, aliases=ALIASES)

    assert not lost, "people use these names: keep each, or give it an alias (ALIASES) and a line in CHANGELOG.md"


@pytest.mark.internal
def test_new_names_are_in_the_snapshot(names: Names) -> None:
    before = read_snapshot()
    new = find_lost(names, now=before, aliases={})
    if os.environ.get("REWRITE_PUBLIC_NAMES"):
        both = {kind: sorted({*before.get(kind, []), *names.get(kind, [])}) for kind in before | names}
        SNAPSHOT.write_text(json.dumps(both, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        return

    assert not new, f"names that people may now use; add them by {REWRITE}"


def works(kind: str, name: str, *, names: Names, client: httpx.Client) -> bool:
    """Return whether an old name still works: it is registered, its address answers, its table is a view."""
    if name in names.get(kind, []):
        return True
    if kind == "addresses":
        return is_served(client, name.replace("{}", "1"))
    if kind == "tables":
        with psycopg.connect(server_environment()["DATABASE_URL"]) as connection:
            return connection.execute("SELECT to_regclass(%s)", [name]).fetchone() != (None,)
    return False


def test_every_alias_works_and_is_explained(names: Names, client: httpx.Client) -> None:
    changelog = Path(settings.BASE_DIR, "CHANGELOG.md").read_text(encoding="utf-8")

    idle = [
        f"{kind}: {old}"
        for kind, renamed in ALIASES.items()
        for old in renamed
        if not works(kind, old, names=names, client=client)
    ]

    assert not idle
    assert not find_unexplained(ALIASES, now=names, changelog=changelog)


@pytest.mark.parametrize(
    ("kind", "name", "is_expected"),
    [
        ("commands", "quickstart", True),
        ("commands", "no_such_command", False),
        ("addresses", "/api/docs", True),
        ("addresses", "/healthz", True),
        ("addresses", "/mcp/linescore", True),
        ("addresses", "/mcp/nowhere", False),
        ("addresses", "/no/such/address/{}", False),
        ("tables", "pg_class", True),
        ("tables", "no_such_table", False),
    ],
)
def test_an_alias_is_tried(names: Names, client: httpx.Client, kind: str, name: str, is_expected: bool) -> None:  # noqa: FBT001
    without = names | {"addresses": [], "tables": []}

    assert works(kind, name, names=without, client=client) is is_expected


def test_a_lost_name_is_found_unless_it_is_an_alias() -> None:
    before = {"commands": ["ask", "load"], "scopes": ["a:read"]}

    lost = find_lost(before, now={"commands": ["load"]}, aliases={"scopes": {"a:read": "b:read"}})

    assert lost == ["commands: ask"]


@pytest.mark.parametrize(
    ("changelog", "is_explained"),
    [
        ("# Changes\n\n- The command `ask` is named `query`; `ask` goes on.", True),
        ("# Changes\n\n- The command `ask` is gone.\n- There is `query`.", False),
    ],
)
def test_an_alias_wants_a_line_that_has_both_names(changelog: str, is_explained: bool) -> None:  # noqa: FBT001
    aliases = {"commands": {"ask": "query"}}

    assert (find_unexplained(aliases, now={"commands": ["query"]}, changelog=changelog) == []) is is_explained
    assert find_unexplained(aliases, now={"commands": []}, changelog=changelog)
