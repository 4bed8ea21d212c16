"""The sections of a page."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """The text under one heading. The heading is empty before the first."""

    heading: str
    anchor: str
    text: str


def slug(heading: str) -> str:
    """Return the anchor of a heading, as GitHub and most documentation generators make it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
