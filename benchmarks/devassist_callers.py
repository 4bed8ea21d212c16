"""Callers in a generated project of 500 Python files: the first question of a cold server, and warm ones."""

import asyncio
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from devassist.callers.code import Code
from devassist.callers.declarations import meant
from devassist.callers.desk import Desk, Found
from devassist.callers.inquiry import Asked
from devassist.callers.languages import DEFAULTS
from devassist.callers.servers import Servers
from devassist.callers.session import Machine
from devassist.callers.walk import Place

FILES = 500
WARM_ROUNDS = 20
SECONDS = 1.6


def generate(root: Path) -> None:
    """Write files that each call the one before, and every tenth the first."""
    (root / "f0.py").write_text("def shared(n: int) -> int:\n    return n\n\n\ndef step_0() -> int:\n    return 0\n")
    for number in range(1, FILES):
        filler = "".join(
            f"\n\ndef filler_{number}_{part}(n: int) -> int:\n    return n + {part}\n" for part in range(30)
        )
        call = "shared(1) + " if number % 10 == 0 else ""
        (root / f"f{number}.py").write_text(
            f"from f0 import shared\nfrom f{number - 1} import step_{number - 1}\n\n\n"
            f"def step_{number}() -> int:\n    return {call}step_{number - 1}()\n{filler}"
        )


async def measured(root: str) -> None:
    """Ask cold, then warm, and print."""
    machine = Machine(
        places={"bin": str(Path(sys.executable).parent), "servers": ""},
        environment={"PATH": os.environ["PATH"]},
        data=Path(root).parent / "data",
    )
    desk = Desk(Servers(machine, most=1, idle_seconds=600))
    try:
        for label in ("cold", "next"):
            took, found = await _asked(desk, root=root)
            print(f"{label}: {took:.0f} ms, {len(found.callers)} callers, {found.reason or 'complete'}")
        while (await _asked(desk, root=root))[1].reason:
            pass
        warm = [(await _asked(desk, root=root))[0] for _ in range(WARM_ROUNDS)]
        print(f"warm: median {statistics.median(warm):.0f} ms, worst of {WARM_ROUNDS} {max(warm):.0f} ms")
    finally:
        await desk.close()


async def _asked(desk: Desk, *, root: str) -> tuple[float, Found]:
    code = Code.of((Path(root) / "f0.py").read_bytes(), path="f0.py")
    assert code
    targets = tuple((Place(path="f0.py", function=one), "shared") for one in meant("shared", code=code))
    started = time.perf_counter()
    found = await desk.ask(Asked(targets=targets, depth=2, server=DEFAULTS[0]), root=root, seconds=SECONDS)
    return (time.perf_counter() - started) * 1000, found


def main() -> None:
    """Generate, measure, print."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        root.mkdir()
        generate(root)
        asyncio.run(measured(os.path.realpath(root)))


if __name__ == "__main__":
    main()
