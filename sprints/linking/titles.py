"""Titles of issues that a question is about, without quotes: when is Export camera as CSV due."""

from typing import NamedTuple

import regex

from sprints.linking.folding import words
from sprints.linking.queries import find_titles
from toolbox.database.pools import Pool

MIN_WORDS = 3
MAX_WORDS = 16
MAX_QUESTION_WORDS = 60
_BEFORE = regex.compile(
    r"(?:\b(?:the|that|this|our|a)\s+)?(?:\b(?:ticket|issue|story|bug|task|card)\s+)?[\"'\u201c]?$", regex.IGNORECASE
)
_BEHIND = regex.compile(
    r"^[\"'\u201d]?(?:\s+(?:thing|one|ticket|issue|story|bug|task|card|item|stuff)\b)?", regex.IGNORECASE
)


class TitledIssues(NamedTuple):
    """A title in a question, from `start` to `end` with the article and the noun beside it, and the issues' keys."""

    said: str
    start: int
    end: int
    keys: tuple[str, ...]


async def find_titled_issues(text: str, *, reader: Pool) -> TitledIssues | None:
    """
    Find the longest title of an issue that is written out in a question, of three words or more.

    Runs one statement over all issues.
    """
    found = words(text)[:MAX_QUESTION_WORDS]
    runs = [
        (text[found[first].start : found[last - 1].end], found[first].start, found[last - 1].end)
        for first in range(len(found))
        for last in range(first + MIN_WORDS, min(first + MAX_WORDS, len(found)) + 1)
    ]
    if not runs:
        return None
    issues = await find_titles([said.lower() for said, _, _ in runs], reader=reader)
    titles = {title.lower() for _, title in issues}
    named = max((run for run in runs if run[0].lower() in titles), key=lambda run: len(run[0]), default=None)
    if named is None:
        return None
    said, start, end = named
    keys = [key for key, title in issues if title.lower() == said.lower()]
    before, behind = _BEFORE.search(text[:start]), _BEHIND.match(text[end:])
    return TitledIssues(
        said=said, start=before.start() if before else start, end=end + (behind.end() if behind else 0),
        keys=tuple(keys),
    )  # fmt: skip


def replace_title(text: str, *, titled: TitledIssues, key: str) -> str:
    """Return the question with the key of an issue in place of its title."""
    return f"{text[: titled.start]}{key}{text[titled.end :]}"
