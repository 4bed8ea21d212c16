"""Which verified query a linked question asks. Rather ask back than answer another question."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log

from sprints.linking.folding import Stretch, overlaps, words
from sprints.linking.link import Linked
from sprints.linking.names import Kind
from sprints.verified.slots import needed_slots, slots_of
from sprints.verified.wording import SLOT, Gist, gist_of, gist_of_phrasing, lexicon

HARD = frozenset({"team", "person", "sprint", "period", "key", "unit"})
"""What a question names that an answer must make use of."""
SOFT: tuple[Kind, ...] = ("status", "priority", "label", "type")
LIGHT_WEIGHT = 0.4
FLOOR = 0.72
MARGIN = 0.03
NOT_SAID = 0.04
"""What each name costs that a wording speaks of and the question does not."""
WORD_FIRST = 0.06
"""What reading a word as a name costs, where it is also a word of the trade."""


_HARD_SLOTS = frozenset(f"{SLOT}{slot}" for slot in HARD)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """One way to ask, and what it is about."""

    text: str
    gist: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """A verified query as questions are held against it."""

    slug: str
    topic: str
    question: str
    sql: str
    slots: Mapping[str, object]
    assumptions: tuple[str, ...]
    wordings: tuple[Wording, ...]
    vocabulary: frozenset[str]
    offered: frozenset[str]
    needed: frozenset[str]

    @classmethod
    def of(cls, row: Mapping[str, object]) -> "Verified":
        """Make one from a row."""
        texts = [str(row["question"]), *row["phrasings"]]  # type: ignore[misc]
        wordings = tuple(Wording(text=text, gist=frozenset(gist_of_phrasing(text).concepts)) for text in texts)
        sql, defaults = str(row["sql"]), dict(row["slots"])  # type: ignore[call-overload]
        return cls(
            slug=str(row["slug"]), topic=str(row["topic"]), question=texts[0], sql=sql, slots=defaults,
            assumptions=tuple(row["assumptions"]),  # type: ignore[arg-type]
            wordings=wordings, vocabulary=frozenset(concept for one in wordings for concept in one.gist),
            offered=frozenset(slots_of(sql)), needed=frozenset(needed_slots(sql) - set(defaults)),
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A verified query held against a question: how well it fits, and what speaks against it."""

    query: Verified
    score: float
    unexplained: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def fits(self) -> bool:
        """Tell whether nothing of the question is left over and nothing is lacking."""
        return not (self.unexplained or self.unused or self.missing)


@dataclass(slots=True, kw_only=True)
class Library:
    """All verified queries, and how telling each concept is among them."""

    queries: tuple[Verified, ...]
    weights: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, queries: Iterable[Verified]) -> "Library":
        """Weigh the concepts: those of few queries tell more."""
        kept = tuple(queries)
        seen = Counter(concept for query in kept for concept in query.vocabulary)
        light = lexicon().light
        weights = {
            concept: LIGHT_WEIGHT if concept in light else 1 + log(max(1.0, len(kept) / 8) / number) / 4
            for concept, number in seen.items()
        }
        return cls(queries=kept, weights={concept: max(weight, LIGHT_WEIGHT) for concept, weight in weights.items()})

    def weight(self, concept: str) -> float:
        """Weigh a concept; one that no query knows counts in full."""
        if concept.startswith(SLOT):
            return 0.5
        return self.weights.get(concept, LIGHT_WEIGHT if concept in lexicon().light else 1.3)


def match(linked: Linked, *, library: Library) -> list[Match]:
    """Hold the question against every query, the best first, those that fit before those that do not."""
    found = [_held(query, linked=linked, library=library) for query in library.queries]
    return sorted(found, key=lambda one: (not one.fits, -one.score, one.query.slug))


def clear_winner(found: Sequence[Match]) -> Match | None:
    """Give the match that answers the question, if one fits, well enough, and better than every other."""
    if not found or not found[0].fits or found[0].score < FLOOR:
        return None
    rivals = [one for one in found[1:] if one.fits and one.score > found[0].score - MARGIN]
    return None if rivals else found[0]


def _held(query: Verified, *, linked: Linked, library: Library) -> Match:
    gist = gist_in(linked, query=query)
    if "sprint" in query.offered and "each" not in gist.concepts:
        gist.concepts.discard("sprint")  # "the sprint" is what the slot's default stands for; "each sprint" is not
    gone = _named(linked)
    unused = tuple(sorted((gone & HARD - query.offered) | _said_twice(linked)))
    missing = tuple(sorted(query.needed - gone))
    strange = gist.concepts - query.vocabulary - lexicon().ignorable
    unexplained = tuple(sorted(one for one in strange if not one.startswith(SLOT)))
    asked = frozenset(gist.concepts)
    given = frozenset(one for one in asked if one.removeprefix(SLOT) in query.offered)
    score = max(
        _likeness(asked, _as_asked(one, query=query, given=given), library=library)
        - NOT_SAID * len(one.gist & _HARD_SLOTS - asked)
        for one in query.wordings
    )
    score -= WORD_FIRST * _reads_words_as_names(linked, query=query)
    return Match(query=query, score=score, unexplained=unexplained, unused=unused, missing=missing)


def gist_in(linked: Linked, *, query: Verified | None = None) -> Gist:
    """Give what the question is about, beside the names that this query would use."""
    used: list[Stretch] = [*linked.keys, *linked.sprint_references, *linked.periods]
    soft = SOFT if query is None else tuple(kind for kind in SOFT if kind in query.offered)
    used += [one for one in linked.spotted if one.is_hard or one.kind in soft]
    used += [one for one in linked.amounts if query is None or one.kind in query.offered]
    rest = [word for word in linked.words if not overlaps(word, others=used)]
    slots = {kind for kind in _named(linked) if kind in HARD or (query and kind in query.offered)}
    return gist_of(rest, slots=slots)


def _named(linked: Linked) -> set[str]:
    """Give the kinds of what the question names."""
    kinds: set[str] = {one.kind for one in linked.spotted} | {one.kind for one in linked.amounts}
    kinds |= {"sprint"} if linked.sprint_references else set()
    kinds |= {"period"} if linked.periods else set()
    kinds |= {"key"} if linked.keys else set()
    return kinds | ({"unit"} if linked.unit else set())


def _as_asked(wording: Wording, *, query: Verified, given: frozenset[str]) -> frozenset[str]:
    """Give the wording with the optional names that the question says, and without those that it does not."""
    kept = {
        one for one in wording.gist if not one.startswith(SLOT) or one.removeprefix(SLOT) in {*query.needed, "unit"}
    }
    return frozenset(kept | given)


def _likeness(asked: frozenset[str], wording: frozenset[str], *, library: Library) -> float:
    """Give twice the weight in common over the weight of both: 1 where both are about the same."""
    both = sum(library.weight(one) for one in asked & wording)
    either = sum(library.weight(one) for one in asked) + sum(library.weight(one) for one in wording)
    return 2 * both / either if either else 0.0


def _said_twice(linked: Linked) -> set[str]:
    """Name what the question says twice where SQL has one place for it: two periods, two durations."""
    amounts = Counter(one.kind for one in linked.amounts)
    return {kind for kind, number in amounts.items() if number > 1} | ({"period"} if len(linked.periods) > 1 else set())


def _reads_words_as_names(linked: Linked, *, query: Verified) -> bool:
    """Tell whether the query takes for a status or label what the trade's own words say too, as in progress."""
    if any(word.folded in ("status", "state", "column", "label", "priority") for word in linked.words):
        return False
    soft = [one for one in linked.spotted if one.kind in SOFT and one.kind != "type" and one.kind in query.offered]
    return any(not gist_of(words(one.said)).unknown for one in soft)
