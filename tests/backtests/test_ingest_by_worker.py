"""An uploaded file loaded as a task: a real server takes it, a real worker finishes it."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from backtests.ingest import engines
from backtests.models import Run, UploadedFile
from tests.agents.processes import own_broker, web, worker
from tests.backtests.conftest import InThread
from tests.conftest import server_environment
from tests.toolbox.task_client import TaskClient, connect_task_client

pytestmark = pytest.mark.slow

SAMPLES = Path(engines.__file__).parents[2] / "samples" / "engines"
SWEEP = "test_ingest_by_worker"


@pytest.fixture(scope="module")
def client(cast: SimpleNamespace, in_thread: InThread) -> Iterator[TaskClient]:
    with own_broker() as broker:
        environment = server_environment() | {"CELERY_BROKER_URL": broker.address}
        with (
            web(environment) as (address, _),
            worker(environment),
            connect_task_client(address, key=cast.alice) as connected,
        ):
            yield connected
    in_thread(lambda: (Run.objects.filter(sweep=SWEEP).delete(), UploadedFile.objects.all().delete()))


def upload(client: TaskClient, content: bytes) -> str:
    answer = client.http.post("/api/backtests/files", content=content)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["fileId"])


def test_a_worker_finishes_the_load(client: TaskClient) -> None:
    file_id = upload(client, (SAMPLES / "vectorbt_trades.csv").read_bytes())

    task_id = client.begin_task("ingest_backtest", files=[{"fileId": file_id}], sweep=SWEEP)
    ended = client.wait_until(task_id, lambda task: task["status"] != "working")

    assert ended["status"] == "completed", ended
    loaded = ended["result"]["structuredContent"]
    assert (loaded["stored"] > 0, loaded["malformed"]) == (True, 0)
    trades = {"runId": loaded["runIds"][0], "pageSize": 1}
    listed = client.request("tools/call", about="list_trades", name="list_trades", arguments=trades)
    assert listed["structuredContent"]["metadata"]["totalCount"] > 0
