"""The enabled examples, cached, and the slots that their questions name."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import Any

import orjson

from toolbox.catalogue.registry import registry
from toolbox.contract.slots import Placeholder, Slot, find_placeholders
from toolbox.database.caches import TtlCache
from toolbox.database.pools import owner_pool
from toolbox.models import Example

MAX_EXAMPLES = 2_000
_EXAMPLES = f"""
SELECT id, domain, name, question, phrasings, tool, arguments, next_calls, answer
FROM toolbox_examples
WHERE is_enabled
ORDER BY domain, id
LIMIT {MAX_EXAMPLES}
"""  # noqa: S608 - our own number


@dataclass(frozen=True, kw_only=True)
class KnownExample:
    """One enabled example; see toolbox.models.Example."""

    id: int
    domain: str
    name: str
    question: str
    phrasings: Sequence[str]
    tool: str
    arguments: Mapping[str, Any]
    answer: str
    next_calls: Sequence[Mapping[str, Any]] = ()

    @cached_property
    def templates(self) -> tuple[str, ...]:
        """Return the question in all its phrasings."""
        return (self.question, *self.phrasings)

    @property
    def tools(self) -> tuple[str, ...]:
        """Return the names of the tools that it calls, in order."""
        return (self.tool, *(str(call["tool"]) for call in self.next_calls))

    @cached_property
    def placeholders(self) -> tuple[Placeholder, ...]:
        """Return the question's placeholders, in order."""
        return tuple(find_placeholders(self.question))


_known: TtlCache[list[KnownExample]] = TtlCache(max_entries=1)


async def load_known_examples() -> list[KnownExample]:
    """Return every enabled example, cached for some seconds; one query."""
    return await _known.get("all", _fetch)


async def find_examples_for_tools(tools: Iterable[str]) -> list[KnownExample]:
    """Return the examples that need no other tools than these."""
    callable_tools = set(tools)
    return [example for example in await load_known_examples() if callable_tools.issuperset(example.tools)]


def find_slots(domain: str) -> dict[str, Slot]:
    """Return the slots of a domain's toolkit by name."""
    toolkit = next((toolkit for toolkit in registry.toolkits() if toolkit.domain == domain), None)
    return {slot.name: slot for slot in toolkit.slots} if toolkit else {}


async def load_sample_texts(example: KnownExample) -> dict[str, str]:
    """Return a sample text for each placeholder; two of one slot differ if the data has two."""
    slots = find_slots(example.domain)
    given: dict[str, int] = {}
    texts: dict[str, str] = {}
    for placeholder in example.placeholders:
        slot = slots.get(placeholder.slot)
        real = await slot.samples() if slot else ()
        number = given[placeholder.slot] = given.get(placeholder.slot, -1) + 1
        if real:
            texts[placeholder.name] = real[min(number, len(real) - 1)]
    return texts


async def _fetch() -> list[KnownExample]:
    return [KnownExample(**row) for row in (await owner_pool.fetch(_EXAMPLES)).rows]


@dataclass(slots=True, kw_only=True)
class ExamplesLoaded:
    """How many examples were added, and how many existed already."""

    added: int = 0
    skipped: int = 0


def load_examples(domain: str) -> ExamplesLoaded:
    """Add the examples in the domain's samples/examples.json that the table lacks, if there is such a file."""
    loaded = ExamplesLoaded()
    shipped = files(domain) / "samples" / "examples.json"
    if not shipped.is_file():
        return loaded
    for row in orjson.loads(shipped.read_bytes()):
        is_new = Example.ensure(domain, name=row.pop("name"), columns=row)
        loaded.added += is_new
        loaded.skipped += not is_new
    return loaded
