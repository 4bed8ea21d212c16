"""The contract's examples, on the shipped season."""

import httpx

ADDRESS = "/api/tools/linescore/query_linescore_data"


async def test_it_answers_a_team_and_a_month_period_by_period(fast_client: httpx.AsyncClient) -> None:
    ask = {"teamCode": "CAR", "startDate": "2025-02-01", "endDate": "2025-02-28"}

    answer = await fast_client.post(ADDRESS, json=ask)

    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert body["success"] is True
    assert body["data"]["count"] == len(body["data"]["results"]) > 0


async def test_both_lanes_answer(fast_client: httpx.AsyncClient, ninja_client: httpx.AsyncClient) -> None:
    ask = {"teamCode": "CAR", "limit": 1}

    fast, ninja = await fast_client.post(ADDRESS, json=ask), await ninja_client.post(ADDRESS, json=ask)

    assert fast.json()["data"]["results"] == ninja.json()["data"]["results"]


async def test_a_scratch_database_can_be_changed(scratch_database: None, fast_client: httpx.AsyncClient) -> None:
    from asgiref.sync import sync_to_async

    from linescore.models import Period

    await sync_to_async(Period.objects.all().delete)()

    answer = await fast_client.post(ADDRESS, json={"teamCode": "CAR"})

    assert answer.status_code == 404
