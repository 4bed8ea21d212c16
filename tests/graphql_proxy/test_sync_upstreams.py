"""A file in version control says which upstreams there are: it is compared first, and stored when it is applied."""

import io
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from graphql_proxy.models import ErrorHint, SavedOperation, SchemaSnapshot, Upstream, UpstreamHeader

FILE = """
[[upstreams]]
slug = "code"
address = "https://api.example.org/graphql"
refresh_hours = 24

[[headers]]
upstream = "code"
name = "Authorization"
variable = "GRAPHQL_SECRET_CODE"

[[hints]]
name = "no-such-thing"
pattern = "no such thing"
matcher = "contains"
layer = "beside"
hint = "Ask for another thing."
order = 50

[[operations]]
name = "find_viewer"
upstream = "code"
description = "Tell who asks."
document_file = "viewer.graphql"
"""


def run(path: Path, **options: Any) -> str:
    out = io.StringIO()
    call_command("sync_upstreams", str(path), stdout=out, **options)
    return out.getvalue()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "viewer.graphql").write_text("query Viewer { viewer { login } }")
    (tmp_path / "upstreams.toml").write_text(FILE)
    return tmp_path / "upstreams.toml"


def test_the_difference_is_shown_before_anything_is_stored(db: None, file: Path) -> None:
    shown = run(file)

    assert "+ upstreams code" in shown
    assert "4 rows would be stored" in shown
    assert "    upstream: code\n" in shown
    assert not Upstream.objects.filter(slug="code").exists()


def test_what_is_applied_is_stored_and_differs_no_more(db: None, file: Path) -> None:
    run(file, apply=True)

    upstream = Upstream.objects.get(slug="code")
    assert (upstream.refresh_hours, upstream.timeout_seconds) == (24, 8.0)
    assert UpstreamHeader.objects.get(upstream=upstream).variable == "GRAPHQL_SECRET_CODE"
    assert ErrorHint.objects.get(name="no-such-thing").order == 50
    assert SavedOperation.objects.get(name="find_viewer").upstream == upstream
    assert run(file) == "nothing differs\n"


def test_a_change_is_shown_field_by_field_and_other_fields_stay(db: None, file: Path) -> None:
    run(file, apply=True)
    Upstream.objects.filter(slug="code").update(notes="Kept.")
    file.write_text(FILE.replace("refresh_hours = 24", "refresh_hours = 6"))

    assert "~ upstreams code\n    refresh_hours: 24 -> 6\n1 rows stored" in run(file, apply=True)
    assert Upstream.objects.get(slug="code").notes == "Kept."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[upstreams]]\naddress = 'x'", "needs a slug"),
        ("[[upstreams]]\nslug = 'code'\naddress = 'ftp://x'", "An address begins with"),
        ("[[upstreams]]\nslug = 'code'\ncolour = 1", "colour is no field"),
        ("[[headers]]\nname = 'X-Key'\nsecret = 'abc'", "holds no secrets"),
        ("[[headers]]\nname = 'X-Key'\nupstream = 'nobody'", "no upstream nobody"),
        ("[[hints]]\nname = 'h'\npattern = '('\nhint = 'x'", "cannot be used"),
        ("[[operations]]\nname = 'find_it'\ndocument_file = 'gone.graphql'", "cannot be read"),
        ("[upstreams]\nslug = 'code'", "is a list of tables"),
        ("[[tables]]\nx = 1", "has the sections"),
        ("not toml", "cannot be read as TOML"),
    ],
)
def test_a_wrong_entry_is_named_and_nothing_is_stored(db: None, tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "wrong.toml").write_text(f"[[hints]]\nname = 'first'\npattern = 'x'\nhint = 'x'\n{text}"
                                         if text.startswith("[[hints") else text)  # fmt: skip
    with pytest.raises(CommandError, match=said):
        run(tmp_path / "wrong.toml", apply=True)
    assert not ErrorHint.objects.filter(name="first").exists()


def test_a_process_of_the_version_before_can_still_add_upstreams_and_schemas(db: None) -> None:
    """While a server is upgraded, its old processes name only the columns that they know."""
    upstream = Upstream.objects.create(slug="older", address="https://api.example.org/graphql")
    schema = SchemaSnapshot.objects.create(
        upstream=upstream, version=1, sdl="", digest="", source="sdl", query_count=0, type_count=0,
        taken_at=datetime(2026, 1, 1, tzinfo=UTC),
    )  # fmt: skip
    later = {
        "graphql_proxy_upstreams": [
            "caller_header", "max_answer_tokens", "needs_caller_credential", "refresh_hours", "size_names",
        ],
        "graphql_proxy_schemas": ["warnings"],
    }  # fmt: skip
    with connection.cursor() as cursor:
        for table, columns in later.items():
            row = upstream.pk if table == "graphql_proxy_upstreams" else schema.pk
            for column in columns:
                cursor.execute(f"UPDATE {table} SET {column} = DEFAULT WHERE id = %s", [row])
    upstream.refresh_from_db()
    schema.refresh_from_db()
    assert (upstream.caller_header, upstream.refresh_hours, upstream.size_names, schema.warnings) == ("", 0, "", [])
