"""Resources and prompts: what a domain offers besides tools."""

import inspect
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Annotated, Any, get_args, get_origin, get_type_hints
from urllib.parse import quote, unquote

from toolbox.contract.caller import Caller
from toolbox.contract.client_channel import ClientChannel
from toolbox.contract.models import Message

MAX_URI_CHARACTERS = 2_000
MAX_RESOURCE_BYTES = 262_144


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionRequest:
    """A request to complete an argument: the text so far, the values of other arguments, and the caller."""

    text: str
    chosen: Mapping[str, str]
    caller: Caller


Completer = Callable[[CompletionRequest], Awaitable[Sequence[str]]]
"""Returns values that continue the text, best first, and only such as the caller may see."""

_NONE: Mapping[str, Completer] = MappingProxyType({})
_VARIABLE = re.compile(r"\{([a-z][a-z0-9_]*)\}")


class InvalidResource(Exception):
    """The declaration of a resource or prompt is invalid; the message says what to fix."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One text argument of a resource's URI or of a prompt."""

    name: str
    description: str
    is_required: bool


@dataclass(frozen=True, kw_only=True, eq=False)
class _Offer:
    """What resources and prompts share: an async function of text arguments, described by its docstring."""

    domain: str
    function: Callable[..., Awaitable[Any]]
    title: str
    completes: Mapping[str, Completer] = field(default_factory=lambda: _NONE)

    @property
    def name(self) -> str:
        """Return the function's name."""
        return self.function.__name__

    @property
    def scope(self) -> str:
        """Return the scope that a caller needs."""
        return f"{self.domain}:read"

    @cached_property
    def description(self) -> str:
        """Return the function's docstring."""
        return inspect.cleandoc(self.function.__doc__ or "")

    @cached_property
    def arguments(self) -> tuple[Argument, ...]:
        """Return the arguments, read from the function's parameters: `team: Annotated[str, "Its code."]`."""
        return _arguments(self.function)

    @cached_property
    def client_parameter(self) -> str | None:
        """Return the name of the ClientChannel parameter, if there is one."""
        hints = get_type_hints(self.function)
        return next((name for name, hint in hints.items() if hint is ClientChannel), None)

    async def call(self, values: Mapping[str, str], *, client: ClientChannel) -> Any:
        """Call the function."""
        extra = {self.client_parameter: client} if self.client_parameter else {}
        return await self.function(**values, **extra)

    def mistake(self) -> str | None:
        """Return what is wrong with the declaration, or None."""
        if not self.description:
            return "it needs a docstring"
        bare = [argument.name for argument in self.arguments if not argument.description]
        if bare:
            return f'the parameter {bare[0]} needs a description: {bare[0]}: Annotated[str, "…"]'
        unknown = self.completes.keys() - {argument.name for argument in self.arguments}
        return f"{sorted(unknown)[0]} is completed, and is no parameter" if unknown else None


@dataclass(frozen=True, kw_only=True, eq=False)
class Resource(_Offer):
    """
    A resource, or a template of resources: `linescore://teams/{code}`.

    The function returns text or bytes, or None if there is no such resource. `ttl_seconds` is how long a client may
    cache it; `is_public` means that it is the same for every caller. No content is larger than `most_bytes`; `measure`
    returns the size without reading. Values in the URI are percent-encoded.
    """

    uri: str
    mime_type: str = "text/plain"
    ttl_seconds: float = 0
    is_public: bool = False
    most_bytes: int = MAX_RESOURCE_BYTES
    measure: Callable[[], int] | None = None

    @property
    def is_template(self) -> bool:
        """Return whether the URI has variables."""
        return bool(_VARIABLE.search(self.uri))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        parts = _VARIABLE.split(self.uri)
        return re.compile("".join(f"(?P<{part}>[^/?#]+)" if i % 2 else re.escape(part) for i, part in enumerate(parts)))

    def values(self, uri: str) -> dict[str, str] | None:
        """Return the values of the URI's variables; None if the URI does not match."""
        found = self._pattern.fullmatch(uri) if len(uri) <= MAX_URI_CHARACTERS else None
        values = {name: unquote(value) for name, value in found.groupdict().items()} if found else None
        return None if values and any("\0" in value for value in values.values()) else values

    def mistake(self) -> str | None:
        """Return what is wrong with the declaration, or None."""
        if set(_VARIABLE.findall(self.uri)) != {argument.name for argument in self.arguments}:
            return f"its parameters are not those of {self.uri}"
        return super().mistake()


@dataclass(frozen=True, kw_only=True, eq=False)
class Prompt(_Offer):
    """A question or task that a person chooses and fills in; the function returns messages."""

    async def messages(self, values: Mapping[str, str], *, client: ClientChannel) -> list[Message]:
        """Return the messages; a plain text becomes one message of the user."""
        given = await self.call(values, client=client)
        return [Message.from_block(given)] if isinstance(given, str) else list(given)


def fill_uri(template: str, **values: object) -> str:
    """Fill in a URI template; values are percent-encoded."""
    return _VARIABLE.sub(lambda variable: quote(str(values[variable[1]]), safe=""), template)


def _arguments(function: Callable[..., Any]) -> tuple[Argument, ...]:
    hints = get_type_hints(function, include_extras=True)
    parameters = inspect.signature(function).parameters
    return tuple(
        Argument(name, _description(hints[name]), parameter.default is inspect.Parameter.empty)
        for name, parameter in parameters.items()
        if hints[name] is not ClientChannel
    )


def _description(hint: Any) -> str:
    return str(get_args(hint)[1]) if get_origin(hint) is Annotated else ""
