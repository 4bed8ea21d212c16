"""The prompts that are rows, as this process offers them; loaded anew whenever the table announces a change."""

import inspect
import logging
from collections.abc import Mapping
from typing import Annotated, Any

from toolbox.catalogue.prompt_templates import blanks, filled, problems
from toolbox.catalogue.registry import registry
from toolbox.contract.resources import Completer, Prompt
from toolbox.database.pools import owner_pool

logger = logging.getLogger(__name__)

ANNOUNCED = "prompts"
"""What the table's trigger says on the channel of tools that are rows."""
_PROMPTS = """
SELECT domain, name, title, description, text, arguments FROM toolbox_prompts
WHERE is_enabled ORDER BY domain, name LIMIT 500
"""

_offered: dict[str, tuple[dict[str, Any], Prompt]] = {}


async def refresh() -> None:
    """Offer what is enabled, and tell clients where something changed; raises DatabaseUnavailable."""
    rows = (await owner_pool.fetch(_PROMPTS)).rows
    known = {kit.domain: kit.completers for kit in registry.toolkits()}
    kept = {row["name"]: (row, _offer(row, completers=known.get(row["domain"], {}))) for row in rows}
    _offered.clear()
    _offered.update({name: (row, prompt) for name, (row, prompt) in kept.items() if prompt})
    registry.put_prompts(prompt for _, prompt in _offered.values())


def _offer(row: dict[str, Any], *, completers: Mapping[str, Completer]) -> Prompt | None:
    """Give the prompt of a row, the same one for the same row; None where it cannot be offered."""
    row_before, prompt = _offered.get(row["name"], (None, None))
    if row_before == row:
        return prompt
    if wrong := problems(row["text"], arguments=row["arguments"], completers=completers):
        logger.warning("the prompt %s is not offered: %s", row["name"], wrong)
        return None
    return prompt_of(row, completers=completers)


def prompt_of(row: Mapping[str, Any], *, completers: Mapping[str, Completer]) -> Prompt:
    """Make a prompt of a sound row."""
    places = blanks(row["arguments"])

    async def write(**values: str) -> str:
        return filled(row["text"], values=values)

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
