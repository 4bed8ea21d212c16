"""
Choose the tools that a model step is offered: those used before, those found by search, those that fit the question.

If all tools of the caller take too many tokens, a search tool is offered with them. What it finds is offered from the
next step on. A tool that is not offered may still be called by its name.
"""

from collections.abc import Iterable, Sequence
from itertools import chain

import orjson
from pydantic import Field, TypeAdapter

from agents.models import Step
from agents.queries import conversations
from agents.queries.rows import ClaimedRun, StepRow
from toolbox.contract.caller import CallContext
from toolbox.contract.errors import KERNEL_ENVELOPE
from toolbox.contract.models import ToolInput
from toolbox.contract.tool import Tool
from toolbox.examples.cache import find_examples_for_tools
from toolbox.examples.matching import find_nearest
from toolbox.tool_search.catalogue import (
    MAX_QUERY_CHARACTERS,
    SEARCH_DESCRIPTION,
    SEARCH_TOOLS,
    CatalogueSearch,
    catalogue_search,
)

MAX_TOOL_BYTES = 9_000
"""Limit of all tools of a step: 3,000 tokens, at three bytes each as reservations count."""
MAX_FROM_SEARCH = 4
"""How many tools of one search are offered."""
WAIT_SECONDS = 2.0
"""How long to wait for the vectors of a new catalogue; then words decide alone."""
_ASKED = 2


class ToolQuery(ToolInput):
    """What a tool is needed for."""

    query: str = Field(max_length=MAX_QUERY_CHARACTERS, description="What the tool is for, in a few words.")


async def search_tools(ask: ToolQuery, context: CallContext) -> object:
    """Raise NotImplementedError: tool_step.py executes the search, because it knows the run's caller."""
    raise NotImplementedError


search_tools.__doc__ = (
    f"{SEARCH_DESCRIPTION} Use it where none of your tools fits; what it finds can be called in the next step."
)
SEARCH_TOOL = Tool(
    domain="agents",
    function=search_tools,
    question=ToolQuery,
    answer=TypeAdapter(dict),
    example=ToolQuery(query="league standings"),
    envelope=KERNEL_ENVELOPE,
)


class ToolChoice:
    """The choice of tools in one run; the question is compared with the catalogue once."""

    def __init__(self, run: ClaimedRun) -> None:
        self._run = run
        self._ranked: list[str] | None = None
        self._used_earlier: list[str] = []

    async def choose(self, tools: Sequence[Tool], *, steps: Sequence[StepRow]) -> list[Tool]:
        """Return the tools to offer next, among those that the caller may use."""
        if _size(tools) <= MAX_TOOL_BYTES:
            return list(tools)
        if self._ranked is None:
            await self._compare(tools)
        used = [step.tool for step in reversed(steps) if not step.is_model]
        order = (*used, *_find_searched(steps), *self._used_earlier, *(self._ranked or ()))
        return fit_tools(order, tools=tools, always=frozenset(used))

    async def _compare(self, tools: Sequence[Tool]) -> None:
        """Rank the tools by the question and the previous one, which it may follow up."""
        said = await conversations.find_messages_until(self._run.conversation_id, question=self._run.question_number)
        asked = [row["text"] for row in said if row["role"] == "user" and row["number"] <= self._run.question_number]
        self._used_earlier = await conversations.find_used_tools(self._run.conversation_id)
        rankings = [await order_tools(text, tools=tools) for text in asked[: -_ASKED - 1 : -1]]
        self._ranked = list(dict.fromkeys(chain.from_iterable(zip(*rankings, strict=False))))


async def order_tools(question: str, *, tools: Sequence[Tool], search: CatalogueSearch = catalogue_search) -> list[str]:
    """Return tools' names: those of the nearest examples, which the model is shown, then all by how well they fit."""
    examples = await find_examples_for_tools(tool.name for tool in tools)
    nearest = chain.from_iterable(example.tools for example in await find_nearest(question, examples=examples))
    hits = await search.rank(question, tools=tools, wait_seconds=WAIT_SECONDS)
    return list(dict.fromkeys([*nearest, *(hit.name for hit in hits)]))


def fit_tools(order: Iterable[str], *, tools: Sequence[Tool], always: frozenset[str] = frozenset()) -> list[Tool]:
    """
    Return the search tool and the tools in this order that fit; those of `always` whatever their size.

    They are listed in the catalogue's order, so that a server can reuse its cache of the last step's prompt.
    """
    known = {tool.name: tool for tool in tools}
    chosen, size = set(), _size([SEARCH_TOOL])
    for name in dict.fromkeys(order):
        tool = known.get(name)
        if tool and (name in always or size + _size([tool]) <= MAX_TOOL_BYTES):
            chosen.add(name)
            size += _size([tool])
    return [SEARCH_TOOL, *(tool for tool in tools if tool.name in chosen)]


def _find_searched(steps: Sequence[StepRow]) -> list[str]:
    """Return the tools that the run's searches found, the latest search first."""
    searches = [step for step in reversed(steps) if step.tool == SEARCH_TOOLS and step.state == Step.State.ANSWERED]
    found = (orjson.loads(step.answer).get("tools", ())[:MAX_FROM_SEARCH] for step in searches)
    return [tool["name"] for tool in chain.from_iterable(found)]


def _size(tools: Sequence[Tool]) -> int:
    return len(orjson.dumps([tool.function_schema for tool in tools]))
