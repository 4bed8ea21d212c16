"""Files that are uploaded, and the tool that loads them: over HTTP, as a question to a person, as a task."""

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from django.core.asgi import get_asgi_application

from backtests.ingest import engines
from backtests.models import Run, UploadedFile
from backtests.uploads.middleware import UploadMiddleware
from tests.backtests.conftest import InThread
from toolbox.contract.caller import Caller
from toolbox.contract.client_channel import BecomeTask, ClientChannel, InputRequired, RetriedCall
from toolbox.dispatch.dispatch import Call, dispatch
from toolbox.dispatch.entry import Reply

pytestmark = pytest.mark.usefixtures("open_database")

SAMPLES = Path(engines.__file__).parents[2] / "samples" / "engines"
TABLE = b"Date,NAV\n2024-01-01,1000\n2024-01-02,1010\n"
MEANING = "time=Date,equity=NAV"
OTHER = Caller(name="other", scopes=frozenset({"*:write"}), owner_id=2**40)


@pytest.fixture(params=["upload middleware", "ninja"])
async def client(request: pytest.FixtureRequest, cast: SimpleNamespace) -> AsyncIterator[httpx.AsyncClient]:
    """Return alice's client of a server whose uploads the middleware serves, then Django."""
    django: Any = get_asgi_application()
    application = UploadMiddleware(django) if request.param == "upload middleware" else django
    headers = {"Authorization": f"Bearer {cast.alice}"}
    transport = httpx.ASGITransport(application)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers) as made:
        yield made


@pytest.fixture(autouse=True)
def clean(in_thread: InThread) -> Iterator[None]:
    yield
    in_thread(lambda: (UploadedFile.objects.all().delete(), Run.objects.filter(sweep="test_ingest_tool").delete()))


async def upload(client: httpx.AsyncClient, content: bytes, *, name: str = "file") -> dict[str, Any]:
    answer = await client.post("/api/backtests/files", params={"name": name}, content=content)
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def ingest(
    key: str | Caller, *files: Any, channel: ClientChannel | None = None, **given: Any
) -> tuple[Reply, Any]:
    arguments = {"files": [one if isinstance(one, dict) else {"fileId": one} for one in files], **given}
    reply = await dispatch(
        Call(
            tool="ingest_backtest", arguments=json.dumps({"sweep": "test_ingest_tool"} | arguments).encode(),
            credential=key, transport="rest", request_id="t" * 12, client=channel or ClientChannel(),
        )
    )  # fmt: skip
    return reply, json.loads(reply.body or b"null")


async def test_two_uploaded_files_are_loaded_as_one_run(client: httpx.AsyncClient, cast: SimpleNamespace) -> None:
    trades, equity = [
        await upload(client, (SAMPLES / name).read_bytes(), name=name)
        for name in ("backtesting_trades.csv", "backtesting_equity.csv")
    ]

    _, first = await ingest(cast.alice, trades["fileId"], equity["fileId"], symbol="AAPL")
    _, second = await ingest(cast.alice, trades["fileId"], equity["fileId"], symbol="AAPL")

    assert "which security" in trades["says"]
    assert (equity["format"], equity["name"], equity["says"]) == ("backtesting", "backtesting_equity.csv", None)
    assert first["stored"] == second["duplicate"] > 14
    assert (second["stored"], second["runIds"]) == (0, first["runIds"])


async def test_guessed_columns_are_confirmed_by_a_second_call(client: httpx.AsyncClient, cast: SimpleNamespace) -> None:
    file = await upload(client, TABLE)

    reply, refused = await ingest(cast.alice, file["fileId"])
    details = refused["error"]["details"]
    _, loaded = await ingest(cast.alice, *details["retryWith"]["files"])

    assert (file["format"], file["columns"]) == ("table", MEANING)
    assert (reply.status, reply.code) == (422, "FILE_REFUSED")
    assert "first row would have time '2024-01-01' (Date), equity '1000' (NAV)" in refused["error"]["message"]
    assert loaded["stored"] == 2


@pytest.mark.parametrize(("choice", "stored"), [("Load it so", 2), ("Do not load it", None)])
async def test_a_person_confirms_guessed_columns(
    client: httpx.AsyncClient, cast: SimpleNamespace, choice: str, stored: int | None
) -> None:
    file = await upload(client, TABLE)
    forms: dict[str, Any] = {"elicitation": {}}

    asked, _ = await ingest(cast.alice, file["fileId"], channel=RetriedCall(capabilities=forms))
    answers = {"columns": {"action": "accept", "content": {"choice": choice}}}
    _, told = await ingest(cast.alice, file["fileId"], channel=RetriedCall(capabilities=forms, answers=answers))

    assert isinstance(asked.continuation, InputRequired)
    assert told.get("stored") == stored


async def test_what_a_client_that_knows_tasks_uploaded_is_loaded_by_a_worker(
    client: httpx.AsyncClient, cast: SimpleNamespace
) -> None:
    file = await upload(client, (SAMPLES / "vectorbt_trades.csv").read_bytes())
    knows: dict[str, Any] = {"extensions": {"io.modelcontextprotocol/tasks": {}}}

    reply, _ = await ingest(cast.alice, file["fileId"], channel=RetriedCall(capabilities=knows))

    assert isinstance(reply.continuation, BecomeTask)


async def test_files_are_their_senders_alone(client: httpx.AsyncClient, cast: SimpleNamespace) -> None:
    file = await upload(client, (SAMPLES / "vectorbt_trades.csv").read_bytes())

    refusals = [await ingest(OTHER, file["fileId"]), await ingest(cast.alice, str(uuid4())),
                await ingest(cast.alice, "samples/../../etc/passwd")]  # fmt: skip

    assert [(reply.status, reply.code) for reply, _ in refusals] == [(404, "FILE_NOT_FOUND")] * 3


@pytest.mark.parametrize(
    ("content", "given", "said"),
    [
        (b"\x80\x04K\x01.", {}, "never read"),
        (b"a,b\n1,2\n", {}, "No format is known"),
        (TABLE, {"format": "excel"}, "There is no format 'excel'"),
        (TABLE, {"format": "lean"}, "no event"),
    ],
)
async def test_what_cannot_be_loaded_is_refused(
    client: httpx.AsyncClient, cast: SimpleNamespace, content: bytes, given: dict[str, Any], said: str
) -> None:
    file = await upload(client, content)

    reply, refused = await ingest(cast.alice, file["fileId"], **given)

    assert reply.code == "FILE_REFUSED"
    assert said in refused["error"]["message"]


@pytest.mark.parametrize(
    ("query", "content", "said"),
    [
        ("?nam=x", TABLE, "400: Use name once"),
        ("", b"", "400: Send the file as"),
        ("", b"x" * 200, "413: Send it as gzip"),
    ],
)
async def test_bad_uploads_of_files_are_refused(
    client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, query: str, content: bytes, said: str
) -> None:
    monkeypatch.setattr("backtests.uploads.storage.MAX_FILE_BYTES", 100)

    answer = await client.post(f"/api/backtests/files{query}", content=content)

    suggestion = answer.json()["error"]["details"]["suggestion"]
    assert f"{answer.status_code}: {suggestion}".startswith(said)


async def test_the_oldest_files_make_room(
    client: httpx.AsyncClient, cast: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backtests.uploads.file_queries.MAX_FILES", 2)

    ids = [(await upload(client, TABLE))["fileId"] for _ in range(3)]
    replies = [(await ingest(cast.alice, {"fileId": one, "columns": MEANING}))[0] for one in ids]

    assert [reply.code for reply in replies] == ["FILE_NOT_FOUND", "", ""]
    assert all(UUID(one) for one in ids)
