"""Web processes and workers of a drill, each in its own process group, killed as a power cut would."""

import os
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

from django.conf import settings

from config.celery import app
from config.child_servers import SERVER, WORKER, free_port, module_command

QUEUE, _IDLE_QUEUE = "toolroom-drill", "toolroom-drill-idle"
START_SECONDS = 180.0
_LOOK_SECONDS = 0.05
_CONCURRENCY = "64"


class DrillFailed(RuntimeError):
    """The drill could not be carried out; says nothing about the tested system."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """A process that the drill started, with its children."""

    process: subprocess.Popen[bytes]
    name: str
    log: Path

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the whole group."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)

    def kill(self) -> None:
        """Kill it without warning."""
        self.signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        """Terminate it; after 15 s, kill it."""
        self.signal(signal.SIGCONT)
        self.process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(15)
        self.kill()


class Fleet:
    """All parts that the drill has started, alternating between the installations."""

    def __init__(
        self, folder: Path, *, model_address: str, model_name: str, other_folders: Sequence[Path] = ()
    ) -> None:
        self.parts: list[Part] = []
        self.folder = folder
        own = (settings.BASE_DIR, settings.TOOLROOM_VAR)
        self._places = cycle([own, *((other, other / "var") for other in other_folders)])
        self.environment = os.environ | {
            "DJANGO_SETTINGS_MODULE": "config.drill.settings", "TOOLROOM_DRILL_FOLDER": str(folder),
            "OPENAI_BASE_URL": model_address, "OPENAI_API_KEY": "drill", "AGENT_MODEL": model_name,
            "AGENT_TOOL_MODE": "native", "PYTHONWARNINGS": "ignore",
        }  # fmt: skip

    def start_worker(self, *, is_idle: bool = False) -> Part:
        """Start a worker and wait until it is ready; an idle one takes no runs until `take_work`."""
        name = f"drill-{os.urandom(4).hex()}@localhost"
        options = ("--concurrency", _CONCURRENCY, "-n", name, "-Q", _IDLE_QUEUE if is_idle else QUEUE)
        command = [*WORKER, *options]
        command[command.index("--loglevel") + 1] = "INFO"
        part = self._start(name, *command)
        self._wait(part, lambda: b"ready." in part.log.read_bytes())
        return part

    def take_work(self, part: Part) -> None:
        """Let an idle worker take runs from now on."""
        app.control.add_consumer(QUEUE, destination=[part.name])

    def start_web(self, *, port: int = 0) -> tuple[Part, int]:
        """Start a web process and wait until it answers; returns it with its port."""
        port = port or free_port("127.0.0.1", wanted=0)
        part = self._start(f"web-{port}-{os.urandom(2).hex()}", *SERVER, "--port", str(port))
        self._wait(part, lambda: _answers(port))
        return part, port

    def stop(self) -> None:
        """End everything that was started."""
        for part in self.parts:
            part.stop()

    def _start(self, name: str, *command: str) -> Part:
        log = self.folder / f"{name.partition('@')[0]}.log"
        base, var = next(self._places)
        with log.open("wb") as file:
            process = subprocess.Popen(
                module_command(*command), cwd=base, env=self.environment | {"TOOLROOM_VAR": str(var)},
                stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        part = Part(process=process, name=name, log=log)
        self.parts.append(part)
        return part

    def _wait(self, part: Part, is_ready: Callable[[], bool]) -> None:
        until = time.monotonic() + START_SECONDS
        while not is_ready():
            if part.process.poll() is not None or time.monotonic() > until:
                tail = part.log.read_text(errors="replace")[-1500:]
                raise DrillFailed(f"{part.name} did not start within {START_SECONDS:g} s:\n{tail}")
            time.sleep(_LOOK_SECONDS)


@contextmanager
def run_fleet(
    folder: Path, *, model_address: str, model_name: str, other_folders: Sequence[Path] = ()
) -> Iterator[Fleet]:
    """Provide a fleet; stop everything it started when the block ends."""
    fleet = Fleet(folder, model_address=model_address, model_name=model_name, other_folders=other_folders)
    try:
        yield fleet
    finally:
        fleet.stop()


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=1):
            return True
    except (urllib.error.URLError, OSError):
        return False
