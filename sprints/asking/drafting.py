"""SQL for a question from the verified queries alone, or a question back. Pure."""

from dataclasses import dataclass
from typing import Literal

import regex

from sprints.asking.understanding import Understood
from sprints.linking.folding import Stretch, overlaps
from sprints.linking.link import Linked, Unclear
from sprints.linking.spotting import ORDINARY
from sprints.verified.matching import FLOOR, Match, Verified, clear_winner
from sprints.verified.slots import Unfillable, fill

_ASKED = {
    "team": "Which team do you mean?", "person": "Which person do you mean?", "sprint": "Which sprint do you mean?",
    "period": "Which days do you mean, for example last month?", "status": "Which status do you mean?",
    "label": "Which label do you mean?", "key": "Which issue do you mean, by its key?",
}  # fmt: skip
MAX_STRANGE = 3
_SLASHED = regex.compile(r"\d{1,2}[/.]\d{1,2}[/.]\d{4}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """
    One thing to ask back, and what the answer mends.

    It tells whom a `name` means, takes the place of the `words` that were said or of the whole `question`, or says
    `more`. Without choices anything may be answered.
    """

    question: str
    mends: Literal["name", "words", "question", "more"]
    said: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """
    A statement for a question, or what to ask back; `query` is the verified query that it came from.

    `doubts` are the clarification in parts that can be answered.
    """

    sql: str | None = None
    clarification: str | None = None
    assumptions: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    query: Verified | None = None
    doubts: tuple[Doubt, ...] = ()


def draft(understood: Understood) -> Draft:
    """Answer from the verified queries where exactly one is asked and all its slots are known; else ask back."""
    linked = understood.linked
    if linked.unclear:
        asked = " ".join(dict.fromkeys(one.question for one in linked.unclear))
        doubts = tuple(_doubt(one) for one in dict.fromkeys(linked.unclear))
        return Draft(clarification=asked, suggestions=tuple(understood.nearest()), doubts=doubts)
    winner = clear_winner(understood.matches)
    if winner is None:
        return _asked_back(understood)
    try:
        filled = fill(winner.query.sql, linked=linked, index=understood.index, defaults=winner.query.slots)
    except Unfillable as lacking:
        asked = _ASKED.get(lacking.slot, f"Which {lacking.slot} do you mean?")
        doubts = (Doubt(question=asked, mends="more"),)
        return Draft(clarification=asked, suggestions=tuple(understood.nearest()), doubts=doubts)
    assumed = (*linked.assumptions, *understood.assumptions, *filled.assumptions, *winner.query.assumptions)
    return Draft(
        sql=filled.sql, assumptions=tuple(dict.fromkeys(assumed)), query=winner.query,
        suggestions=tuple(understood.related(winner.query)),
    )  # fmt: skip


def _asked_back(understood: Understood) -> Draft:
    """Say what was not understood and which questions near it work."""
    near = understood.nearest()
    fitting = [one for one in understood.matches if one.fits and one.score >= FLOOR]
    if len(fitting) > 1:
        two = tuple(understood.worded(one.query) for one in fitting[:2])
        asked = f"Do you mean '{two[0]}' or '{two[1]}'?"
        doubts = (Doubt(question=asked, mends="question", choices=two),)
        return Draft(clarification=asked, suggestions=tuple(near), doubts=doubts)
    said = " ".join([*_strange_names(understood), *_lacking(understood)]) or "I am not sure what you are asking."
    listed = "; ".join(f"'{one}'" for one in near)
    works = f" Questions near it that I can answer: {listed}." if near else ""
    doubts = (Doubt(question="Ask it in other words, or one of these.", mends="question"),)
    return Draft(clarification=f"{said}{works}", suggestions=tuple(near), doubts=doubts)


def _doubt(unclear: Unclear) -> Doubt:
    if unclear.is_name:
        return Doubt(question=unclear.question, mends="name", said=unclear.said, choices=unclear.choices)
    said = found[0] if unclear.choices and (found := _SLASHED.search(unclear.said)) else unclear.said
    return Doubt(question=unclear.question, mends="words", said=said, choices=unclear.choices)


def _lacking(understood: Understood) -> list[str]:
    """Say which slot the best match lacks, or which words fit no verified query."""
    best = max(understood.matches, key=lambda one: one.score, default=None)
    if best is None:
        return ["There are no verified queries to answer from, and no model is configured."]
    if best.missing and not best.unexplained and not best.unused and best.score >= FLOOR:
        return [_ASKED.get(best.missing[0], f"Which {best.missing[0]} do you mean?")]
    words = _unexplained(best, understood.linked)
    return [f"I cannot tell what {' and '.join(words)} should mean here."] if words else []


def _unexplained(best: Match, linked: Linked) -> list[str]:
    known = {word.folded: linked.text[word.start : word.end] for word in linked.words}
    return [f"'{known[one]}'" for one in best.unexplained if one in known][:MAX_STRANGE]


def _strange_names(understood: Understood) -> list[str]:
    """Name capitalised words that are no names of the data, and the nearest that are."""
    linked, said = understood.linked, []
    for place, word in enumerate(linked.words):
        written = linked.text[word.start : word.end]
        known: list[Stretch] = [*linked.spotted, *linked.periods, *linked.keys]
        is_spotted = overlaps(word, others=known)
        if place and written[0].isupper() and not is_spotted and word.folded not in ORDINARY and not written.isupper():
            near = ", ".join(name.said for name in understood.index.nearest(written))
            said.append(f"There is nobody and no team called '{written}'. The nearest names: {near}.")
    return said[:MAX_STRANGE]
