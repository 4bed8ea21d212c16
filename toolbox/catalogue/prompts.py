"""Prompts that are rows, as this process offers them; reloaded whenever the table announces a change."""

import inspect
import logging
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Annotated, Any

import orjson

from toolbox.catalogue.registry import registry
from toolbox.contract.resources import Completer, Prompt
from toolbox.database.pools import owner_pool
from toolbox.models import CuratedPrompt

logger = logging.getLogger(__name__)

PROMPTS_PAYLOAD = "prompts"
"""The payload that the table's trigger sends on the channel of dynamic tools."""
_PROMPTS = """
SELECT domain, name, title, description, text, arguments FROM toolbox_prompts
WHERE is_enabled ORDER BY domain, name LIMIT 500
"""

_enabled: dict[str, tuple[dict[str, Any], Prompt]] = {}


async def refresh_prompts() -> None:
    """Load the enabled prompts; the registry notifies clients if any changed. Raises DatabaseUnavailable."""
    rows = (await owner_pool.fetch(_PROMPTS)).rows
    known = {kit.domain: kit.completers for kit in registry.toolkits()}
    kept = {row["name"]: (row, _offer(row, completers=known.get(row["domain"], {}))) for row in rows}
    _enabled.clear()
    _enabled.update({name: (row, prompt) for name, (row, prompt) in kept.items() if prompt})
    registry.replace_prompts(prompt for _, prompt in _enabled.values())


def _offer(row: dict[str, Any], *, completers: Mapping[str, Completer]) -> Prompt | None:
    """Return the prompt of a row, the same object while the row is unchanged; None if the row is invalid."""
    row_before, prompt = _enabled.get(row["name"], (None, None))
    if row_before == row:
        return prompt
    if wrong := find_problems(row["text"], arguments=row["arguments"], completers=completers):
        logger.warning("the prompt %s is not offered: %s", row["name"], wrong)
        return None
    return make_prompt(row, completers=completers)


def make_prompt(row: Mapping[str, Any], *, completers: Mapping[str, Completer]) -> Prompt:
    """Build a prompt from a valid row."""
    places = parse_arguments(row["arguments"])

    async def write(**values: str) -> str:
        return fill_template(row["text"], values=values)

    write.__name__, write.__doc__ = row["name"], row["description"]
    write.__annotations__ = {one.name: Annotated[str, one.description] for one in places}
    write.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(
                one.name, inspect.Parameter.KEYWORD_ONLY, default=inspect.Parameter.empty if one.required else ""
            )
            for one in places
        ]
    )
    completes = {one.name: completers[one.completes] for one in places if one.completes}
    return Prompt(domain=row["domain"], function=write, title=row["title"], completes=completes)


MAX_ARGUMENTS = 10
_ARGUMENT = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_OPTIONAL = re.compile(r"\[\[(.*?)\]\]", re.DOTALL)
_KEYS = {"name": str, "description": str, "required": bool, "completes": str}


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptArgument:
    """One argument; `completes` names the domain's completer for it."""

    name: str
    description: str
    required: bool = True
    completes: str = ""


def parse_arguments(arguments: Sequence[Mapping[str, Any]]) -> list[PromptArgument]:
    """Read a row's arguments."""
    return [PromptArgument(**argument) for argument in arguments]


def fill_template(text: str, *, values: Mapping[str, str]) -> str:
    """Fill in the values and drop optional parts without a value; placeholders within values are not filled."""
    kept = _OPTIONAL.sub(lambda part: part[1] if _find_placeholders(part[1]) <= set(values) else "", text)
    return _ARGUMENT.sub(lambda place: values.get(place[1], ""), kept).strip()


def find_problems(text: str, *, arguments: object, completers: Collection[str]) -> dict[str, str]:
    """Return what keeps a prompt from being offered, by form field; empty if it is valid."""
    if not isinstance(arguments, list) or len(arguments) > MAX_ARGUMENTS or not all(map(_is_blank, arguments)):
        return {"arguments": f'Up to {MAX_ARGUMENTS} of {{"name": "team", "description": "…", "completes": "team"}}.'}
    known = [argument["name"] for argument in arguments]
    optional = {argument["name"] for argument in arguments if not argument.get("required", True)}
    completed = {argument["completes"] for argument in arguments if argument.get("completes")}
    placeholders = _find_placeholders(text)
    checks = (
        ("arguments", len(set(known)) < len(known), "Two arguments have one name."),
        ("arguments", completed - set(completers), f"What completes is one of: {', '.join(completers) or 'nothing'}."),
        ("text", placeholders - set(known), f"The text names {_join_names(placeholders - set(known))}, no argument."),
        ("text", set(known) - placeholders, f"The text does not name {_join_names(set(known) - placeholders)}."),
        ("text", _find_placeholders(_OPTIONAL.sub("", text)) & optional,
         "An argument that may be left out stands in double brackets: [[ of {team}]]."),
    )  # fmt: skip
    return {field: said for field, is_wrong, said in reversed(checks) if is_wrong}


def _find_placeholders(text: str) -> set[str]:
    return set(_ARGUMENT.findall(text))


def _is_blank(argument: object) -> bool:
    if not isinstance(argument, dict) or not {"name", "description"} <= argument.keys() <= _KEYS.keys():
        return False
    is_typed = all(isinstance(value, _KEYS[key]) for key, value in argument.items())
    return bool(is_typed and re.fullmatch(r"[a-z][a-z0-9_]{0,39}", argument["name"]) and argument["description"])


def _join_names(names: set[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(names))


@dataclass(slots=True, kw_only=True)
class PromptsLoaded:
    """How many prompts were added, and how many existed already."""

    added: int = 0
    skipped: int = 0


def load_prompts(domain: str) -> PromptsLoaded:
    """Add the prompts in the domain's samples/prompts.json that the table lacks, if there is such a file."""
    loaded = PromptsLoaded()
    shipped = files(domain) / "samples" / "prompts.json"
    if not shipped.is_file():
        return loaded
    for row in orjson.loads(shipped.read_bytes()):
        _, is_new = CuratedPrompt.objects.get_or_create(name=row.pop("name"), defaults=row | {"domain": domain})
        loaded.added += is_new
        loaded.skipped += not is_new
    return loaded
