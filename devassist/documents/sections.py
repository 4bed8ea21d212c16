"""What a page is made of."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Text under one heading; the heading is empty before the first."""

    heading: str
    anchor: str
    text: str


def slug(heading: str) -> str:
    """Make an anchor of a heading, as GitHub and most generators of documentation do."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
