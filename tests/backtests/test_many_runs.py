"""A log of many runs: what waits to be stored is bounded, however many runs there are and however they are mixed."""

from collections.abc import Iterator
from uuid import UUID

import pytest

from backtests.ingest import load as loading
from backtests.ingest.load import load_lines
from backtests.ingest.report import LoadReport
from backtests.models import Run
from tests.backtests.makers import jsonl, strategy

RUNS, EVENTS, MAX_WAITING = 12, 25, 60


@pytest.mark.django_db
@pytest.mark.parametrize("is_mixed", [False, True])
def test_many_runs_do_not_wait_whole(monkeypatch: pytest.MonkeyPatch, *, is_mixed: bool) -> None:
    monkeypatch.setattr(loading, "MAX_WAITING_EVENTS", MAX_WAITING)
    run_ids = [UUID(int=10**9 + number, version=4) for number in range(RUNS)]
    runs = [jsonl(strategy(str(run_id), events=EVENTS, seed=at)) for at, run_id in enumerate(run_ids)]
    lines = [line for run in runs for line in run]
    if is_mixed:
        lines = [run[place] for place in range(max(map(len, runs))) for run in runs if place < len(run)]
    report, waiting = LoadReport(), []

    def read() -> Iterator[bytes]:
        for place, line in enumerate(lines):
            waiting.append(place - report.total)
            yield line

    load_lines(read(), run_id=None, report=report)

    assert report.stored == len(lines)
    assert max(waiting) <= MAX_WAITING + max(RUNS, *map(len, runs))
    assert dict(Run.objects.filter(run_id__in=run_ids).values_list("run_id", "event_count")) == dict(
        zip(run_ids, map(len, runs), strict=True)
    )
