"""
A person adds an upstream, its headers, a hint and a tool in the admin, in a real browser; agents use them at once.

One server runs throughout and is never started again.
"""

import asyncio
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from django.core.management import call_command
from graphql import build_schema
from playwright.sync_api import Page

from tests.graphql_proxy.browser import sign_in
from tests.graphql_proxy.conftest import in_a_thread
from tests.mock_upstream import MockUpstream, mock_upstream
from tests.toolbox.transports import mcp_over_http
from toolbox.database.caches import clear_all_caches

pytestmark = pytest.mark.slow

SLUG, SECRET, TOOL_NAME, HINT = "walked", "Bearer typed-by-a-person-once", "find_ferry", "ferries are boats"
FIRST_SDL = "type Query { ferry(id: ID!): Ferry } type Ferry { id: ID! name: String seats: Int }"
SECOND_SDL = "type Query { ferry(id: ID!): Ferry boats: [Ferry!] } type Ferry { id: ID! name: String }"
DOCUMENT = "query Show($id: ID!) { ferry(id: $id) { name } }"
PARAMETERS = '{"properties": {"id": {"type": "string", "description": "A ferry."}}, "required": ["id"]}'
MAPPING = '{"Show": {"record": {"path": "ferry", "fields": ["name"]}}}'


@pytest.fixture
def ferries() -> Iterator[MockUpstream]:
    """Run the second upstream."""
    with mock_upstream(build_schema(FIRST_SDL)) as running:
        yield running


@pytest.fixture
def page(server: str, django_db_blocker: Any) -> Iterator[Page]:
    """Open the admin as the curator; added rows are deleted after the test."""
    with django_db_blocker.unblock():
        try:
            with sign_in(server, name="curator", password="curator") as opened:
                yield opened
        finally:
            in_a_thread(_clean)
            clear_all_caches()


def _clean() -> None:
    from graphql_proxy.models import ErrorHint, SavedOperation, Upstream

    SavedOperation.objects.filter(name=TOOL_NAME).delete()
    ErrorHint.objects.filter(name=HINT).delete()
    Upstream.objects.filter(slug=SLUG).delete()


def _until(true: Callable[[], bool], *, seconds: float = 60) -> None:
    """Repeat until the condition holds: tools may see a change in the admin only after 5 s."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not come true in time"


def _add_upstream(page: Page, address: str) -> None:
    page.goto("/admin/graphql_proxy/upstream/add/")
    page.fill("[name=slug]", SLUG)
    page.fill("[name=address]", address)
    page.check("[name=is_local]")
    page.get_by_text("Add another").first.click()
    page.fill("[name=headers-0-name]", "Authorization")
    page.fill("[name=headers-0-secret]", SECRET)
    _save(page)


def _save(page: Page) -> None:
    page.click("[name=_save]")
    page.wait_for_url(lambda url: "/add/" not in url and "/change/" not in url)


def _add_hint(page: Page) -> None:
    page.goto("/admin/graphql_proxy/errorhint/add/")
    page.fill("[name=name]", HINT)
    page.fill("[name=pattern]", "ferr(y|ies)")
    page.fill("[name=hint]", "Ferries are boats here.")
    page.fill("[name=example]", "Cannot query field 'ferrys' on type 'Query'.")
    _save(page)


def _add_tool(page: Page) -> None:
    page.goto("/admin/graphql_proxy/savedoperation/add/")
    page.fill("[name=name]", TOOL_NAME)
    page.select_option("[name=upstream]", label=SLUG)
    page.fill("[name=description]", "Tell a ferry's name.")
    page.fill("[name=document]", DOCUMENT)
    page.fill("[name=variables_schema]", PARAMETERS)
    page.fill("[name=example]", '{"id": "8"}')
    page.fill("[name=result_mapping]", MAPPING)
    _save(page)


def _call(server: str, key: str, tool: str, **parameters: Any) -> httpx.Response:
    headers = {"Authorization": f"Bearer {key}"}
    return httpx.post(f"{server}/api/tools/graphql_proxy/{tool}", json=parameters, headers=headers, timeout=60)


def _over_mcp(server: str, key: str, tool: str, **parameters: Any) -> tuple[str, Any]:
    """Return a tool's description and its answer, as an MCP client receives them."""

    async def ask() -> tuple[str, Any]:
        async with mcp_over_http(server, key=key, path="/mcp/graphql_proxy") as client:
            listed = {one.name: one for one in (await client.list_tools()).tools}
            told = await client.call_tool(tool, parameters)
            return str(listed[tool].description), told.structured_content

    return in_a_thread(lambda: asyncio.run(ask()))


def test_a_second_upstream_is_added_and_used_on_every_face(
    server: str, cast: SimpleNamespace, page: Page, ferries: MockUpstream
) -> None:
    query = "{ ferry(id: 1) { name } }"

    _add_upstream(page, ferries.address)
    _until(lambda: _call(server, cast.alice, "execute_graphql", query=query, upstream=SLUG).status_code == 200)
    rest = _call(server, cast.alice, "execute_graphql", query=query, upstream=SLUG).json()
    description, mcp = _over_mcp(server, cast.alice, "execute_graphql", query=query, upstream=SLUG)
    openapi = httpx.get(f"{server}/api/openapi.json", timeout=60).text

    assert rest == mcp == {"data": {"ferry": {"name": "name"}}, "errors": [], "hints": []}
    assert f"{SLUG}: a schema that is not stored" in description
    assert f"{SLUG}: a schema that is not stored" in openapi


def test_a_secret_is_never_shown_again(page: Page, ferries: MockUpstream) -> None:
    _add_upstream(page, ferries.address)
    page.get_by_role("link", name=SLUG).first.click()
    page.wait_for_selector("[name=headers-0-name]")
    shown = page.content()
    page.locator("a[href$='/history/']").first.click()
    page.wait_for_url("**/history/")
    history = page.content()

    assert "stored" in shown
    for text in (shown, history):
        assert "typed-by-a-person" not in text


def test_a_schema_is_asked_for_and_its_changes_are_shown(page: Page, ferries: MockUpstream) -> None:
    _add_upstream(page, ferries.address)
    clear_all_caches()
    in_a_thread(lambda: call_command("ingest_graphql_schema", SLUG, "--fetch", verbosity=0))
    with mock_upstream(build_schema(SECOND_SDL)) as changed:
        in_a_thread(lambda: _set_address(changed.address))
        in_a_thread(lambda: call_command("ingest_graphql_schema", SLUG, "--fetch", verbosity=0))

    page.goto("/admin/graphql_proxy/schemasnapshot/")
    page.get_by_role("link", name=SLUG).first.click()
    page.wait_for_load_state()
    shown = page.content()

    assert "Ferry.seats was removed" in shown
    assert "boats" in shown


def _set_address(address: str) -> None:
    from graphql_proxy.models import Upstream

    Upstream.objects.filter(slug=SLUG).update(address=address)
    clear_all_caches()


def test_a_hint_is_tried_on_an_error(page: Page) -> None:
    _add_hint(page)
    page.get_by_role("link", name=HINT).first.click()
    page.get_by_text("Try it on this error").first.click()
    page.wait_for_url("**/try/?hint=*")
    page.get_by_role("button", name="Try it on this error").click()
    page.wait_for_selector("#tried")

    tried = page.inner_text("#tried")

    assert "Cannot query field 'ferrys' on type 'Query'." in tried
    assert "Use the introspect_schema tool" in tried
    assert "Ferries are boats here." in tried


def test_a_document_becomes_a_tool(server: str, cast: SimpleNamespace, page: Page, ferries: MockUpstream) -> None:
    _add_upstream(page, ferries.address)
    _add_tool(page)
    _until(lambda: _call(server, cast.alice, TOOL_NAME, id="8").status_code == 200)
    rest = _call(server, cast.alice, TOOL_NAME, id="8").json()
    description, mcp = _over_mcp(server, cast.alice, TOOL_NAME, id="8")
    page.goto("/api/docs")
    page.wait_for_selector(f"text={TOOL_NAME}")

    assert rest == mcp
    assert rest["record"] == {"name": "name"}
    assert description == "Tell a ferry's name."


def test_a_document_that_the_schema_does_not_take_is_refused_in_words(page: Page, ferries: MockUpstream) -> None:
    _add_upstream(page, ferries.address)
    clear_all_caches()
    in_a_thread(lambda: call_command("ingest_graphql_schema", SLUG, "--fetch", verbosity=0))
    page.goto("/admin/graphql_proxy/savedoperation/add/")
    page.fill("[name=name]", TOOL_NAME)
    page.select_option("[name=upstream]", label=SLUG)
    page.fill("[name=description]", "Tell a ferry's name.")
    page.fill("[name=document]", DOCUMENT.replace("name", "nmae"))
    page.fill("[name=variables_schema]", PARAMETERS)
    page.fill("[name=example]", '{"id": "8"}')
    page.click("[name=_save]")

    page.get_by_text("Cannot query field 'nmae'").first.wait_for()
