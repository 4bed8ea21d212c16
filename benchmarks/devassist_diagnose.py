"""
Measure repeated diagnoses of the shipped crash, in elapsed time and this process's CPU time.

    python -m benchmarks.devassist_diagnose                # the shipped app alone
    python -m benchmarks.devassist_diagnose ~/projects/a   # with another workspace beside it

The first call of a process also loads the embedding model; it is printed separately.
"""

import asyncio
import os
import signal
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from benchmarks.scratch import scratch_database

CALLS = 30
MAX_SECONDS = 1.5
SAMPLES = Path(__file__).resolve().parent.parent / "devassist" / "samples"


def main(others: list[str]) -> None:
    """Measure, and print Markdown."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with ExitStack() as stack:
        scratch = stack.enter_context(scratch_database())
        os.environ |= scratch.environment | {"DJANGO_SETTINGS_MODULE": "config.settings", "TOOLROOM_LIMITS_URL": ""}
        import django  # noqa: PLC0415 - settings name the scratch database from here on

        django.setup()
        _load(others)
        from toolbox.database import event_loop  # noqa: PLC0415

        event_loop.run(_measure())


def _load(others: list[str]) -> None:
    from django.core.management import call_command  # noqa: PLC0415

    from devassist.models import Workspace  # noqa: PLC0415

    call_command("migrate", verbosity=0, interactive=False)
    call_command("ingest_rca", str(SAMPLES / "root_causes.jsonl"), verbosity=0)
    for number, root in enumerate([str(SAMPLES / "trailnotes"), *others]):
        Workspace.objects.create(name=f"workspace-{number}", root=str(Path(root).resolve()), is_open=True)


async def _measure() -> None:
    from devassist.contracts.diagnose import DiagnoseQuestion  # noqa: PLC0415
    from devassist.diagnosis.diagnose import diagnose  # noqa: PLC0415
    from devassist.web.rules import read_rules  # noqa: PLC0415
    from devassist.workspaces import workspaces  # noqa: PLC0415
    from toolbox.contract.caller import LOCAL_OPERATOR  # noqa: PLC0415

    ask = DiagnoseQuestion(trace=await asyncio.to_thread((SAMPLES / "crash.txt").read_text))
    known = await workspaces()
    times, cpu = [], []
    for _ in range(CALLS + 1):
        began, used = time.perf_counter(), time.process_time()
        found = await diagnose(ask, caller=LOCAL_OPERATOR, workspaces=known, rules=read_rules())
        times.append(time.perf_counter() - began)
        cpu.append(time.process_time() - used)
        assert found.similar, found.unknown
    warm = sorted(times[1:])
    print(f"{len(known)} workspaces, load average {os.getloadavg()[0]:.1f}.\n")
    print("| diagnose | first, ms | warm: median | worst of 30 | CPU, median |\n|---|--:|--:|--:|--:|")
    shown = (times[0], median(warm), warm[-1], median(cpu[1:]))
    print("| the shipped crash | " + " | ".join(f"{1000 * one:.0f}" for one in shown) + " |")
    print(f"\n- {'met' if warm[-1] < MAX_SECONDS else 'MISSED'}: warm under {MAX_SECONDS:g} s: {warm[-1]:.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
