"""Who may ask `/graphql/`: a key that may read linescore, from wherever it comes."""

from collections.abc import AsyncIterator
from types import SimpleNamespace

import httpx
import pytest

ASKED = {"query": "{ leagues { totalCount } }"}


def client(*, address: str) -> httpx.AsyncClient:
    from django.core.asgi import get_asgi_application

    transport = httpx.ASGITransport(get_asgi_application(), client=(address, 1))  # type: ignore[arg-type]
    return httpx.AsyncClient(transport=transport, base_url="http://localhost")


@pytest.fixture
async def here(cast: SimpleNamespace) -> AsyncIterator[httpx.AsyncClient]:
    async with client(address="127.0.0.1") as local:
        yield local


@pytest.fixture
async def elsewhere(cast: SimpleNamespace) -> AsyncIterator[httpx.AsyncClient]:
    async with client(address="203.0.113.7") as remote:
        yield remote


async def test_this_machine_needs_a_key_too(here: httpx.AsyncClient) -> None:
    answer = await here.post("/graphql/", json=ASKED)

    assert answer.status_code == 401
    assert answer.json()["error"]["code"] == "UNAUTHENTICATED"


async def test_another_machine_needs_a_key_that_may_read_linescore(
    elsewhere: httpx.AsyncClient, cast: SimpleNamespace
) -> None:
    nobody = await elsewhere.post("/graphql/", json=ASKED)
    bob = await elsewhere.post("/graphql/", json=ASKED, headers={"Authorization": f"Bearer {cast.bob}"})
    charlie = await elsewhere.post("/graphql/", json=ASKED, headers={"X-API-Key": cast.charlie})

    assert [nobody.status_code, bob.status_code, charlie.status_code] == [401, 200, 403]


async def test_a_wrong_key_is_refused_even_here(here: httpx.AsyncClient) -> None:
    answer = await here.post("/graphql/", json=ASKED, headers={"X-API-Key": "tr_wrong"})

    assert answer.status_code == 401


async def test_nothing_is_loaded_from_elsewhere(here: httpx.AsyncClient, cast: SimpleNamespace) -> None:
    answer = await here.get("/graphql/", headers={"Accept": "text/html", "X-API-Key": cast.bob})

    assert b"<script" not in answer.content


async def test_a_mutation_has_nowhere_to_go(here: httpx.AsyncClient, cast: SimpleNamespace) -> None:
    answer = await here.post(
        "/graphql/", json={"query": "mutation { addTeam { id } }"}, headers={"X-API-Key": cast.bob}
    )

    assert "errors" in answer.json()
