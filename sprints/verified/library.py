"""The verified queries of a process: the query of a question in its curator's words, and similar queries."""

import asyncio
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from itertools import product
from json import dumps
from typing import Any, cast

from sprints.linking.link import LinkedQuestion, link
from sprints.linking.name_cache import RefreshingCache
from sprints.linking.names import NameIndex
from sprints.semantics.questions.lexicon import Lexicon
from sprints.semantics.questions.tokens import YES_OR_NO, Token, cut, marks_in
from sprints.verified import queries
from sprints.verified.slots import SLOT, find_literals, is_window, list_needed_slots, list_slots
from sprints.verified.synonyms import load_lexicon
from toolbox.database.pools import Pool

REFRESH_SECONDS = 4.0
_SILENT = frozenset({"be", "have", "what", "which"})
"""Marks of the grammar that do not change an answer: "what is blocked" equals "blocked"."""

_RELATING = frozenset({"with", "having"})
"""Words that say what rows have: bugs | with | a story."""

_LIMITING = ("sprint", "period", "top")
"""Slots whose defaults exclude rows."""

_SCALARS = frozenset({"period", "days", "top", "number", "unit"})
_NO_NAMES = NameIndex.from_names([])
_libraries: RefreshingCache["Library"] = RefreshingCache(seconds=REFRESH_SECONDS)
_latest: list[object] = []

Term = frozenset[tuple[str, str]] | str
"""All meanings of a word in the grammar; the word itself if it has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CuratedWording:
    """The essential content of a question: its terms in order, and the slots that its names fill."""

    terms: tuple[Term, ...]
    slots: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedStatement:
    """A verified query in a form for comparison. `defaults` fill slots that a question leaves open."""

    slug: str
    topic: str
    question: str
    sql: str
    defaults: Mapping[str, object]
    assumptions: tuple[str, ...]
    wordings: Mapping[str, CuratedWording]
    offered: frozenset[str]
    needed: frozenset[str]
    is_shipped: bool

    @classmethod
    def from_row(cls, row: Mapping[str, Any], *, lexicon: Lexicon) -> "VerifiedStatement":
        """Convert a row. The grammar's lexicon reads its wordings."""
        sql, defaults = str(row["sql"]), dict(row["slots"])
        offered = frozenset(list_slots(sql))
        texts = dict.fromkeys((str(row["question"]), *row["phrasings"]))
        return cls(
            slug=row["slug"], topic=row["topic"], question=row["question"], sql=sql, defaults=defaults,
            assumptions=tuple(row["assumptions"]), offered=offered,
            needed=frozenset(list_needed_slots(sql) - set(defaults)), is_shipped=row.get("source") == "shipped",
            wordings={text: _read_wording(text, has_unit="unit" in offered, lexicon=lexicon) for text in texts},
        )  # fmt: skip

    def can_fill(self, slots: Sequence[str]) -> bool:
        """Return whether the statement uses every name of a question and needs no other. A period is used once."""
        is_single = all(slots.count(slot) == 1 for slot in _SCALARS & set(slots))
        return self.needed <= set(slots) <= self.offered and is_single

    def find_hidden_default(self, linked: LinkedQuestion, *, lexicon: Lexicon) -> str | None:
        """
        Give the slot whose default leaves out what neither the question nor the rows say: all but the last 6 sprints.

        Of a question that asks for each, any default leaves out groups; of others, a window of several sprints or days
        changes the numbers, unless the rows name each of them.
        """
        asks_for_each = "per" in marks_in(linked.text, lexicon=lexicon)
        columns = self.sql.partition("FROM")[0]
        is_shown = "sprint_name" in columns or "date_trunc" in columns
        silent = [slot for slot in _LIMITING if slot in self.defaults and not find_literals(slot, linked=linked)]
        return next(
            (
                slot for slot in silent
                if asks_for_each or (not is_shown and is_window(slot, default=str(self.defaults[slot])))
            ), None,
        )  # fmt: skip


@dataclass(slots=True, kw_only=True)
class Library:
    """All enabled verified queries."""

    statements: tuple[VerifiedStatement, ...] = ()
    by_terms: dict[tuple[Term, ...], list[tuple[VerifiedStatement, CuratedWording]]] = field(default_factory=dict)

    def find(
        self, linked: LinkedQuestion, *, index: NameIndex, lexicon: Lexicon, is_follow_up: bool = False
    ) -> VerifiedStatement | None:
        """
        Return the one query with the question among its wordings, word by word.

        Synonyms of the grammar and words that say nothing make no difference, other names do not either. Wordings
        with the same slots as the question precede those with further ones. None where two queries are left. A noun
        alone behind another question is of that one: open bugs, | dates. A word that the grammar does not know may be
        of anything, unless the question says what the wording says it is of: dates of sprint 8.
        """
        readings = _read_question(linked, index=index, lexicon=lexicon)
        if is_follow_up:
            readings = [one for one in readings if len(one.terms) > 1 or one.slots]
        is_past = _tells_of_past(cut(linked, lexicon=lexicon, index=index), lexicon=lexicon)
        for is_exact in (True, False):
            found = {
                query.slug: query
                for reading in readings
                for query, wording in self.by_terms.get(reading.terms, ())
                if query.can_fill(reading.slots)
                and not (_is_unknown_word(reading) and {*wording.slots} & {*query.defaults} - {*reading.slots})
                and not (is_past and query.is_shipped)
                and (not is_exact or set(wording.slots) == set(reading.slots))
            }
            if found:
                return next(iter(found.values())) if len(found) == 1 else None
        return None

    def rank(self, linked: LinkedQuestion, *, index: NameIndex, lexicon: Lexicon) -> list[VerifiedStatement]:
        """Rank the queries by the share of their nearest wording that the question contains."""
        [reading, *_] = _read_question(linked, index=index, lexicon=lexicon)
        asked = {*reading.terms, *reading.slots}

        def likeness(query: VerifiedStatement) -> float:
            told = [{*one.terms, *one.slots} for one in query.wordings.values()]
            return max((len(asked & one) / len(asked | one) for one in told if asked | one), default=0.0)

        return sorted(self.statements, key=likeness, reverse=True)


async def load_library(*, reader: Pool) -> Library:
    """Return the enabled queries. A change in the admin is seen within some seconds."""

    async def load() -> Library:
        rows, lexicon = await queries.load_verified_rows(reader=reader), await load_lexicon(reader=reader)
        if not _latest or _latest[0] != rows or _latest[1] is not lexicon:
            _latest[:] = rows, lexicon, await asyncio.to_thread(make_library, rows, lexicon=lexicon)
        return cast("Library", _latest[2])

    return await _libraries.get(reader.conninfo(), load)


def make_library(rows: Iterable[Mapping[str, Any]], *, lexicon: Lexicon) -> Library:
    """Build a library from rows."""
    library = Library(statements=tuple(VerifiedStatement.from_row(row, lexicon=lexicon) for row in rows))
    for query in library.statements:
        for wording in query.wordings.values():
            if wording.terms or wording.slots:
                library.by_terms.setdefault(wording.terms, []).append((query, wording))
    return library


@lru_cache(maxsize=1)
def list_shipped_queries() -> list[dict[str, Any]]:
    """Read the shipped verified queries, with defaults for what their file leaves out."""
    folder = files("sprints") / "samples" / "verified"
    texts = [file.read_text(encoding="utf-8") for file in sorted(folder.iterdir(), key=lambda file: file.name)]
    rows = [row for text in texts for row in tomllib.loads(text)["query"]]
    return [{"phrasings": [], "slots": {}, "assumptions": []} | row | {"sql": row["sql"].strip()} for row in rows]


def hash_content(content: dict[str, Any]) -> str:
    """Hash a query's content, to detect changes by a person."""
    return sha256(dumps(content, sort_keys=True).encode()).hexdigest()


def _read_wording(text: str, *, has_unit: bool, lexicon: Lexicon) -> CuratedWording:
    linked = link(SLOT.sub(" , ", text), index=_NO_NAMES, today=date(2000, 1, 1))
    reading = _read_tokens(cut(linked, lexicon=lexicon, index=_NO_NAMES), reads_types=True, reads_units=has_unit)
    slots = [*reading.slots, *(found[1] for found in SLOT.finditer(text))]
    return CuratedWording(terms=reading.terms, slots=tuple(sorted(slots)))


def _read_question(linked: LinkedQuestion, *, index: NameIndex, lexicon: Lexicon) -> list[CuratedWording]:
    """Read a question with each meaning of words like "bugs" and "week": as a name or as a word."""
    tokens = cut(linked, lexicon=lexicon, index=index)
    ways = product((True, False), repeat=2)
    readings = [_read_tokens(tokens, reads_types=types, reads_units=units) for types, units in ways]
    return list(dict.fromkeys(readings))


def _read_tokens(tokens: Iterable[Token], *, reads_types: bool, reads_units: bool) -> CuratedWording:
    terms: list[Term] = []
    slots: list[str] = []
    tokens = list(tokens)
    is_yes_or_no = bool(tokens) and tokens[0].said.lower() in YES_OR_NO
    for token in tokens:
        is_unit = reads_units and any(sense.kind == "grain" for sense in token.senses)
        slot = "unit" if is_unit else _slot_of(token)
        if slot and (reads_types or not (slot == "type" and token.senses)):
            slots.append(slot)
        elif not _says_nothing(token) or (is_yes_or_no and token.said.lower() in ("all", "every")):
            senses = frozenset((one.kind, one.name) for one in token.senses if "since" not in token.marks)
            terms.append(senses or token.said.casefold())  # removed from a sprint, as opposed to since it
    return CuratedWording(terms=tuple(terms), slots=tuple(sorted(slots)))


def _is_unknown_word(reading: CuratedWording) -> bool:
    """Return whether nothing is said but a word that the grammar does not know, and names."""
    return len(reading.terms) == 1 and isinstance(reading.terms[0], str)


def _tells_of_past(tokens: Sequence[Token], *, lexicon: Lexicon) -> bool:
    """Return whether a state that comes and goes is said of the past: the shipped queries tell of now."""
    model = lexicon.model
    times = [
        model.predicates[sense.name].time for token in tokens for sense in token.senses if sense.kind == "predicate"
    ]  # fmt: skip
    is_lasting = any(time and model.time_roles[time].relation for time in times)
    return is_lasting and any(token.said.lower() in ("was", "were", "had", "got") for token in tokens)


def _says_nothing(token: Token) -> bool:
    """Return whether a word changes no answer. Pronouns may: "issues that block others"."""
    is_free = any(sense.kind == "free" and sense.name != "pronouns" for sense in token.senses)
    return is_free or (bool(token.marks & _SILENT) and token.said.lower() not in _RELATING)


def _slot_of(token: Token) -> str:
    """Return the slot that a token fills. Empty if it is a word."""
    if token.names and token.kind:
        return token.kind
    values = {
        "key": token.key, "sprint": token.reference, "period": token.period, "days": token.days, "top": token.top,
        "number": token.number,
    }  # fmt: skip
    return next((slot for slot, value in values.items() if value not in (None, "")), "")
