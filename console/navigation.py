"""The navigation at the top of every page: the pages that this person may open, and the domains on data pages."""

from dataclasses import dataclass, replace
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.urls import reverse

from toolbox.access.people import require_person
from toolbox.catalogue.registry import domain_title
from toolbox.contract.caller import Caller
from toolbox.contract.errors import DatabaseUnavailable


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An entry of the navigation; `is_staff_only` hides it from people who may not enter the admin."""

    url_name: str
    label: str = ""
    domain: str = ""
    """The domain whose page it is: its title is the label, and its read scope is required."""
    is_staff_only: bool = False
    current: str = ""
    """Value of `aria-current`: `page` if the page is open, `true` if a page below it is."""

    @property
    def title(self) -> str:
        """Return the label, or the domain's title."""
        return self.label or domain_title(self.domain)

    @property
    def address(self) -> str:
        """Return the path of the page."""
        return reverse(self.url_name)

    def mark_current(self, path: str) -> "Entry":
        """Return the entry, marked if its page or a page below it is open."""
        is_below = self.address != "/" and path.startswith(self.address)
        return replace(self, current="page" if path == self.address else "true" if is_below else "")


ENTRIES = [
    Entry(label="Ask", url_name="console:ask"),
    Entry(label="Tools", url_name="console:tools"),
    Entry(label="Activity", url_name="console:activity"),
    Entry(label="Data", url_name="console:data"),
    Entry(label="Connect", url_name="console:connect"),
    Entry(label="Admin", url_name="admin:index", is_staff_only=True),
]
DOMAINS = [
    Entry(domain="linescore", url_name="linescore:latest"),
    Entry(domain="backtests", url_name="backtests:runs"),
    Entry(domain="sprints", url_name="sprints:board"),
    Entry(domain="devassist", url_name="devassist:root_causes"),
    Entry(domain="graphql_proxy", url_name="graphql_proxy:schemas"),
]
_DATA = "console:data"


def navigation(request: HttpRequest) -> dict[str, Any]:
    """Return `navigation` and `domain_navigation` for templates; computed only if a template shows them."""
    return {"navigation": lambda: _find_entries(request), "domain_navigation": lambda: _find_open_domains(request)}


def find_domains(caller: Caller, *, path: str = "") -> list[Entry]:
    """Return the domains that the caller may read; the one whose page is open is marked."""
    return [entry.mark_current(path) for entry in DOMAINS if caller.has(f"{entry.domain}:read")]


def _find_entries(request: HttpRequest) -> list[Entry]:
    caller = _find_caller(request)
    if caller is None:
        return []
    is_in_data = any(entry.current for entry in find_domains(caller, path=request.path))
    marked = [entry.mark_current(request.path) for entry in ENTRIES if request.user.is_staff or not entry.is_staff_only]
    return [replace(entry, current="true") if is_in_data and entry.url_name == _DATA else entry for entry in marked]


def _find_open_domains(request: HttpRequest) -> list[Entry]:
    """Return the domains if a page of one of them, or the page that lists them, is open; else none."""
    caller = _find_caller(request)
    domains = find_domains(caller, path=request.path) if caller else []
    is_open = request.path == reverse(_DATA) or any(entry.current for entry in domains)
    return domains if is_open else []


def _find_caller(request: HttpRequest) -> Caller | None:
    if not request.user.is_authenticated:
        return None
    try:
        return require_person(request)
    except (PermissionDenied, DatabaseUnavailable):  # the open page may be the one that reports it
        return None
