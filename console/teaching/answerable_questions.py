"""
Which questions that nothing covered can be answered by now.

Who asked one is told, whatever was taught: an example, a verified query, a synonym, an alias.
"""

from collections.abc import Sequence
from typing import Any

from toolbox.answering.decision import decide_conversation
from toolbox.answering.provider import load_answerers
from toolbox.contract.tool import Tool

MAX_QUESTION = 2_000
MAX_READ_AGAIN = 3
"""Questions of a page that are read again, the latest: each costs some milliseconds."""


async def find_taught(details: Sequence[dict[str, Any]], *, tools: Sequence[Tool]) -> list[bool]:
    """Tell of each answer whether it was not covered then and would be now."""
    uncovered = [str(one["question"]) for one in details if one.get("outcome") == "not_covered" and one.get("question")]
    answerable = await find_answerable(uncovered[-MAX_READ_AGAIN:], tools=tools)
    return [one.get("outcome") == "not_covered" and one.get("question") in answerable for one in details]


async def find_answerable(questions: Sequence[str], *, tools: Sequence[Tool]) -> set[str]:
    """Give those of the questions that are covered, each read by itself."""
    answerers = await load_answerers(tools) if questions else []
    return {
        question
        for question in questions
        if (await decide_conversation([question[:MAX_QUESTION]], answerers=answerers)).is_covered
    }
