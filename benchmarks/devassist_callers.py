"""
Callers in a generated project of 500 Python files: a cold server's first answers, then warm ones.

    python -m benchmarks.devassist_callers

"New" asks about a function that nobody has asked about, "repeat" again, "after an edit" when one file has changed.
Each function asked about has 50 direct callers in 50 files, and as many at depth 2.
"""

import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from devassist.callers.caller_search import CallerSearch, FoundCallers
from devassist.callers.client import Answer, Client
from devassist.callers.code import Code
from devassist.callers.declarations import find_functions
from devassist.callers.languages import DEFAULTS
from devassist.callers.search import CallerQuestion
from devassist.callers.servers import Servers
from devassist.callers.session import Machine
from devassist.callers.traversal import Place

FILES = 500
SHARED = 10
SECONDS = 1.6
_TICKS = os.sysconf("SC_CLK_TCK")
_ask = Client.ask

requests: Counter[str] = Counter()


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """The cost of one answer."""

    milliseconds: float
    requests: int
    our_cpu: float
    their_cpu: float
    found: FoundCallers


def generate(root: Path) -> None:
    """Write files that each call the one before and one of ten shared functions."""
    shared = "".join(f"def shared_{number}(n: int) -> int:\n    return n\n\n\n" for number in range(SHARED))
    (root / "f0.py").write_text(f"{shared}def step_0() -> int:\n    return 0\n")
    for number in range(1, FILES):
        filler = "".join(
            f"\n\ndef filler_{number}_{part}(n: int) -> int:\n    return n + {part}\n" for part in range(30)
        )
        called = f"shared_{number % SHARED}"
        (root / f"f{number}.py").write_text(
            f"from f0 import {called}\nfrom f{number - 1} import step_{number - 1}\n\n\n"
            f"def step_{number}() -> int:\n    return {called}(1) + step_{number - 1}()\n{filler}"
        )


async def measured(root: str) -> None:
    """Measure cold, then warm, and print."""
    machine = Machine(
        places={"bin": str(Path(sys.executable).parent), "servers": ""},
        environment={"PATH": os.environ["PATH"]},
        data=Path(root).parent / "data",
    )
    caller_search = CallerSearch(Servers(machine, most=1, idle_seconds=600))
    try:
        for label in ("cold", "cold, next call"):
            _print(label, [await _asked(caller_search, name="shared_0", root=root)])
        while (await _asked(caller_search, name="shared_0", root=root)).found.reason:
            pass
        names = [f"shared_{number}" for number in range(1, SHARED)]
        _print("new", [await _asked(caller_search, name=name, root=root) for name in names])
        _print("repeat", [await _asked(caller_search, name=name, root=root) for name in names])
        _print("after an edit", [await _edited(caller_search, name=name, root=root) for name in names])
    finally:
        await caller_search.close()


async def _edited(caller_search: CallerSearch, *, name: str, root: str) -> Taken:
    with (Path(root) / "f7.py").open("a") as file:
        file.write("\n\nprint(1)\n")
    return await _asked(caller_search, name=name, root=root)


async def _asked(caller_search: CallerSearch, *, name: str, root: str) -> Taken:
    code = Code.parse((Path(root) / "f0.py").read_bytes(), path="f0.py")
    assert code
    targets = tuple((Place(path="f0.py", function=one), name) for one in find_functions(name, code=code))
    requests.clear()
    ours, theirs, started = time.process_time(), _cpu_seconds(caller_search), time.perf_counter()
    found = await caller_search.ask(
        CallerQuestion(targets=targets, depth=2, server=DEFAULTS[0]), root=root, seconds=SECONDS
    )
    return Taken(
        milliseconds=(time.perf_counter() - started) * 1000,
        requests=requests.total(),
        our_cpu=(time.process_time() - ours) * 1000,
        their_cpu=(_cpu_seconds(caller_search) - theirs) * 1000,
        found=found,
    )


def _print(label: str, taken: list[Taken]) -> None:
    def middle(field: str) -> float:
        return float(statistics.median(getattr(one, field) for one in taken))

    worst = max(one.milliseconds for one in taken)
    whole = sum(one.found.reason is None for one in taken)
    callers = int(statistics.median(len(one.found.callers) for one in taken))
    print(
        f"{label:16} median {middle('milliseconds'):5.0f} ms, worst {worst:5.0f}; {whole} of {len(taken)} complete, "
        f"{callers} callers; {middle('requests'):.0f} requests; CPU ours {middle('our_cpu'):.0f} ms, "
        f"ty {middle('their_cpu'):.0f} ms"
    )
    for reason in {one.found.reason for one in taken if one.found.reason}:
        print(f"{'':16} {reason}")


def _cpu_seconds(caller_search: CallerSearch) -> float:
    """Return the CPU time of the servers' process groups."""
    groups = {session.process_id for session in caller_search.servers.list_running()}
    total = 0
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += sum(map(int, fields[11:13])) if int(fields[2]) in groups else 0
    return total / _TICKS


async def _counted(client: Client, method: str, *, params: Mapping[str, Any], **more: Any) -> Answer:
    requests[method] += 1
    answer: Answer = await _ask(client, method, params=params, **more)
    return answer


def main() -> None:
    """Generate, measure, print."""
    with tempfile.TemporaryDirectory() as folder, mock.patch.object(Client, "ask", _counted):
        root = Path(folder) / "project"
        root.mkdir()
        generate(root)
        asyncio.run(measured(os.path.realpath(root)))


if __name__ == "__main__":
    main()
