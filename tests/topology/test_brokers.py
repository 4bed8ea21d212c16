"""Redis and RabbitMQ of the machine's own packages as broker: runs are answered, and a restart loses none."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import pytest

from config.child_servers import free_port
from tests.agents.conversation_client import Owner, observe_database
from tests.agents.model_server import KEY, MODEL, ModelServer, model_server
from tests.agents.processes import Part, worker
from tests.agents.turns import says
from tests.conftest import server_environment

pytestmark = pytest.mark.slow
START_SECONDS = 120
END_SECONDS = 90
RABBITMQ = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")


@dataclass
class MachineBroker:
    """A broker from the machine's packages, on its own port and in its own folder."""

    kind: str
    folder: Path
    port: int = field(default_factory=lambda: free_port("127.0.0.1", wanted=0))
    distribution_port: int = field(default_factory=lambda: free_port("127.0.0.1", wanted=0))
    _process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        """Return the value for CELERY_BROKER_URL."""
        if self.kind == "redis":
            return f"redis://127.0.0.1:{self.port}/0"
        return f"amqp://guest:guest@127.0.0.1:{self.port}//"

    def start(self) -> None:
        """Start it and wait until it accepts connections."""
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                self._command(), env=self._environment(), stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        until = time.monotonic() + START_SECONDS
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > until:
                raise TimeoutError((self.folder / "log").read_text(errors="replace")[-2000:])
            time.sleep(0.05)

    def kill(self) -> None:
        """Kill it as a power cut would."""
        if self._process and self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(10)

    def _command(self) -> list[str]:
        if self.kind == "redis":
            return ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--dir",
                    str(self.folder)]  # fmt: skip
        return [str(RABBITMQ)]

    def _environment(self) -> dict[str, str]:
        own = {
            "HOME": str(self.folder), "RABBITMQ_NODENAME": f"test{self.port}@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1", "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_DIST_PORT": str(self.distribution_port), "RABBITMQ_MNESIA_BASE": str(self.folder / "data"),
            "RABBITMQ_LOG_BASE": str(self.folder / "log.d"), "RABBITMQ_CONFIG_FILE": str(self.folder / "none"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.folder / "plugins"),
        }  # fmt: skip
        return os.environ | (own if self.kind == "rabbitmq" else {})

    def _answers(self) -> bool:
        with socket.socket() as probe:
            probe.settimeout(2)
            if probe.connect_ex(("127.0.0.1", self.port)):
                return False
            probe.sendall(b"PING\r\n" if self.kind == "redis" else b"AMQP\0\0\x09\x01")
            try:
                return bool(probe.recv(8))
            except OSError:
                return False


@pytest.fixture(scope="module", params=["redis", "rabbitmq"])
def machine_broker(request: pytest.FixtureRequest) -> Iterator[MachineBroker]:
    """Run an installed broker; skips if its package is not installed."""
    program = shutil.which("redis-server") if request.param == "redis" else RABBITMQ.exists()
    if not program:
        pytest.skip(f"{request.param}-server is not installed on this machine")
    folder = Path(tempfile.mkdtemp(prefix="toolroom-broker-"))
    broker = MachineBroker(request.param, folder)
    try:
        broker.start()
        yield broker
    finally:
        broker.kill()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    with model_server() as running:
        yield running


@pytest.fixture(scope="module")
def running_worker(machine_broker: MachineBroker, model: ModelServer, cast: SimpleNamespace) -> Iterator[Part]:
    """Run a worker that takes its work from the broker."""
    environment = server_environment() | {
        "CELERY_BROKER_URL": machine_broker.address, "OPENAI_BASE_URL": model.address, "OPENAI_API_KEY": KEY,
        "AGENT_MODEL": MODEL,
    }  # fmt: skip
    with worker(environment) as part:
        yield part


def test_a_run_is_answered(machine_broker: MachineBroker, running_worker: Part, model: ModelServer) -> None:
    model.when("Good morning", says("Good morning."))

    run_id = Owner(machine_broker.address).say("Good morning")

    with observe_database() as onlooker:
        assert onlooker.end_of(run_id, seconds=END_SECONDS)["state"] == "succeeded"
        assert onlooker.answer(run_id) == "Good morning."


def test_a_broker_that_is_killed_and_comes_back_loses_no_run(
    machine_broker: MachineBroker, running_worker: Part, model: ModelServer
) -> None:
    model.when("Good evening", says("Good evening."))
    machine_broker.kill()
    run_id = Owner(machine_broker.address).say("Good evening", is_told=False)

    machine_broker.start()

    with observe_database() as onlooker:
        assert onlooker.end_of(run_id, seconds=END_SECONDS)["state"] == "succeeded"
        assert onlooker.answer(run_id) == "Good evening."
    assert running_worker.process.poll() is None
