"""Check an example: fill its slots from real data, match its question, call its tools, word its answer."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from toolbox.catalogue.registry import registry
from toolbox.contract.caller import LOCAL_OPERATOR
from toolbox.dispatch.dispatch import Call, Reply, dispatch
from toolbox.examples.cache import KnownExample, load_sample_texts
from toolbox.examples.matching import ExampleMatch, Unclear, match
from toolbox.examples.templates import (
    MISSING_MARK,
    CannotFill,
    fill_question,
    find_problems,
    make_arguments,
    render_answer,
)

TRANSPORT = "examples"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """The result for one example: the question asked, and the answer or a sentence on what is wrong."""

    example: KnownExample
    asked: str
    said: str = ""
    problem: str = ""


async def check_example(example: KnownExample, *, among: Sequence[KnownExample]) -> CheckResult:
    """
    Check an example in all its phrasings; its tools are called once, as the local operator.

    Tools that write are not called. Each phrasing must find this example `among` all.
    """
    if found := find_problems(example):
        return CheckResult(example=example, asked=example.question, problem=found[0])
    texts = await load_sample_texts(example)
    if lacking := sorted({one.slot for one in example.placeholders if one.name not in texts}):
        return CheckResult(
            example=example, asked=example.question, problem=f"The data has nothing for {', '.join(lacking)}."
        )
    asked = [fill_question(template, samples=texts) for template in example.templates]
    for phrasing in asked:
        if problem := await _find_mismatch(phrasing, example=example, among=among):
            return CheckResult(example=example, asked=phrasing, problem=problem)
    outcome = await match(asked[0], examples=[example])
    return (
        await _call_tools(asked[0], outcome)
        if isinstance(outcome, ExampleMatch)
        else CheckResult(example=example, asked=asked[0])
    )


async def _find_mismatch(phrasing: str, *, example: KnownExample, among: Sequence[KnownExample]) -> str:
    """Return why a phrasing does not find its example; empty if it does."""
    outcome = await match(phrasing, examples=among)
    if isinstance(outcome, ExampleMatch):
        return "" if outcome.example.id == example.id else f"The question finds {outcome.example.name} instead."
    if isinstance(outcome, Unclear):
        several = ", ".join(candidate.label for candidate in outcome.candidates) or "nothing"
        return f"The {outcome.slot.noun} is not clear: it fits {several}."
    named = ", ".join(one.name for one in outcome.nearest if one.id != example.id)
    return f"The question does not lead to its example; as near are {named}."


async def _call_tools(asked: str, outcome: ExampleMatch) -> CheckResult:
    example = outcome.example
    tools = [registry.find(name, domain=example.domain) for name in example.tools]
    if any(tool is None or tool.writes for tool in tools):
        return CheckResult(example=example, asked=asked, said="It writes, so it was not called.")
    answers: list[Any] = []
    try:
        for name in example.tools:
            reply = await _dispatch_call(
                name, make_arguments(example, answers=answers, values=outcome.values), example=example
            )
            if reply.is_refusal:
                return CheckResult(
                    example=example, asked=asked, problem=f"{name} refused it: {reply.body.decode()[:300]}"
                )
            answers.append(orjson.loads(reply.body))
        said = render_answer(example.answer, answers=answers, values=outcome.values)
    except CannotFill as cannot:
        return CheckResult(example=example, asked=asked, problem=f"It cannot be filled: {cannot}.")
    if not said or MISSING_MARK in said:
        return CheckResult(
            example=example, asked=asked, problem=f"The answer names what the tool does not say: {said!r}."
        )
    return CheckResult(example=example, asked=asked, said=said)


async def _dispatch_call(tool: str, given: Any, *, example: KnownExample) -> Reply:
    sent = json.dumps(given).encode()
    return await dispatch(
        Call(
            tool=tool,
            arguments=sent,
            credential=LOCAL_OPERATOR,
            transport=TRANSPORT,
            request_id=f"example-{example.id}",
        )
    )
