"""Aliases of names: a question is read with each alias replaced by the name that it stands for."""

from collections.abc import Collection, Iterator, Mapping

from toolbox.contract.slots import Candidate
from toolbox.database.caches import TtlCache
from toolbox.database.pools import owner_pool
from toolbox.examples.cache import find_slots
from toolbox.model.protocol import Message
from toolbox.text.names import MAX_WORDS, words

MAX_ALIASES = 5_000
_ALIASES = f"SELECT domain, phrase, name FROM toolbox_name_aliases ORDER BY domain, phrase LIMIT {MAX_ALIASES}"  # noqa: S608 - our own number
_known: TtlCache[dict[str, dict[str, str]]] = TtlCache(max_entries=1)


async def expand_aliases(question: str, *, domain: str) -> str:
    """Replace the aliases of a domain in a question; a change in the admin takes effect after some seconds."""
    known = (await _known.get("all", _fetch_aliases)).get(domain)
    return replace_aliases(question, aliases=known) if known else question


def replace_aliases(question: str, *, aliases: Mapping[str, str]) -> str:
    """Replace each alias, a key of `aliases` as normalize_phrase writes it; of overlapping ones, the longer. Pure."""
    parts: list[str] = []
    copied = 0
    for start, end, phrase in _find_phrases(question, aliases=aliases):
        parts += [question[copied:start], aliases[phrase]]
        copied = end
    return "".join([*parts, question[copied:]])


async def explain_aliases(question: str, *, domains: Collection[str]) -> Message | None:
    """Return a system message that says what aliases of these domains in a question stand for; None if it has none."""
    known = await _known.get("all", _fetch_aliases)
    lines = {
        f'In {domain}, "{phrase}" is another name of {aliases[phrase]}.': None
        for domain, aliases in known.items()
        if domain in domains
        for _, _, phrase in _find_phrases(question, aliases=aliases)
    }
    return Message.system("\n".join(("Names in the question, as people here use them:", *lines))) if lines else None


def _find_phrases(text: str, *, aliases: Mapping[str, str]) -> Iterator[tuple[int, int, str]]:
    """Yield where each alias begins and ends in a text, and the alias; of overlapping ones, the longer."""
    found = words(text)
    position = 0
    while position < len(found):
        sizes = range(min(MAX_WORDS, len(found) - position), 0, -1)
        phrases = {size: " ".join(word.plain for word in found[position : position + size]) for size in sizes}
        size = next((size for size, phrase in phrases.items() if phrase in aliases), 0)
        if size:
            yield found[position].start, found[position + size - 1].end, phrases[size]
        position += size or 1


def normalize_phrase(phrase: str) -> str:
    """Return a phrase as it is compared: its words without case and accents."""
    return " ".join(word.plain for word in words(phrase))


async def find_alias_problems(*, domain: str, phrase: str, name: str) -> dict[str, str]:
    """Return by field why an alias cannot be added: its phrase is a name already, or its name is not exactly one."""
    problems = {}
    size = len(words(phrase))
    if not 1 <= size <= MAX_WORDS:
        problems["phrase"] = f"An alias has one to {MAX_WORDS} words."
    elif named := await _find_named(phrase, domain=domain):
        problems["phrase"] = f"'{phrase}' is a name of {named[0].label} already."
    meant = await _find_named(name, domain=domain)
    if not meant:
        nouns = ", ".join(slot.noun for slot in find_slots(domain).values() if slot.resolve)
        problems["name"] = f"The data has no {nouns} of the name '{name}'." if nouns else "This domain has no names."
    elif len({one.value for one in meant}) > 1:
        fitting = ", ".join(dict.fromkeys(one.label for one in meant))
        problems["name"] = f"'{name}' fits {fitting}; write it so that it fits one."
    return problems


async def _find_named(text: str, *, domain: str) -> list[Candidate]:
    """Return what the whole text names exactly, in any slot of the domain."""
    found = words(text)
    if not found:
        return []
    candidates = [one for slot in find_slots(domain).values() if slot.resolve for one in await slot.resolve(text)]
    whole = (found[0].start, found[-1].end)
    return [one for one in candidates if one.score >= 1.0 and (one.start, one.end) == whole]


async def _fetch_aliases() -> dict[str, dict[str, str]]:
    aliases: dict[str, dict[str, str]] = {}
    for row in (await owner_pool.fetch(_ALIASES)).rows:
        aliases.setdefault(row["domain"], {})[row["phrase"]] = row["name"]
    return aliases
