"""
How fast issues are loaded: `python -m benchmarks.sprints_loading [--issues 50000] [--profile]`.

A synthetic organisation, simulated from a seed as the sample is: as many teams as the issues need, each with ten
sprints, changelogs and links. It is loaded into a scratch database twice: everything new, then nothing changed.
"""

import argparse
import cProfile
import os
import pstats
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import count

import orjson

from benchmarks.scratch import scratch_database
from benchmarks.servers import database_cpu_seconds
from sprints.samples.make_organisation import common_answers, team_answers
from sprints.samples.vocabulary import CREWS

ISSUES, SEED = 50_000, 20_261_122


def organisation_lines(*, issues: int, seed: int = SEED) -> Iterator[bytes]:
    """Write the answers of a site with about so many issues, a JSON document a line; the same seed, the same bytes."""
    yield from (orjson.dumps(answer) for answer in common_answers())
    made = 0
    for number in count():
        if made >= issues:
            return
        model = CREWS[number % len(CREWS)]
        crew = replace(model, key=f"{model.key}{number}", name=f"{model.name} {number}", board=11 + number)
        answers = team_answers(crew, seed=f"{seed} {number}")
        made += len(answers[-1]["issues"])
        yield from map(orjson.dumps, answers)


def main() -> None:
    """Load twice and print the figures."""
    parser = argparse.ArgumentParser(description="How fast issues are loaded.")
    parser.add_argument("--issues", type=int, default=ISSUES)
    parser.add_argument("--profile", action="store_true")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        scratch = stack.enter_context(scratch_database(name="sprints_loading"))
        os.environ |= scratch.environment | {"DJANGO_SETTINGS_MODULE": "config.settings", "TOOLROOM_LIMITS_URL": ""}
        import django  # noqa: PLC0415 - settings name the scratch database from here on

        django.setup()
        from django.core.management import call_command  # noqa: PLC0415

        call_command("migrate", verbosity=0)
        source = b"\n".join(organisation_lines(issues=arguments.issues))
        print(f"{len(source) >> 20} MB of answers; load average {os.getloadavg()[0]:.1f}")
        for name in ("everything new", "nothing changed"):
            _load(source, name=name, is_profiled=arguments.profile)


def _load(source: bytes, *, name: str, is_profiled: bool) -> None:
    from sprints.ingest.load import (  # noqa: PLC0415 - after django.setup()
        LoadReport,
        ensure_organisation,
        load_records,
    )
    from sprints.ingest.sources import read_sources  # noqa: PLC0415

    profile = cProfile.Profile()
    began, cpu, database = time.monotonic(), time.process_time(), database_cpu_seconds() or 0.0
    if is_profiled:
        profile.enable()
    records, survey, _ = read_sources([("synthetic.jsonl", source)])
    report = LoadReport(expected=len(survey.issues))
    load_records(records, organisation=ensure_organisation("synthetic"), report=report)
    profile.disable()
    print(
        f"{name}: {report.total:,} issues in {time.monotonic() - began:.1f} s; CPU {time.process_time() - cpu:.1f} s, "
        f"PostgreSQL {(database_cpu_seconds() or 0.0) - database:.1f} s"
    )
    print(report.summary(), flush=True)
    if is_profiled:
        pstats.Stats(profile).sort_stats("cumulative").print_stats(45)


if __name__ == "__main__":
    main()
