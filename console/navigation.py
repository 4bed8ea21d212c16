"""The navigation at the top of every page: the pages that this person may open."""

from dataclasses import dataclass, replace
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.urls import reverse

from toolbox.access.people import require_person
from toolbox.catalogue.registry import domain_title
from toolbox.contract.errors import DatabaseUnavailable


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A page to go to; `is_staff_only` says that it is the admin's."""

    url_name: str
    label: str = ""
    domain: str = ""
    """The domain whose page it is, which names it and whose right to read it wants."""
    is_staff_only: bool = False
    current: str = ""
    """What `aria-current` says: page where it is open, true where a page below it is."""

    @property
    def title(self) -> str:
        """What it is called."""
        return self.label or domain_title(self.domain)

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
    Entry(label="Activity", url_name="console:activity"),
    Entry(domain="linescore", url_name="linescore:latest"),
    Entry(domain="backtests", url_name="backtests:runs"),
    Entry(domain="sprints", url_name="sprints:board"),
    Entry(domain="devassist", url_name="devassist:root_causes"),
    Entry(domain="graphql_proxy", url_name="graphql_proxy:schemas"),
    Entry(label="Connect", url_name="console:connect"),
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
    allowed = [entry for entry in ENTRIES if not entry.domain or caller.has(f"{entry.domain}:read")]
    return [entry.mark_current(request.path) for entry in allowed if request.user.is_staff or not entry.is_staff_only]
