"""Helpers shared by the pages of one run: the run, its tabs, export formats, the sweep's URL."""

from importlib.util import find_spec
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import Http404
from django.urls import reverse

from backtests.pages import queries
from backtests.runs.open_loads import describe_open_loads
from backtests.runs.queries import Row
from toolbox.database import event_loop

SCOPE = "backtests:read"
TABS = {"run": "Results and events", "trades": "Round trips", "attribution": "Profit by group"}


def find_run(run_id: UUID) -> Row:
    """Fetch a run, with what it lacks as `incomplete`. Raises Http404."""
    found = event_loop.run(queries.fetch_runs([run_id]))
    if not found:
        raise Http404(f"There is no run {run_id}.")
    return found[0] | {"incomplete": describe_open_loads(found[0])}


def list_run_tabs(run_id: UUID, *, current: str) -> list[dict[str, Any]]:
    """Return the tabs of a run's pages: name, URL, whether it is the current one."""
    return [
        {"name": words, "address": reverse(f"backtests:{name}", args=[run_id]), "is_current": name == current}
        for name, words in TABS.items()
    ]


def list_export_kinds() -> list[str]:
    """List the export formats; Parquet needs the package of requirements-parquet.txt."""
    has_parquet = find_spec("arro3") is not None and find_spec("arro3.io") is not None
    return ["csv", "parquet"] if has_parquet else ["csv"]


def make_sweep_address(sweep: str) -> str:
    """Build the URL of a sweep's page."""
    return f"{reverse('backtests:sweeps')}?{urlencode({'sweep': sweep})}"
