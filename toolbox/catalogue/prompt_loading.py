"""Shipped prompts into the table: a domain's `samples/prompts.json`, each added once and then left to curators."""

from dataclasses import dataclass
from importlib.resources import files

import orjson

from toolbox.models import CuratedPrompt


@dataclass(slots=True, kw_only=True)
class PromptsLoaded:
    """How many prompts were added, and how many were there."""

    added: int = 0
    skipped: int = 0


def load_prompts(domain: str) -> PromptsLoaded:
    """Add the prompts that a domain ships and the table lacks; a domain without any adds none."""
    loaded = PromptsLoaded()
    shipped = files(domain) / "samples" / "prompts.json"
    if not shipped.is_file():
        return loaded
    for row in orjson.loads(shipped.read_bytes()):
        _, is_new = CuratedPrompt.objects.get_or_create(name=row.pop("name"), defaults=row | {"domain": domain})
        loaded.added += is_new
        loaded.skipped += not is_new
    return loaded
