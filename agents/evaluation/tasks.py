"""Tasks with known answers, and the judge of answers: by rows, numbers and facts, never by a model's opinion."""

import re
import tomllib
from collections.abc import Iterable, Sequence
from decimal import Decimal
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agents.runs.answer_numbers import MARK
from toolbox.text.numbers import list_numbers

Verdict = Literal["right", "wrong", "asked back"]
_DENIAL = re.compile(
    r"\b(?:no|not|none|nothing|never|neither|cannot|unable|unknown|rephrase|outside|beyond)\b|n['\u2019]t\b|\?",
    re.IGNORECASE,
)


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Task(_Strict):
    """
    A question, and what its answer must have: each number, and each fact in one of its forms (separated by bars).

    A task without either cannot be answered from the data. `toolkits` are the domains whose tools may be used; empty
    for all.
    """

    name: Annotated[str, Field(min_length=1)]
    domain: Annotated[str, Field(min_length=1)]
    question: Annotated[str, Field(min_length=1)]
    toolkits: tuple[str, ...] = ()
    numbers: tuple[Decimal, ...] = ()
    facts: tuple[str, ...] = ()

    @property
    def is_answerable(self) -> bool:
        """Return whether the data have the answer."""
        return bool(self.numbers or self.facts)


class _TaskFile(_Strict):
    tasks: Annotated[tuple[Task, ...], Field(min_length=1)]


class Outcome(BaseModel):
    """An agent's answer: its text, the run's state, the number of tool calls, tokens, cost and time."""

    model_config = ConfigDict(frozen=True)

    text: str
    state: str
    calls: int = 0
    answered: int = 0
    tokens: int = 0
    cost: Decimal = Decimal(0)
    milliseconds: float = 0.0


def load_tasks(path: Path | None = None, *, domains: Iterable[str] = ()) -> list[Task]:
    """Return the tasks of a file, or the shipped ones; raises ValueError that says what is wrong with the file."""
    source = path or files("agents.evaluation") / "tasks.toml"
    wanted = set(domains)
    try:
        tasks = _TaskFile.model_validate(tomllib.loads(source.read_text(encoding="utf-8"))).tasks
    except (OSError, tomllib.TOMLDecodeError, ValidationError) as error:
        raise ValueError(f"{source}: {error}") from error
    if unknown := wanted - {task.domain for task in tasks}:
        raise ValueError(f"no task is about {', '.join(sorted(unknown))}")
    return [task for task in tasks if not wanted or task.domain in wanted]


def judge(task: Task, *, outcome: Outcome) -> Verdict:
    """
    Judge an answer by its numbers and facts.

    An answer without the expected content is wrong if it claims something: if it has an unmarked number of its own, or,
    for tasks without numbers, if a tool answered and the text denies nothing. Otherwise it is "asked back", which is
    right for a task that cannot be answered.
    """
    text, _, marked = outcome.text.partition(MARK)
    own = _own_numbers(text, question=task.question, marked=marked)
    if task.is_answerable:
        if _has_facts(text, facts=task.facts) and _has_numbers(text, numbers=task.numbers, marked=marked):
            return "right"
        claims = bool(own) if task.numbers else outcome.answered > 0 and not _DENIAL.search(text)
    else:
        claims = outcome.state == "succeeded" and not _DENIAL.search(text) and (bool(own) or outcome.answered > 0)
    return "wrong" if claims and outcome.state == "succeeded" else "asked back"


def is_marked(outcome: Outcome) -> bool:
    """Return whether the answer says that no tool gave some of its numbers."""
    return MARK in outcome.text


def _own_numbers(text: str, *, question: str, marked: str) -> set[Decimal]:
    return {number.value for number in list_numbers(text)} - {
        number.value for number in list_numbers(f"{question}\n{marked}")
    }


def _has_numbers(text: str, *, numbers: Sequence[Decimal], marked: str) -> bool:
    doubted = {number.value for number in list_numbers(marked)}
    said = [number for number in list_numbers(text) if number.value not in doubted]
    return all(any(abs(one.value - wanted) <= one.half_place for one in said) for wanted in numbers)


def _has_facts(text: str, *, facts: Sequence[str]) -> bool:
    plain = text.casefold()
    return all(
        any(re.search(rf"(?<!\w){re.escape(form)}(?!\w)", plain) for form in fact.casefold().split("|"))
        for fact in facts
    )
