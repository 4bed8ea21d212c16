"""Schemas come in as SDL or introspection JSON, from files or the upstream; versions are kept and compared."""

import io
import json
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from graphql import build_schema, introspection_from_schema, print_schema

from graphql_proxy.ingest.load import store_schema
from graphql_proxy.ingest.samples import HOCKEY, load_samples, point_at
from graphql_proxy.models import SavedOperation, SchemaSnapshot, Upstream, UpstreamHeader
from graphql_proxy.schema.changes import changes_between
from graphql_proxy.schema.parsing import InvalidSchema, parse_schema, read_stored
from graphql_proxy.secrets import seal, unseal
from linescore.graphql.schema import schema as hockey_schema
from tests.graphql_proxy.hockey_schema import HOCKEY_SDL
from tests.mock_upstream import MockUpstream
from toolbox.contract.caller import hash_api_key
from toolbox.models import ApiKey

BEFORE = "type Query { a: Int b(x: Int): String c: Kind } enum Kind { ONE } type Old { id: ID }"
AFTER = "type Query { b(x: Int, y: Int): Int c: Kind d: Int } enum Kind { ONE TWO } type New { id: ID }"
TAKEN_AT = datetime(2025, 3, 1, tzinfo=UTC)


def run(*arguments: str, **options: Any) -> str:
    out = io.StringIO()
    call_command("ingest_graphql_schema", *arguments, stdout=out, **options)
    return out.getvalue()


def reprint(text: str) -> str:
    return print_schema(parse_schema(text).schema)


@pytest.fixture
def upstream(db: None) -> Upstream:
    return Upstream.objects.create(slug="stats", address="https://api.example.org/graphql")


def test_both_forms_give_the_same_schema() -> None:
    sdl = print_schema(build_schema(BEFORE))
    asked = json.dumps({"data": introspection_from_schema(build_schema(BEFORE))})

    assert reprint(asked) == reprint(sdl) == print_schema(read_stored(sdl)) == sdl
    assert [parse_schema(text).form for text in (asked, sdl, f"\ufeff\n {asked}")] == [
        "introspection",
        "sdl",
        "introspection",
    ]


@pytest.mark.parametrize(
    "text",
    ["", "type Query {", "query { a }", "{}", "[]", '{"data": null}',
     '{"data": {"__schema": {}}}', '{"data": {"__schema": 3}}', "{ teams { id } }", "<html></html>", "null",
     '{"errors": [{"message": "no"}]}', "\x00", "{" * 5000, f"type A {{ b: {'[' * 5000} }}"],
)  # fmt: skip
def test_what_is_no_schema_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(InvalidSchema) as refused:
        parse_schema(text)

    assert "\n" not in str(refused.value)


def test_changes_are_sorted_into_four_kinds() -> None:
    found = {(change["kind"], change["path"]) for change in changes_between(BEFORE, after=AFTER)}

    assert found == {
        ("removed", "Query.a"),
        ("removed", "Old"),
        ("changed", "Query.b"),
        ("dangerous", "Query.b(y:)"),
        ("dangerous", "Kind.TWO"),
        ("added", "Query.d"),
        ("added", "New"),
    }


def test_the_same_types_in_another_order_are_no_new_version(upstream: Upstream) -> None:
    """A server lists its types in the order of its queries, a file as somebody wrote them."""
    one, other = "type Query { a: A b: B }", "type A { x: Int }\ntype B { y: Int }"
    source = SchemaSnapshot.Source.FETCHED

    store_schema("stats", text=f"{one}\n{other}", source=source, taken_at=TAKEN_AT)
    again = store_schema("stats", text=f"{other}\n{one}", source=source, taken_at=TAKEN_AT)

    assert (again.version, again.is_new) == (1, False)


def test_a_new_version_is_numbered_and_compared(upstream: Upstream) -> None:
    source = SchemaSnapshot.Source.SDL
    first = store_schema("stats", text=BEFORE, source=source, taken_at=TAKEN_AT)
    again = store_schema("stats", text=f"# a comment\n{BEFORE}", source=source, taken_at=TAKEN_AT)
    second = store_schema("stats", text=AFTER, source=source, taken_at=TAKEN_AT)

    assert (first.version, first.is_new, first.changes) == (1, True, [])
    assert (again.version, again.is_new) == (1, False)
    assert (second.version, len(second.changes)) == (2, 7)
    assert upstream.schemas.get(version=2).changes == second.changes


def test_the_command_stores_a_file_and_lists_what_changed(upstream: Upstream, tmp_path: Path) -> None:
    (tmp_path / "one.graphql").write_text(BEFORE)
    (tmp_path / "two.graphql").write_text(AFTER)

    first = run("stats", str(tmp_path / "one.graphql"))
    compared = run("stats", str(tmp_path / "two.graphql"), compare=True)
    second = run("stats", str(tmp_path / "two.graphql"))

    assert "3 queries" in first
    assert "stored as version 1" in first
    assert "2 added, 1 changed, 2 dangerous, 2 removed" in compared
    assert "Field Query.a was removed." in second
    assert upstream.schemas.count() == 2


def test_the_command_asks_the_upstream_itself(transactional_hockey: None, mock: MockUpstream) -> None:
    said = run("mock", fetch=True)

    assert "15 queries" in said


@pytest.fixture
def transactional_hockey(scratch_database: None) -> None:
    """Tools' pools see what is committed; the mocked upstream is, in a copy that is thrown away."""


@pytest.mark.parametrize(
    ("arguments", "options", "said"),
    [
        (["stats"], {}, "either a file or --fetch"),
        (["stats", "x.graphql"], {"fetch": True}, "either a file or --fetch"),
        (["stats", "/missing/x.graphql"], {}, "cannot be read"),
        (["nobody", "FILE"], {}, "no upstream nobody"),
        (["stats", "BROKEN"], {}, "this is no GraphQL schema"),
    ],
)
def test_the_command_ends_with_a_reason(
    upstream: Upstream, tmp_path: Path, arguments: list[str], options: dict[str, Any], said: str
) -> None:
    (tmp_path / "FILE").write_text(BEFORE)
    (tmp_path / "BROKEN").write_text("type {")
    files = {"FILE": str(tmp_path / "FILE"), "BROKEN": str(tmp_path / "BROKEN")}

    with pytest.raises(CommandError, match=said):
        run(*[files.get(one, one) for one in arguments], **options)


def test_the_shipped_schema_is_the_one_that_is_served() -> None:
    assert reprint(HOCKEY_SDL) == reprint(hockey_schema.as_str())


def test_samples_are_loaded_once_and_leave_what_a_curator_changed(db: None) -> None:
    SavedOperation.objects.filter(name="get_team").update(description="Ours.")
    SavedOperation.objects.filter(name="get_games").delete()

    report = load_samples()

    assert report.added == 1
    assert SavedOperation.objects.get(name="get_team").description == "Ours."
    assert SavedOperation.objects.filter(is_contract=True).count() == 6


def test_the_configured_upstream_comes_first(db: None, settings: Any) -> None:
    Upstream.objects.all().delete()
    settings.GRAPHQL_UPSTREAM_URL = "https://api.example.org/graphql"

    load_samples()

    configured = Upstream.objects.usable().first()
    assert configured is not None
    assert (configured.slug, configured.is_default, configured.is_local) == ("configured", True, False)
    assert not Upstream.objects.get(slug=HOCKEY).is_default


def test_quickstart_points_our_upstream_at_the_port_that_was_free(db: None) -> None:
    point_at("http://127.0.0.1:8007/graphql/")
    pointed = Upstream.objects.get(slug=HOCKEY).address
    Upstream.objects.filter(slug=HOCKEY).update(address="https://hockey.example.org/graphql/")
    point_at("http://127.0.0.1:8008/graphql/")

    assert pointed == "http://127.0.0.1:8007/graphql/"
    assert Upstream.objects.get(slug=HOCKEY).address == "https://hockey.example.org/graphql/"


def own_key(slug: str = HOCKEY) -> str:
    header = UpstreamHeader.objects.get(upstream__slug=slug)
    assert header.name == "Authorization"
    return unseal(bytes(header.sealed_value)).removeprefix("Bearer ")


def test_our_upstream_gets_a_key_of_its_own_once(db: None) -> None:
    UpstreamHeader.objects.filter(upstream__slug=HOCKEY).delete()

    point_at("http://127.0.0.1:8007/graphql/")
    first = own_key()
    point_at("http://127.0.0.1:8008/graphql/")

    assert own_key() == first
    row = ApiKey.objects.get(digest=hash_api_key(first))
    assert row.scopes == ["linescore:read"]
    assert not row.owner.has_usable_password()


def test_a_key_sealed_under_a_lost_secret_key_is_replaced(db: None, settings: Any) -> None:
    UpstreamHeader.objects.filter(upstream__slug=HOCKEY).delete()
    point_at("http://127.0.0.1:8007/graphql/")
    first = own_key()
    settings.SECRET_KEY = "another secret key, as after a lost one"

    point_at("http://127.0.0.1:8007/graphql/")

    assert own_key() != first


def test_a_header_that_a_curator_gave_our_upstream_stays(db: None) -> None:
    UpstreamHeader.objects.filter(upstream__slug=HOCKEY).delete()
    upstream = Upstream.objects.get(slug=HOCKEY)
    UpstreamHeader.objects.create(upstream=upstream, name="X-API-Key", sealed_value=seal("tr_mine"))

    point_at("http://127.0.0.1:8007/graphql/")

    assert [header.name for header in upstream.headers.all()] == ["X-API-Key"]


def test_an_upgrade_gives_a_key_to_an_upstream_that_is_this_machine(db: None) -> None:
    UpstreamHeader.objects.all().delete()
    Upstream.objects.filter(slug=HOCKEY).update(address="http://127.0.0.1:8123/graphql/")
    upgrade = import_module("graphql_proxy.migrations.0006_own_upstream_key").give_key

    upgrade(apps, None)
    upgrade(apps, None)

    assert ApiKey.objects.filter(digest=hash_api_key(own_key())).count() == 1


def test_an_upgrade_sends_no_key_to_another_machine(db: None) -> None:
    UpstreamHeader.objects.all().delete()
    Upstream.objects.filter(slug=HOCKEY).update(address="https://hockey.example.org/graphql/")

    import_module("graphql_proxy.migrations.0006_own_upstream_key").give_key(apps, None)

    assert not UpstreamHeader.objects.exists()


def test_no_upstream_is_added_for_a_file_that_is_refused(db: None, tmp_path: Path) -> None:
    (tmp_path / "broken.graphql").write_text("type Query {")
    with pytest.raises(CommandError, match="line 1"):
        call_command(
            "ingest_graphql_schema", "fresh", str(tmp_path / "broken.graphql"), url="https://api.example.org/graphql"
        )
    assert not Upstream.objects.filter(slug="fresh").exists()


def test_a_directive_may_stand_where_later_specifications_put_it() -> None:
    parsed = parse_schema("directive @x on FIELD | DIRECTIVE_DEFINITION type Query { a: Int }")
    assert parsed.schema.get_directive("x")
