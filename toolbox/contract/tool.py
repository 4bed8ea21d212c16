"""Tools and toolkits: an input model, an output model, and the function between them."""

import inspect
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, TypeVar, get_type_hints

from pydantic import TypeAdapter

from toolbox.contract.answerer import Answerer
from toolbox.contract.caller import CallContext, Caller
from toolbox.contract.client_channel import ClientChannel
from toolbox.contract.encoding import encode
from toolbox.contract.errors import KERNEL_ENVELOPE, ErrorCode, ErrorEnvelope, Schema
from toolbox.contract.json_schema import find_undescribed, make_input_schema, make_output_schema
from toolbox.contract.models import Contents, Link, ToolInput
from toolbox.contract.resources import Completer, InvalidResource, Prompt, Resource
from toolbox.contract.slots import Slot

ToolFunction = Callable[..., Awaitable[object]]
Function = TypeVar("Function", bound=ToolFunction)
Offer = TypeVar("Offer", Resource, Prompt)

DEFAULT_DEADLINE_SECONDS = 10.0


class LinkBuilder(Protocol):
    """Returns links to resources with the rest of an answer that was cut; none if it was not cut."""

    def __call__(self, ask: Any, /, *, answer: Any) -> Sequence[Link]:
        """Build the links."""


class ChartBuilder(Protocol):
    """Returns a Vega-Lite specification of a chart of an answer's rows; None if a chart would mislead."""

    def __call__(
        self, arguments: Mapping[str, Any], /, *, rows: Sequence[Mapping[str, Any]]
    ) -> Mapping[str, Any] | None:
        """Build the specification; `arguments` are those that were sent."""


class InvalidTool(Exception):
    """The declaration of a tool is invalid; the message says what to fix."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Tool:
    """
    One tool: its input model, its output model, and the function between them.

    - `queries`: how many statements its example sends to the database.
    - `errors`: the codes it may answer, besides those of its envelope.
    - `version`: raised with every breaking change of its contract.
    - `live`: returns a sentence with current figures, from memory. It follows the description on every transport; it is
      not in docs/tools.
    - `uses_context`, `uses_client`: the function takes a CallContext, or a ClientChannel, as its second parameter.
    - `returns_contents`: it answers with blocks for a person to see, without data.
    - `is_visible_to`: whose catalogue lists it. The function itself must refuse calls of others.
    - `links`: builds links to the rest of an answer that was cut.
    - `chart`: builds the chart that a page shows of its rows. Without it, a page draws the rows' figures if it can.
    - `rarely_asks`: it uses its client only to ask what is unclear, before it does anything, so its calls begin as
      plain ones.
    - `is_open_world`: it reaches hosts beyond this server's database and model (MCP's `openWorldHint`).
    - `works_offline`: it answers without the database, to callers that this process verified recently.
    - `is_idempotent`: it writes, and repeating a call changes nothing more.
    """

    domain: str
    function: ToolFunction
    question: type[ToolInput]
    answer: TypeAdapter[Any]
    example: ToolInput
    envelope: ErrorEnvelope
    errors: tuple[ErrorCode, ...] = ()
    queries: int = 1
    version: int = 1
    writes: bool = False
    deadline_seconds: float = DEFAULT_DEADLINE_SECONDS
    live: Callable[[], str] | None = None
    is_visible_to: Callable[[Caller], bool] | None = None
    uses_context: bool = False
    uses_client: bool = False
    returns_contents: bool = False
    links: LinkBuilder | None = None
    chart: ChartBuilder | None = None
    rarely_asks: bool = False
    works_offline: bool = False
    is_open_world: bool = False
    is_idempotent: bool = False

    async def ask(self, question: ToolInput, *, client: ClientChannel) -> object:
        """Call the function, with the call's context or its client channel if it takes one."""
        if self.uses_client:
            return await self.function(question, client)
        return await (self.function(question, client.call) if self.uses_context else self.function(question))

    def is_listed_for(self, caller: Caller) -> bool:
        """Return whether the caller's catalogue lists it."""
        return caller.has(self.scope) and (self.is_visible_to is None or self.is_visible_to(caller))

    @cached_property
    def name(self) -> str:
        """Return the tool's name, unique across the catalogue."""
        return self.function.__name__

    @cached_property
    def scope(self) -> str:
        """Return the scope that a caller needs."""
        return f"{self.domain}:{'write' if self.writes else 'read'}"

    @property
    def may_repeat(self) -> bool:
        """Return whether a call with an unknown outcome may be repeated: reads, and idempotent writes."""
        return not self.writes or self.is_idempotent

    @property
    def title(self) -> str:
        """Return the name for people."""
        return self.name.replace("_", " ").capitalize()

    @cached_property
    def documentation(self) -> str:
        """Return the function's docstring, as the documentation shows it."""
        return inspect.cleandoc(self.function.__doc__ or "")

    @property
    def description(self) -> str:
        """Return what a model reads to choose: the docstring, then the live figures."""
        figures = self.live() if self.live else ""
        return f"{self.documentation}\n\n{figures}" if figures else self.documentation

    @cached_property
    def needs_full_protocol(self) -> bool:
        """Return whether a call may need more than one question and one answer, or has parameters sent as headers."""
        return self.uses_client or any(
            "x-mcp-header" in part for part in self.input_schema.get("properties", {}).values()
        )

    @cached_property
    def input_schema(self) -> Schema:
        """Return the JSON Schema of the parameters."""
        return make_input_schema(self.question)

    @property
    def function_schema(self) -> Schema:
        """Return the tool as a `function` of OpenAI's Chat Completions API."""
        function = {"name": self.name, "description": self.description, "parameters": self.input_schema}
        return {"type": "function", "function": function}

    @cached_property
    def wraps(self) -> bool:
        """Return whether a success must be wrapped under `result` where MCP requires an object."""
        return self.success_schema.get("type") != "object"

    @cached_property
    def output_schema(self) -> Schema:
        """Return the JSON Schema of a success's body for MCP; wrapped under `result` if it is not an object."""
        if not self.wraps:
            return self.success_schema
        return {"type": "object", "properties": {"result": self.success_schema}, "required": ["result"]}

    @cached_property
    def success_schema(self) -> Schema:
        """Return the JSON Schema of a success's body over REST."""
        return self.envelope.success_schema(make_output_schema(self.answer))

    @cached_property
    def codes(self) -> tuple[ErrorCode, ...]:
        """Return every code that the tool may answer, those of its envelope last."""
        return tuple(dict.fromkeys((*self.errors, *self.envelope.own_codes)))

    @cached_property
    def example_arguments(self) -> bytes:
        """Return the example as the JSON that an agent would send."""
        return encode(self.example.model_dump(by_alias=True, exclude_unset=True))


@dataclass(frozen=True, kw_only=True)
class ToolOptions:
    """The options of `Toolkit.tool`; see Tool. Without an envelope, the tool has the toolkit's."""

    example: ToolInput
    errors: tuple[ErrorCode, ...] = ()
    queries: int = 1
    version: int = 1
    writes: bool = False
    deadline_seconds: float = DEFAULT_DEADLINE_SECONDS
    live: Callable[[], str] | None = None
    is_visible_to: Callable[[Caller], bool] | None = None
    envelope: ErrorEnvelope | None = None
    links: LinkBuilder | None = None
    chart: ChartBuilder | None = None
    rarely_asks: bool = False
    works_offline: bool = False
    is_open_world: bool = False
    is_idempotent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedRow:
    """A row that is not offered as a tool, and why."""

    name: str
    reason: str


class DynamicTools(Protocol):
    """A domain's rows that are tools; loaded at first need, and whenever one of its tables announces a change."""

    async def load(self) -> Sequence[Tool | SkippedRow]:
        """Build a tool from every valid row with `Toolkit.make_tool`, and a SkippedRow from every other."""


@dataclass(frozen=True, kw_only=True)
class Toolkit:
    """
    The tools of one domain. Importing a toolkit has no effect; the registry takes it in at start.

    `summary` introduces the domain to people. `dynamic` adds tools that are rows (toolbox/catalogue/dynamic_tools.py).
    `slots` are the things that the domain's questions name (toolbox/contract/slots.py). Curated prompts refer to
    `completers` by name. `answerer` makes the domain's own answerer, used besides the curated examples; it is called
    with the first question.
    """

    domain: str
    summary: str
    envelope: ErrorEnvelope = KERNEL_ENVELOPE
    tools: list[Tool] = field(default_factory=list)
    dynamic: DynamicTools | None = None
    slots: tuple[Slot, ...] = ()
    resources: list[Resource] = field(default_factory=list)
    prompts: list[Prompt] = field(default_factory=list)
    completers: dict[str, Completer] = field(default_factory=dict)
    answerer: Callable[[], Answerer] | None = None

    def resource(self, uri: str, **options: Any) -> Callable[[Function], Function]:
        """Declare an async function of text arguments as a resource at a URI; takes the fields of Resource."""

        def declare(function: Function) -> Function:
            self.resources.append(_sound(Resource(domain=self.domain, function=function, uri=uri, **options)))
            return function

        return declare

    def prompt(self, **options: Any) -> Callable[[Function], Function]:
        """Declare an async function of text arguments as a prompt; takes the fields of Prompt."""

        def declare(function: Function) -> Function:
            self.prompts.append(_sound(Prompt(domain=self.domain, function=function, **options)))
            return function

        return declare

    def tool(self, **options: Any) -> Callable[[Function], Function]:
        """
        Declare an async function `(ask: Question) -> answer` as a tool; returns the function unchanged.

        The function may take a second parameter: `call: CallContext`, to know the caller, or `client: ClientChannel`,
        to send messages and questions to the client while it works. Options are the fields of ToolOptions, by keyword.
        Raises InvalidTool if the function cannot be a tool. The schemas are built when first needed; the system check
        toolbox.E006 checks those of every declared tool.
        """
        ToolOptions(**options)  # raises for an unknown option at the place where it is written

        def declare(function: Function) -> Function:
            self.tools.append(_read(function, toolkit=self, options=ToolOptions(**options)))
            return function

        return declare

    def make_tool(self, function: ToolFunction, **options: Any) -> Tool:
        """Build a tool as `tool` does, without adding it; raises InvalidTool, for its schemas too."""
        tool = _read(function, toolkit=self, options=ToolOptions(**options))
        for mistake in find_schema_mistakes(tool):
            raise InvalidTool(f"{self.domain}.{tool.name}: {mistake}")
        return tool


def find_schema_mistakes(tool: Tool) -> list[str]:
    """Return the mistakes in a tool's schemas: fields without a description, recursive models."""
    try:
        bare = (*find_undescribed(tool.input_schema), *find_undescribed(tool.output_schema))
    except ValueError as endless:
        return [str(endless)]
    return [f"the field {name} needs a description" for name in bare]


def _sound(offer: Offer) -> Offer:
    if mistake := offer.mistake():
        raise InvalidResource(f"{offer.domain}.{offer.name}: {mistake}")
    return offer


def _read(function: ToolFunction, *, toolkit: Toolkit, options: ToolOptions) -> Tool:
    question, answer, second = _signature(function)
    tool = Tool(
        domain=toolkit.domain,
        function=function,
        question=question,
        answer=TypeAdapter(answer),
        uses_context=second is CallContext,
        uses_client=second is ClientChannel,
        returns_contents=answer is Contents,
        **vars(options) | {"envelope": options.envelope or toolkit.envelope},
    )
    for mistake in _mistakes(tool):
        raise InvalidTool(f"{toolkit.domain}.{tool.name}: {mistake}")
    return tool


def _signature(function: ToolFunction) -> tuple[type[ToolInput], Any, type | None]:
    hints = get_type_hints(function, include_extras=True)
    answer = hints.pop("return", None)
    question, *context = hints.values() or [None]
    if (
        not inspect.iscoroutinefunction(function)
        or context not in ([], [CallContext], [ClientChannel])
        or answer is None
    ):
        raise InvalidTool(
            f"{function.__name__} must read `async def name(ask: Question) -> Answer`; "
            "a `call: CallContext` or `client: ClientChannel` may follow the question"
        )
    if not (isinstance(question, type) and issubclass(question, ToolInput)):
        raise InvalidTool(f"{function.__name__} must take a toolbox.contract.models.ToolInput")
    return question, answer, context[0] if context else None


def _mistakes(tool: Tool) -> list[str]:
    found = []
    if not re.fullmatch(r"[a-z][a-z0-9_]{2,63}", tool.name):
        found.append("a tool's name is snake_case, 3 to 64 characters")
    if not tool.documentation:
        found.append("it needs a docstring, written for the model that will choose it")
    if not isinstance(tool.example, tool.question):
        found.append(f"its example must be a {tool.question.__name__}")
    return found or _example_mistakes(tool)


def _example_mistakes(tool: Tool) -> list[str]:
    try:
        tool.question.from_json(tool.example_arguments)
    except ValueError as invalid:
        return [f"its example does not survive the wire: {invalid}"]
    return []
