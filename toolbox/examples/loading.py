"""Shipped examples into the table: a domain's `samples/examples.json`, each added once and then left to curators."""

from dataclasses import dataclass
from importlib.resources import files

import orjson

from toolbox.models import Example


@dataclass(slots=True, kw_only=True)
class ExamplesLoaded:
    """How many examples were added, and how many were there."""

    added: int = 0
    skipped: int = 0


def load_examples(domain: str) -> ExamplesLoaded:
    """Add the examples that a domain ships and the table lacks; a domain without any adds none."""
    loaded = ExamplesLoaded()
    shipped = files(domain) / "samples" / "examples.json"
    if not shipped.is_file():
        return loaded
    for row in orjson.loads(shipped.read_bytes()):
        is_new = Example.ensure(domain, name=row.pop("name"), columns=row)
        loaded.added += is_new
        loaded.skipped += not is_new
    return loaded
