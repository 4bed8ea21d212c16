"""What a tool is: one question, one answer, and the function between them."""

import inspect
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar, get_type_hints

from pydantic import TypeAdapter

from toolbox.contract import Question
from toolbox.dialect import KERNEL, Dialect, Schema
from toolbox.encoding import encode
from toolbox.errors import ErrorCode
from toolbox.schema import input_schema, output_schema, undescribed

ToolFunction = Callable[[Any], Awaitable[object]]
Function = TypeVar("Function", bound=ToolFunction)

DEFAULT_DEADLINE_SECONDS = 10.0


class ToolMistake(Exception):
    """A tool is declared in a way that cannot be offered; the message says what to mend."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Tool:
    """
    One question: its input contract, its output contract, and the function between them.

    `queries` is how many statements its example asks of the database, `errors` the codes it may answer beside the
    dialect's own, `version` goes up with every breaking change of its contract.
    """

    domain: str
    function: ToolFunction
    question: type[Question]
    answer: TypeAdapter[Any]
    example: Question
    dialect: Dialect
    errors: tuple[ErrorCode, ...] = ()
    queries: int = 1
    version: int = 1
    writes: bool = False
    deadline_seconds: float = DEFAULT_DEADLINE_SECONDS

    @property
    def name(self) -> str:
        """The contract's name, unique across the catalogue."""
        return self.function.__name__

    @property
    def scope(self) -> str:
        """The scope that a caller needs."""
        return f"{self.domain}:{'write' if self.writes else 'read'}"

    @property
    def title(self) -> str:
        """The name as a person writes it."""
        return self.name.replace("_", " ").capitalize()

    @cached_property
    def description(self) -> str:
        """The function's docstring, as the model that chooses reads it."""
        return inspect.cleandoc(self.function.__doc__ or "")

    @cached_property
    def input_schema(self) -> Schema:
        """JSON Schema of the parameters."""
        return input_schema(self.question)

    @cached_property
    def output_schema(self) -> Schema:
        """JSON Schema of a success's body; the answer's own, where that is no object, under `result`."""
        body = self.success_schema
        if body.get("type") == "object":
            return body
        return {"type": "object", "properties": {"result": body}, "required": ["result"]}

    @cached_property
    def success_schema(self) -> Schema:
        """JSON Schema of a success's body as REST sends it."""
        return self.dialect.success_schema(output_schema(self.answer))

    @cached_property
    def codes(self) -> tuple[ErrorCode, ...]:
        """Every code that the tool may answer, the dialect's own last."""
        return tuple(dict.fromkeys((*self.errors, *self.dialect.own_codes)))

    @cached_property
    def example_arguments(self) -> bytes:
        """The example as the JSON an agent would send."""
        return encode(self.example.model_dump(by_alias=True, exclude_unset=True))


@dataclass(frozen=True, kw_only=True)
class ToolOptions:
    """What `Toolkit.tool` takes beside the function; see Tool."""

    example: Question
    errors: tuple[ErrorCode, ...] = ()
    queries: int = 1
    version: int = 1
    writes: bool = False
    deadline_seconds: float = DEFAULT_DEADLINE_SECONDS


@dataclass(frozen=True, kw_only=True)
class Toolkit:
    """
    The tools of one domain, gathered without touching anything outside.

    `summary` is what a person reads first about the domain. Importing a toolkit has no effect; the registry takes it
    in at start.
    """

    domain: str
    summary: str
    dialect: Dialect = KERNEL
    tools: list[Tool] = field(default_factory=list)

    def tool(self, **options: Any) -> Callable[[Function], Function]:
        """
        Make a tool of an async function `(ask: Question) -> answer`, and hand the function back unchanged.

        Takes the fields of ToolOptions by keyword. Raises ToolMistake where the function cannot be offered.
        """
        chosen = ToolOptions(**options)

        def declare(function: Function) -> Function:
            self.tools.append(_read(function, toolkit=self, options=chosen))
            return function

        return declare


def _read(function: ToolFunction, *, toolkit: Toolkit, options: ToolOptions) -> Tool:
    question, answer = _signature(function)
    tool = Tool(
        domain=toolkit.domain,
        dialect=toolkit.dialect,
        function=function,
        question=question,
        answer=TypeAdapter(answer),
        **vars(options),
    )
    for mistake in _mistakes(tool):
        raise ToolMistake(f"{toolkit.domain}.{tool.name}: {mistake}")
    return tool


def _signature(function: ToolFunction) -> tuple[type[Question], Any]:
    hints = get_type_hints(function)
    answer = hints.pop("return", None)
    parameters = list(hints.values())
    if not inspect.iscoroutinefunction(function) or len(parameters) != 1 or answer is None:
        raise ToolMistake(f"{function.__name__} must read `async def name(ask: Question) -> Answer`")
    if not (isinstance(parameters[0], type) and issubclass(parameters[0], Question)):
        raise ToolMistake(f"{function.__name__} must take a toolbox.contract.Question")
    return parameters[0], answer


def _mistakes(tool: Tool) -> list[str]:
    found = []
    if not re.fullmatch(r"[a-z][a-z0-9_]{2,63}", tool.name):
        found.append("a tool's name is snake_case, 3 to 64 characters")
    if not tool.description:
        found.append("it needs a docstring, written for the model that will choose it")
    if not isinstance(tool.example, tool.question):
        found.append(f"its example must be a {tool.question.__name__}")
    bare = (*undescribed(tool.input_schema), *undescribed(tool.output_schema))
    found += [f"the field {name} needs a description" for name in bare]
    return found or _example_mistakes(tool)


def _example_mistakes(tool: Tool) -> list[str]:
    try:
        tool.question.model_validate_json(tool.example_arguments, by_alias=True, by_name=False)
    except ValueError as invalid:
        return [f"its example does not survive the wire: {invalid}"]
    return []
