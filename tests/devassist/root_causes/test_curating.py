"""Root causes in the admin and by commands: what people change is what tools find."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client

from devassist import jobs
from devassist.models import RootCause
from devassist.root_causes.load import embed_waiting

PAGES = "/admin/devassist/rootcause/"
TOLD = {
    "language": "TS", "errorType": "GizmoError", "errorDescription": "GizmoError: gizmo is upside down",
    "rootCause": "It was mounted by its head.", "solution": "Turn it round.",
}  # fmt: skip


@pytest.fixture
def curator() -> Client:
    client = Client()
    client.force_login(User.objects.get(username="curator"))
    return client


def run(command: str, *arguments: str, **options: Any) -> str:
    said = StringIO()
    call_command(command, *arguments, stdout=said, stderr=StringIO(), **options)
    return said.getvalue()


def test_every_format_gives_the_same_entry_and_nothing_is_lost_for_a_bad_line(
    scratch_database: None, tmp_path: Path
) -> None:
    heading = list(TOLD)
    markdown = (
        "---\nid: md-1\nlanguage: TS\nerrorType: GizmoError\nuserValidated: true\n---\n"
        f"# Error\n{TOLD['errorDescription']}\n# Root cause\n{TOLD['rootCause']}\n# Solution\n{TOLD['solution']}\n"
    )
    files = {
        "a.json": json.dumps([TOLD | {"id": "json-1"}, {"id": "no text"}, 7]),
        "b.jsonl": json.dumps(TOLD | {"id": "jsonl-1"}) + '\n{"broken\n' + json.dumps(TOLD | {"confidence": 3}),
        "c.csv": f"id,{','.join(heading)}\ncsv-1,{','.join(TOLD.values())}\nshort,row\n",
        "d.md": markdown,
        "e.md": "no front matter",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "f.json").write_bytes(b"\xff\xfe\x00")

    said = run("ingest_rca", str(tmp_path))
    again = run("ingest_rca", str(tmp_path))

    stored = RootCause.objects.filter(error_key="gizmoerror").order_by("entry_name")
    assert [row.entry_name for row in stored] == ["csv-1", "json-1", "jsonl-1", "md-1"]
    assert {(row.language, row.error_description, row.solution, row.is_embedded) for row in stored} == {
        ("typescript", TOLD["errorDescription"], TOLD["solution"], True)
    }
    assert "4 added, 0 changed, 0 unchanged, 0 repeated, 7 refused" in said
    assert "0 added, 0 changed, 4 unchanged, 0 repeated, 7 refused" in again
    assert "b.jsonl, line 2: no JSON" in said
    with pytest.raises(CommandError, match="no root cause could be read"):
        run("ingest_rca", str(tmp_path / "e.md"))


@pytest.mark.slow
def test_what_is_exported_is_ingested_unchanged(scratch_database: None, tmp_path: Path) -> None:
    RootCause.objects.filter(entry_name="node-eaddrinuse").update(status="retired", confidence=0.123)
    before = RootCause.objects.count()

    run("export_rca", str(tmp_path / "all.jsonl"))
    same = run("ingest_rca", str(tmp_path / "all.jsonl"))
    RootCause.objects.all().delete()
    back = run("ingest_rca", str(tmp_path / "all.jsonl"))
    run("export_rca", str(tmp_path / "again.jsonl"))

    assert f"0 added, 0 changed, {before} unchanged" in same
    assert f"{before} added" in back
    assert (tmp_path / "again.jsonl").read_text() == (tmp_path / "all.jsonl").read_text()


@pytest.mark.django_db
def test_pages_open_and_a_query_is_tried(curator: Client) -> None:
    for page in ("", "?q=lateinit", "add/", f"{RootCause.objects.all()[0].pk}/change/"):
        assert curator.get(PAGES + page).status_code == 200

    found = str(curator.post(PAGES + "preview/", {"query": "lateinit property has not been initialized"}).content)

    assert found.index("kotlin-lateinit-not-initialized") < found.index("(not found)")


def test_a_changed_text_is_embedded_again_and_its_likes_are_shown(
    scratch_database: None, curator: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[int] = []
    monkeypatch.setattr("devassist.root_causes.admin.embed_soon", lambda: told.append(1))
    row, like = RootCause.objects.filter(language="python").order_by("pk")[:2]
    fields = {name: getattr(like, name) for name in ("language", "error_type", "error_description", "root_cause")}
    form = fields | {"entry_name": row.entry_name, "status": "validated", "solution": like.solution, "confidence": 0.9}

    saved = curator.post(
        f"{PAGES}{row.pk}/change/", form | {"created_at_0": "2026-01-01", "created_at_1": "00:00"}, follow=True
    )

    assert (like.entry_name + "</a> may say the same already") in str(saved.content, "utf-8")
    row.refresh_from_db()
    assert (row.is_embedded, told) == (False, [1])
    assert embed_waiting() == 1
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT a.embedding <=> b.embedding FROM devassist_root_causes a, devassist_root_causes b "
            "WHERE a.id = %s AND b.id = %s", [row.pk, like.pk],
        )  # fmt: skip
        assert cursor.fetchone()[0] == pytest.approx(0, abs=1e-3)


@pytest.mark.django_db
def test_people_validate_and_retire(curator: Client) -> None:
    row = RootCause.objects.all()[0]
    RootCause.objects.filter(pk=row.pk).update(status="proposed", confidence=0.4)

    for action, expected in (("validate_them", ("validated", 0.8)), ("retire_them", ("retired", 0.8))):
        curator.post(PAGES, {"action": action, "_selected_action": [row.pk]})
        row.refresh_from_db()
        assert (row.status, row.confidence) == expected


def test_a_broker_that_is_away_stops_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    from kombu.exceptions import OperationalError

    from config.celery import app

    def away(name: str, **_: object) -> None:
        raise OperationalError("no broker")

    monkeypatch.setattr(app, "send_task", away)

    jobs.embed_soon()
