"""Where a question that nothing covers is taught: the admin's pages that add what answers it, filled in."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse

MAX_QUESTION = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class TeachingPage:
    """A page to add an answer on; `permission` says who may."""

    label: str
    url_name: str
    permission: str


_EXAMPLE = TeachingPage(
    label="as an example of a tool's call", url_name="admin:toolbox_example_add", permission="toolbox.add_example"
)
_VERIFIED_QUERY = TeachingPage(
    label="as a verified query of sprints", url_name="admin:sprints_verifiedquery_add",
    permission="sprints.add_verifiedquery",
)  # fmt: skip


def find_teaching_pages(request: HttpRequest, *, details: dict[str, Any]) -> list[dict[str, str]]:
    """Give the pages on which this person may teach what was not covered, that of its domain first."""
    if details.get("outcome") != "not_covered" or not details.get("question"):
        return []
    user, domain = request.user, details.get("domain", "")
    is_of_sprints = domain == "sprints"
    pages = [_VERIFIED_QUERY, _EXAMPLE] if is_of_sprints else [_EXAMPLE, _VERIFIED_QUERY]
    known = {"question": str(details["question"])[:MAX_QUESTION]}
    return [
        {"label": page.label, "address": f"{reverse(page.url_name)}?{urlencode(known | _guess(page, domain=domain))}"}
        for page in pages
        if user.is_staff and user.has_perm(page.permission)
    ]


def _guess(page: TeachingPage, *, domain: str) -> dict[str, str]:
    """Fill in the domain whose questions come nearest."""
    return {"domain": domain} if page is _EXAMPLE and domain and domain != "sprints" else {}
