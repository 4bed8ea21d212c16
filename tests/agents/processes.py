"""Real workers and a real broker as processes, until a block ends."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from celery import Celery
from django.conf import settings

from config.child_servers import SERVER, free_port
from config.embedded import broker
from tests.conftest import _wait_for

READY_SECONDS = 90


@dataclass
class Part:
    """A running process; `log` grows with its output."""

    process: subprocess.Popen[str]
    name: str = ""
    log: list[str] = field(default_factory=list)
    _news: threading.Condition = field(default_factory=threading.Condition)

    @property
    def pid(self) -> int:
        """Return the process's id."""
        return self.process.pid

    def wait_for(self, phrase: str, *, seconds: float = READY_SECONDS) -> None:
        """Wait until the output has the phrase; raises TimeoutError with the output."""

        def is_said() -> bool:
            return any(phrase in line for line in self.log) or self.process.poll() is not None

        with self._news:
            said = self._news.wait_for(is_said, seconds)
            if not said or not any(phrase in line for line in self.log):
                raise TimeoutError(f"not a word of {phrase!r}:\n" + "".join(self.log[-60:]))

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the process and all its children."""
        os.killpg(self.process.pid, number)

    def kill(self) -> None:
        """Kill it and all its children, as a power cut would."""
        self.signal(signal.SIGKILL)
        self.process.wait(10)

    def _listen(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            with self._news:
                self.log.append(line)
                self._news.notify_all()
        with self._news:
            self._news.notify_all()


@contextmanager
def run_process(*command: str, environment: dict[str, str]) -> Iterator[Part]:
    """Run a Python module in a process group of its own; terminates it when the block ends, then kills the group."""
    process = subprocess.Popen(
        [sys.executable, "-m", *command], cwd=settings.BASE_DIR, env=environment, text=True, errors="replace",
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip
    part = Part(process)
    listening = threading.Thread(target=part._listen, daemon=True)
    listening.start()
    try:
        yield part
    finally:
        _end(process)
        listening.join(10)
        if process.stdout:
            process.stdout.close()


def _end(process: subprocess.Popen[str]) -> None:
    """Terminate it, then kill the whole group, so that no child is left behind."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGCONT)
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(10)
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(10)


@contextmanager
def worker(environment: dict[str, str], *options: str) -> Iterator[Part]:
    """Run a worker as the Procfile does, with more output; enters the block once it takes work."""
    with starting_worker(environment, *options) as part:
        part.wait_for("ready.")
        yield part


@contextmanager
def starting_worker(environment: dict[str, str], *options: str) -> Iterator[Part]:
    """Start a worker without waiting for it. With `*IDLE` it takes no work until `take_work`."""
    name = f"w{os.urandom(4).hex()}@test"
    command = ["celery", "-A", "config", "worker", *worker_options(), *options, "--loglevel", "INFO", "-n", name]
    with run_process(*command, environment=environment) as part:
        part.name = name
        yield part


IDLE = ("-Q", "nothing")


def take_work(part: Part, *, broker: str) -> None:
    """Let an idle worker take work from now on."""
    part.wait_for("ready.")
    with Celery(broker=broker, set_as_current=False) as app:
        app.control.add_consumer("celery", destination=[part.name])


def worker_options() -> list[str]:
    """Return the options of Procfile's worker."""
    line = next(line for line in Path(settings.BASE_DIR, "Procfile").read_text().splitlines() if "worker:" in line)
    words = line.partition(" worker ")[2].split()
    del words[words.index("--loglevel") :]
    return [word.replace("${WORKER_RUNS:-100}", "16") for word in words]


@contextmanager
def web(environment: dict[str, str]) -> Iterator[tuple[str, Part]]:
    """Run the web server on a free port; enters the block with its address once it answers."""
    port = free_port("127.0.0.1", wanted=0)
    with run_process(*SERVER, "--port", str(port), environment=environment) as part:
        _wait_for(port, part.process)
        yield f"http://127.0.0.1:{port}", part


@dataclass(frozen=True, kw_only=True)
class Broker:
    """An embedded broker for tests."""

    var: Path

    @property
    def address(self) -> str:
        """Return the value for CELERY_BROKER_URL."""
        return broker.address(self.var)

    def flush(self) -> None:
        """Delete everything in it."""
        broker._say(broker._find_folder(self.var), "FLUSHALL")


@contextmanager
def own_broker() -> Iterator[Broker]:
    """Run a broker until the block ends."""
    var = Path(tempfile.mkdtemp(prefix="toolroom-broker-"))
    try:
        broker.ensure_running(var)
        yield Broker(var=var)
    finally:
        broker.leave(var)
        shutil.rmtree(var, ignore_errors=True)
