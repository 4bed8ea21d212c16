"""SQL for a question without a model: by the grammar, else from a verified query, else a question back. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import regex

from sprints.asking.understanding import MAX_NEAREST, Understood
from sprints.linking.folding import Stretch, overlaps
from sprints.linking.link import Unclear
from sprints.linking.spotting import ORDINARY
from sprints.semantics.compile import compile_query, keep_ties
from sprints.semantics.describe import Description, describe_query
from sprints.semantics.errors import SemanticError
from sprints.semantics.model import shipped_model
from sprints.semantics.query import MetricQuery
from sprints.semantics.questions.grammar import Parse
from sprints.semantics.questions.lexicon import shipped_lexicon
from sprints.semantics.questions.tokens import marks_in
from sprints.verified.matching import Verified, clear_winner
from sprints.verified.slots import Unfillable, fill

_ASKED = {
    "team": "Which team do you mean?", "person": "Which person do you mean?", "sprint": "Which sprint do you mean?",
    "period": "Which days do you mean, for example last month?", "status": "Which status do you mean?",
    "label": "Which label do you mean?", "key": "Which issue do you mean, by its key?",
    "top": "How many do you want listed?",
}  # fmt: skip
MAX_STRANGE = 3
_MEANT = frozenset({
    "not", "except", "without", "only", "ever", "per", "top", "bottom", "rank", "total", "average", "median",
    "percentile_85", "share", "versus", "compare", "than", "nothing", "anaphor", "gt", "ge", "lt", "le",
    "since", "after", "before", "until", "between", "once", "twice",
})  # fmt: skip
_SLASHED = regex.compile(r"\d{1,2}[/.]\d{1,2}[/.]\d{4}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """
    One thing to ask back, and what the answer replaces.

    It tells whom a `name` means, takes the place of the `words` that were said or of the whole `question`, or says
    `more`. Without choices anything may be answered.
    """

    question: str
    replaces: Literal["name", "words", "question", "more"]
    said: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """
    A statement for a question, or what to ask back.

    `query` is what the question means in the terms of the semantic layer, described by `meaning`; `verified` the
    verified query that the statement came from. A statement with neither is one that a model wrote. `doubts` are the
    clarification in parts that can be answered.
    """

    sql: str | None = None
    clarification: str | None = None
    assumptions: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    query: MetricQuery | None = None
    meaning: Description | None = None
    verified: Verified | None = None
    doubts: tuple[Doubt, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def statements(self) -> tuple[str, ...]:
        """What is to be said with the rows: the assumptions, and what a model's answer leaves out."""
        return (*self.assumptions, *(f"Doubtful: {one}" for one in self.warnings))


def draft(understood: Understood) -> Draft:
    """Answer what the grammar reads whole, else from the verified query that is asked, else ask back."""
    linked = understood.linked
    if linked.unclear:
        asked = " ".join(dict.fromkeys(one.question for one in linked.unclear))
        doubts = tuple(_doubt(one) for one in dict.fromkeys(linked.unclear))
        return Draft(clarification=asked, suggestions=_suggestions(understood, doubts=doubts), doubts=doubts)
    parse = understood.parse
    if parse and parse.query and (drafted := draft_query(parse.query, understood=understood, said=parse.assumptions)):
        return drafted
    winner = clear_winner(understood.matches)
    if (
        winner is None
        or (parse is not None and (parse.readings or parse.anaphor))
        or not _says_as_much(winner.query, understood)
    ):
        return _asked_back(understood)
    if silent := _slot_that_leaves_out(winner.query, understood):
        asked = _ask_for(silent, default=str(winner.query.slots[silent]))
        doubts = (Doubt(question=asked, replaces="more"),)
        return Draft(clarification=asked, suggestions=tuple(understood.nearest()), doubts=doubts)
    try:
        filled = fill(winner.query.sql, linked=linked, index=understood.index, defaults=winner.query.slots)
    except Unfillable as lacking:
        asked = _ASKED.get(lacking.slot, f"Which {lacking.slot} do you mean?")
        doubts = (Doubt(question=asked, replaces="more"),)
        return Draft(clarification=asked, suggestions=tuple(understood.nearest()), doubts=doubts)
    assumed = (*linked.assumptions, *understood.assumptions, *filled.assumptions, *winner.query.assumptions)
    return Draft(
        sql=filled.sql, assumptions=tuple(dict.fromkeys(assumed)), verified=winner.query,
        suggestions=tuple(understood.related(winner.query)),
    )  # fmt: skip


def _says_as_much(query: Verified, understood: Understood) -> bool:
    """
    Tell whether a verified query says all that changes the meaning of the question: total, average, except, per, most.

    A question of one word is not said by any: "status?" may ask for anything about it.
    """
    lexicon = shipped_lexicon()
    asked = marks_in(understood.linked.text, lexicon=lexicon) & _MEANT
    says = any(asked <= marks_in(wording.text, lexicon=lexicon) for wording in query.wordings)
    return says and len(understood.linked.words) > 1


def _slot_that_leaves_out(query: Verified, understood: Understood) -> str | None:
    """
    Give the slot whose default would leave out what the question does not: of "velocity" all but the last 6 sprints.

    Of a question that asks for each, any default leaves out groups; of others, a window of several sprints or days
    changes the numbers, unless the rows name each of them.
    """
    linked = understood.linked
    asks_for_each = "per" in marks_in(linked.text, lexicon=shipped_lexicon())
    given = {"sprint": linked.sprint_references or linked.of_kind("sprint"), "period": linked.periods,
             "top": [one for one in linked.amounts if one.kind == "top"]}  # fmt: skip
    silent = [slot for slot, values in given.items() if slot in query.slots and not values]
    shown = query.sql.partition("FROM")[0]
    is_shown = "sprint_name" in shown or "date_trunc" in shown
    return next(
        (
            slot for slot in silent
            if asks_for_each or (_is_window(slot, default=str(query.slots[slot])) and not is_shown)
        ), None,
    )  # fmt: skip


def _is_window(slot: str, *, default: str) -> bool:
    return slot in ("sprint", "period") and any(letter.isdigit() for letter in default)


def _ask_for(slot: str, *, default: str) -> str:
    if not _is_window(slot, default=default):
        return _ASKED[slot]
    return f"Which {'sprints' if slot == 'sprint' else 'days'} do you mean: all, or for example the {default}?"


def draft_query(query: MetricQuery, *, understood: Understood, said: Sequence[str] = ()) -> Draft | None:
    """Write a query of the semantic layer as SQL, with what it means; None where its terms do not fit together."""
    model, query = shipped_model(), keep_ties(query)
    try:
        compiled, meaning = compile_query(query, model=model), describe_query(query, model=model)
    except SemanticError:
        return None
    assumed = (*said, *understood.assumptions, *meaning.assumptions, *compiled.notes)
    return Draft(
        sql=compiled.sql, assumptions=tuple(dict.fromkeys(assumed)), query=query, meaning=meaning,
        suggestions=tuple(understood.nearest()),
    )  # fmt: skip


def _asked_back(understood: Understood) -> Draft:
    """Say which words have no place, or what is missing, and which questions near it work."""
    parse = understood.parse
    if parse and parse.readings:
        two = [describe_query(one, model=shipped_model()).text for one in parse.readings]
        asked = f"Do you mean '{two[0]}' or '{two[1]}'?"
        which = (Doubt(question=asked, replaces="question"),)
        return Draft(clarification=asked, suggestions=tuple(understood.nearest()), doubts=which)
    doubts = _times(parse) if parse else ()
    near = _suggestions(understood, doubts=doubts)
    said = " ".join([*_strange_names(understood), *_unbound(understood)]) or "I am not sure what you are asking."
    listed = "; ".join(f"'{one}'" for one in near)
    works = f" Questions near it that I can answer: {listed}." if near else ""
    doubts = doubts or (Doubt(question="Ask it in other words, or one of these.", replaces="question"),)
    return Draft(clarification=f"{said}{works}", suggestions=near, doubts=doubts)


def _unbound(understood: Understood) -> list[str]:
    parse = understood.parse
    if parse is None:
        return []
    if parse.why:
        return [parse.why]
    words = " and ".join(f"'{word}'" for word in parse.unbound)
    return [f"I cannot tell what {words} should mean here."] if words else []


def _times(parse: Parse) -> tuple[Doubt, ...]:
    """Ask whether a time without a verb is that of creation or of completion."""
    period = next((one for one in parse.linked.periods if f"'{one.said}'" in parse.why), None)
    if period is None:
        return ()
    choices = (f"created {period.said}", f"done {period.said}")
    return (Doubt(question=parse.why, replaces="words", said=period.said, choices=choices),)


def _suggestions(understood: Understood, *, doubts: Sequence[Doubt]) -> tuple[str, ...]:
    """Give questions that work: this one with a choice put in or a word left out, then verified ones near it."""
    text = understood.linked.text
    own = [text.replace(doubt.said, choice, 1) for doubt in doubts if doubt.said for choice in doubt.choices]
    own = [regex.sub(r" ?\((\w+)\)", "", one) for one in own]
    parse = understood.parse
    if parse and parse.unbound and not own:
        shorter = text
        for word in parse.unbound:
            shorter = " ".join(shorter.replace(word, " ").split())
        own = [shorter]
    works = [one for one in own[:MAX_NEAREST] if understood.can_answer(one)]
    return tuple(dict.fromkeys((*works, *understood.nearest())))[:MAX_NEAREST]


def _doubt(unclear: Unclear) -> Doubt:
    if unclear.is_name:
        return Doubt(question=unclear.question, replaces="name", said=unclear.said, choices=unclear.choices)
    said = found[0] if unclear.choices and (found := _SLASHED.search(unclear.said)) else unclear.said
    return Doubt(question=unclear.question, replaces="words", said=said, choices=unclear.choices)


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
