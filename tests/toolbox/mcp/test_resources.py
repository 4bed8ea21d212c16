"""Documents and prompts: what is refused where it is declared, and what a client reads of the real server's."""

import asyncio
from typing import Annotated, Any

import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import ResourceUpdatedNotification, TextResourceContents

from tests.toolbox.transports import mcp_in_memory
from toolbox.catalogue.registry import registry
from toolbox.contract.caller import Caller
from toolbox.contract.resources import InvalidResource
from toolbox.contract.tool import Toolkit
from toolbox.mcp.server import mcp_server

ONLY_LINESCORE = Caller(name="somebody", scopes=frozenset({"linescore:read"}))


def test_what_cannot_be_offered_says_what_to_mend() -> None:
    kit = Toolkit(domain="things", summary="Things.")

    async def thing(code: Annotated[str, "Which."]) -> str:
        """Read a thing."""
        return code

    async def bare(code: str) -> str:
        """Ask about a thing."""
        return code

    with pytest.raises(InvalidResource, match="not those of things://one"):
        kit.resource("things://one", title="One")(thing)
    with pytest.raises(InvalidResource, match="code needs a description"):
        kit.prompt(title="Bare")(bare)
    with pytest.raises(InvalidResource, match="color is completed, and is no parameter"):
        kit.prompt(title="Thing", completes={"color": None})(thing)
    assert (kit.resources, kit.prompts) == ([], [])


def test_an_address_is_read_by_its_template_and_by_no_other_text() -> None:
    kit = Toolkit(domain="things", summary="Things.")

    @kit.resource("things://{kind}/{code}.txt", title="A thing")
    async def thing(kind: Annotated[str, "Which kind."], code: Annotated[str, "Which."]) -> str:
        """Read a thing."""
        return kind + code

    (resource,) = kit.resources
    assert resource.values("things://big/7.txt") == {"kind": "big", "code": "7"}
    assert [resource.values(uri) for uri in ("things://big/7xtxt", "things://big/a/7.txt", "things://big/")] == [
        None
    ] * 3


async def test_a_caller_reads_the_guides_of_its_domains_only(django_db_setup: None) -> None:
    async with mcp_in_memory(ONLY_LINESCORE) as client:
        listed = [str(one.uri) for one in (await client.list_resources()).resources]
        (page,) = (await client.read_resource("toolroom://guides/linescore")).contents
        with pytest.raises(MCPError, match="no such resource"):
            await client.read_resource("toolroom://guides/sprints")

    assert listed == ["toolroom://guides/linescore"]
    assert isinstance(page, TextResourceContents)
    assert "query_linescore_data" in page.text


@pytest.mark.filterwarnings("ignore:resources/:mcp.shared.exceptions.MCPDeprecationWarning")  # so says 2026's client
async def test_a_client_of_a_connection_that_lasts_is_told_of_what_it_watches(django_db_setup: None) -> None:
    told: asyncio.Queue[str] = asyncio.Queue()

    async def hear(message: Any) -> None:
        if isinstance(message, ResourceUpdatedNotification):
            await told.put(str(message.params.uri))

    server = mcp_server(registry, transport="memory", credential_of=lambda _: ONLY_LINESCORE)
    async with Client(server, mode="legacy", message_handler=hear) as client, asyncio.timeout(60):
        await client.subscribe_resource("linescore://a")
        await client.subscribe_resource("linescore://b")
        await client.unsubscribe_resource("linescore://a")
        registry.notify("linescore://a")
        registry.notify("linescore://b")

        assert await told.get() == "linescore://b"
