"""`manage.py check --deploy` on the reader role: quiet when it is right, by name when it is not."""

from dataclasses import replace

import httpx
import pytest
from asgiref.sync import sync_to_async
from django.db import connections

from toolbox.catalogue.registry import registry
from toolbox.checks import reader_can_only_read, tools_are_described


def test_every_declared_tool_describes_its_fields() -> None:
    assert tools_are_described() == []


def test_a_field_without_a_description_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    tool = next(registry.tools(domain="linescore"))
    bare = replace(tool)
    bare.__dict__["input_schema"] = {"type": "object", "properties": {"word": {"type": "string"}}}
    monkeypatch.setattr(registry, "tools", lambda: iter([bare]))

    (found,) = tools_are_described()

    assert found.id == "toolbox.E006"
    assert found.msg == f"linescore.{tool.name}: the field word needs a description"


@pytest.mark.django_db(databases=["default", "reader"])
def test_a_provisioned_database_has_nothing_to_fix(django_db_setup: None) -> None:
    assert reader_can_only_read() == []


@pytest.mark.parametrize(
    ("statement", "said", "code"),
    [
        ("GRANT INSERT ON linescore_teams TO toolroom_reader", "may write public.linescore_teams", "toolbox.E003"),
        ("GRANT SELECT ON toolbox_api_keys TO toolroom_reader", "may read public.toolbox_api_keys", "toolbox.E004"),
        ("GRANT SELECT ON auth_user TO PUBLIC", "may read public.auth_user", "toolbox.E004"),
        ("GRANT CREATE ON SCHEMA public TO toolroom_reader", "may create things", "toolbox.E005"),
    ],
)
def test_it_names_what_to_revoke(scratch_database: None, statement: str, said: str, code: str) -> None:
    with connections["default"].cursor() as cursor:
        cursor.execute(statement)

    found = reader_can_only_read()

    connections.close_all()
    assert [(message.id, said in str(message.msg)) for message in found] == [(code, True)]
    assert found[0].hint
    assert found[0].hint.startswith("REVOKE")


@pytest.mark.parametrize("table", ["linescore_teams", "linescore_period_results", "toolbox_api_keys"])
async def test_a_database_that_is_behind_the_code_is_a_part_that_is_away(
    scratch_database: None, fast_client: httpx.AsyncClient, table: str
) -> None:
    await sync_to_async(_rename)(table)

    answer = await fast_client.post("/api/tools/linescore/query_linescore_data", json={"teamCode": "XXX"})

    assert answer.status_code == 503, answer.text
    assert answer.json()["error"]["details"]["code"] == "DATABASE_ERROR"


def _rename(table: str) -> None:
    with connections["default"].cursor() as cursor:
        cursor.execute(f"ALTER TABLE {table} RENAME TO elsewhere")
    connections.close_all()
