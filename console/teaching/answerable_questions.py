"""
Which of the questions that nothing covered can be answered by now.

It does not matter what was taught: an example, a verified query, a synonym or an alias.
"""

from collections.abc import Sequence
from typing import Any

from toolbox.answering.decision import decide_conversation
from toolbox.answering.provider import load_answerers
from toolbox.contract.tool import Tool

MAX_QUESTION = 2_000
MAX_READ_AGAIN = 3
"""Only so many questions of a page, the latest, are read again: each takes some milliseconds."""


async def find_taught(details: Sequence[dict[str, Any]], *, tools: Sequence[Tool]) -> list[bool]:
    """Return, for each answer's details, whether nothing covered the question then and something does now."""
    uncovered = [str(one["question"]) for one in details if one.get("outcome") == "not_covered" and one.get("question")]
    answerable = await find_answerable(uncovered[-MAX_READ_AGAIN:], tools=tools)
    return [one.get("outcome") == "not_covered" and one.get("question") in answerable for one in details]


async def find_answerable(questions: Sequence[str], *, tools: Sequence[Tool]) -> set[str]:
    """Return those of the questions that are covered, each read without context."""
    answerers = await load_answerers(tools) if questions else []
    return {
        question
        for question in questions
        if (await decide_conversation([question[:MAX_QUESTION]], answerers=answerers)).is_covered
    }
