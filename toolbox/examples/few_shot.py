"""Few-shot examples for a language model: the nearest questions and the calls that answer them."""

import json
from collections.abc import Sequence

from toolbox.contract.tool import Tool
from toolbox.examples.cache import KnownExample, find_examples_for_tools, load_sample_texts
from toolbox.examples.matching import ExampleMatch, find_nearest, match
from toolbox.examples.templates import CannotFill, fill_arguments, fill_question, find_problems
from toolbox.model.protocol import Message

USUAL_COUNT = 3
_BEGINNING = "Examples of questions and of the calls that answer them, with other names than yours may have:"


async def shots(asked: str, *, tools: Sequence[Tool], count: int = USUAL_COUNT) -> Message | None:
    """
    Return a system message with the examples nearest to a question; None if there are none for the tools.

    Their slots hold real names from the data. Queries: those of matching.
    """
    examples = await find_examples_for_tools(tool.name for tool in tools)
    lines = [await _shot(example) for example in await find_nearest(asked, examples=examples, count=count)]
    told = [line for line in lines if line]
    return Message.system("\n".join((_BEGINNING, *told))) if told else None


async def _shot(example: KnownExample) -> str:
    if find_problems(example):
        return ""
    texts = await load_sample_texts(example)
    said = fill_question(example.question, samples=texts)
    outcome = await match(said, examples=[example])
    if not isinstance(outcome, ExampleMatch):
        return ""
    try:
        called = fill_arguments(example.arguments, values=outcome.values)
    except CannotFill:
        return ""
    return f"Q: {said}\n{json.dumps({'tool': example.tool, 'parameters': called}, ensure_ascii=False)}"
