"""The navigation at the top of every page: the pages that this person may open."""

from dataclasses import dataclass, replace
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.urls import reverse

from toolbox.access.people import require_person
from toolbox.contract.errors import DatabaseUnavailable


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A page to go to; `scope` says who may, `is_staff_only` that it is the admin's."""

    label: str
    url_name: str
    scope: str = ""
    is_staff_only: bool = False
    current: str = ""
    """What `aria-current` says: page where it is open, true where a page below it is."""

    @property
    def address(self) -> str:
        """Where it is."""
        return reverse(self.url_name)

    def mark_current(self, path: str) -> "Entry":
        """Mark the entry of the page that is open."""
        is_below = self.address != "/" and path.startswith(self.address)
        return replace(self, current="page" if path == self.address else "true" if is_below else "")


ENTRIES = [
    Entry(label="Ask", url_name="console:ask"),
    Entry(label="Tools", url_name="console:tools"),
    Entry(label="Hockey", url_name="linescore:latest", scope="linescore:read"),
    Entry(label="Past errors", url_name="devassist:root_causes", scope="devassist:read"),
    Entry(label="Schemas", url_name="graphql_proxy:schemas", scope="graphql_proxy:read"),
    Entry(label="Backtests", url_name="backtests:runs", scope="backtests:read"),
    Entry(label="Sprints", url_name="sprints:board", scope="sprints:read"),
    Entry(label="Admin", url_name="admin:index", is_staff_only=True),
]


def navigation(request: HttpRequest) -> dict[str, Any]:
    """Give templates `navigation`, made only where it is shown."""
    return {"navigation": lambda: _find_entries(request)}


def _find_entries(request: HttpRequest) -> list[Entry]:
    if not request.user.is_authenticated:
        return []
    try:
        caller = require_person(request)
    except (PermissionDenied, DatabaseUnavailable):  # this very page may be the one that says so
        return []
    allowed = [entry for entry in ENTRIES if not entry.scope or caller.has(entry.scope)]
    return [entry.mark_current(request.path) for entry in allowed if request.user.is_staff or not entry.is_staff_only]
