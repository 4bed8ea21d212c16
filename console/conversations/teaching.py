"""
Where a question that nothing covers is taught: the admin's pages that add what answers it, filled in.

Who asked it is told once it can be answered, whatever was taught: an example, a verified query, a synonym, a name.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse

from toolbox.answering.decision import decide_conversation
from toolbox.answering.provider import load_answerers
from toolbox.contract.tool import Tool

MAX_QUESTION = 2_000
MAX_READ_AGAIN = 3
"""Questions of a page that are read again, the latest: each costs some milliseconds."""


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


async def find_taught(details: Sequence[dict[str, Any]], *, tools: Sequence[Tool]) -> list[bool]:
    """Tell of each answer whether it was not covered then and would be now."""
    uncovered = [
        place for place, one in enumerate(details) if one.get("outcome") == "not_covered" and one.get("question")
    ]
    taught = [False] * len(details)
    answerers = await load_answerers(tools) if uncovered else []
    for place in uncovered[-MAX_READ_AGAIN:]:
        question = str(details[place]["question"])[:MAX_QUESTION]
        taught[place] = (await decide_conversation([question], answerers=answerers)).is_covered
    return taught


def _guess(page: TeachingPage, *, domain: str) -> dict[str, str]:
    """Fill in the domain whose questions come nearest."""
    return {"domain": domain} if page is _EXAMPLE and domain and domain != "sprints" else {}
