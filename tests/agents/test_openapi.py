"""The OpenAPI description of conversations."""

import httpx


async def test_every_address_is_in_openapi_with_its_refusals(ninja_client: httpx.AsyncClient) -> None:
    paths = (await ninja_client.get("/api/openapi.json")).json()["paths"]

    operations = {
        operation["operationId"]: set(operation["responses"])
        for address, methods in paths.items()
        if address.startswith("/api/agents/conversations")
        for operation in methods.values()
    }
    assert len(operations) == 14
    assert all({"401", "403", "429", "503"} <= responses for responses in operations.values())
    assert "409" in operations["post_message"]
    assert "404" in operations["show_run"]


async def test_bodies_are_described_with_an_example(ninja_client: httpx.AsyncClient) -> None:
    paths = (await ninja_client.get("/api/openapi.json")).json()["paths"]

    body = paths["/api/agents/conversations"]["post"]["requestBody"]["content"]["application/json"]
    assert body["example"] == {"toolkits": ["linescore"], "maxSteps": 12}
    assert body["schema"]["properties"]["secondMessage"]["enum"] == ["wait", "replace", "refuse"]
