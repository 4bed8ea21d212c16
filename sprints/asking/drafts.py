"""SQL for a question by the grammar, a verified query or a model; else a clarification."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

import regex

from sprints.asking.near_questions import NearQuestion
from sprints.asking.prompts import ANSWER, GENERATE, GeneratedQuery, GeneratedSql, write_generation_task
from sprints.asking.reading import IS_NAMED_PERIOD, MAX_NEAREST, QuestionReading, read_question
from sprints.asking.vague_words import Hint, find_hint
from sprints.contracts import SchemaInfo
from sprints.linking.folding import Stretch, overlaps, words
from sprints.linking.link import Unclear
from sprints.linking.spotting import ORDINARY
from sprints.schema.reading import load_schema
from sprints.semantics.compile import compile_query, keep_ties
from sprints.semantics.describe import Description, describe_query
from sprints.semantics.errors import SemanticError
from sprints.semantics.model import SemanticModel, shipped_model
from sprints.semantics.query import MetricQuery
from sprints.semantics.questions.coverage import find_doubts, find_doubts_about_sql
from sprints.semantics.questions.grammar import ENGLISH
from sprints.verified.library import VerifiedStatement
from sprints.verified.slots import UnfilledSlotError, fill, is_window
from toolbox.database.pools import Pool
from toolbox.model import Message, Model, ModelFailure

logger = logging.getLogger(__name__)

MODEL_SECONDS = 25.0
MAX_UNKNOWN_NAMES = 3
NEAR = " Questions near it that I can answer: "
NOT_UNDERSTOOD = "I cannot tell what '{word}' should mean here. Leave it out, or say it in other words."
BETWEEN = "I cannot tell how the parts beside '{word}' belong together. Ask for one of them at a time."
UNSURE = "I could not turn that into a query. Please say it another way."
_FORECAST = "When work will be done is forecast by the tool forecast_completion, for a team and its points or issues."
_FOREIGN = ENGLISH.partition("; ")[2]
_UNKNOWN_EVENT = "I cannot tell what was "
_JOINING = frozenset({"and", "but", "or"})
_RELATION = regex.compile(r"\b(?:from|join)\s+([a-z_]+)", regex.IGNORECASE)
_PREPOSITION = regex.compile(r"\b(?:in|on|during|within) $", regex.IGNORECASE)
_SLOT_QUESTIONS = {
    "period": "Which days do you mean, for example last month?", "key": "Which issue do you mean, by its key?",
    "top": "How many do you want listed?",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """
    One clarification, and what its answer replaces.

    It says whom a `name` means, takes the place of the `words` that were said or of the whole `question`, or says
    `more`. Without choices anything may be answered.
    """

    question: str
    replaces: Literal["name", "words", "question", "more"]
    said: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """
    A statement for a question, or a clarification.

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
    verified: VerifiedStatement | None = None
    doubts: tuple[Doubt, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def statements(self) -> tuple[str, ...]:
        """The notes for the rows: assumptions, and what a model's answer leaves out."""
        return (*self.assumptions, *(f"Doubtful: {one}" for one in self.warnings))


async def generate(
    question: str, *, now: datetime, reader: Pool, model: Model | None, schema: SchemaInfo | None = None,
    context: MetricQuery | None = None, lost: str | None = None,
) -> Draft:  # fmt: skip
    """
    Turn a question into SQL or a clarification. Ambiguous names are clarified before a model is called.

    `schema` is the caller's own, where it has one. `lost`: see read_question.
    """
    reading = await read_question(question, now=now, reader=reader, context=context, lost=lost)
    return await draft_answer(reading, model=model, schema=schema)


async def draft_answer(reading: QuestionReading, *, model: Model | None, schema: SchemaInfo | None) -> Draft:
    """Draft the answer. A model is called only if neither the grammar nor a verified query reads the question."""
    draft = draft_without_model(reading)
    if reading.linked.unclear or model is None or draft.sql is not None:
        return _limit_to_schema(draft, schema=schema)
    try:
        known = schema or await load_schema()
        layer = None if schema else shipped_model()
        return await draft_by_model(model, reading=reading, schema=known, layer=layer)
    except ModelFailure as failure:
        logger.warning("A question is asked back without the model: %s", failure)
        return replace(draft, clarification=f"{draft.clarification} The model could not be asked: {failure}")


def draft_without_model(reading: QuestionReading) -> Draft:
    """Draft by a curator's query, the grammar, or a shipped verified query; else a clarification."""
    if reading.linked.unclear:
        return _ask_about_names(reading)
    if reading.parse.anaphor:
        return _ask_back(reading)
    verified = reading.find_verified()
    if verified is not None and not verified.is_shipped:
        return _draft_verified(verified, reading=reading)
    query = reading.parse.query
    if query and (draft := draft_query(query, reading=reading, said=reading.parse.assumptions)):
        return draft
    if verified is None or reading.parse.is_final:
        return _ask_back(reading)
    return _draft_verified(verified, reading=reading)


def draft_query(query: MetricQuery, *, reading: QuestionReading, said: Sequence[str] = ()) -> Draft | None:
    """Compile a query of the semantic layer, with its description. None if its terms do not fit together."""
    model, query = shipped_model(), keep_ties(query)
    try:
        compiled, meaning = compile_query(query, model=model), describe_query(query, model=model)
    except SemanticError:
        return None
    assumed = (*said, *reading.assumptions, *meaning.assumptions, *compiled.notes)
    return Draft(
        sql=compiled.sql, assumptions=tuple(dict.fromkeys(assumed)), query=query, meaning=meaning,
        suggestions=reading.list_nearest(),
    )  # fmt: skip


async def draft_by_model(
    model: Model, *, reading: QuestionReading, schema: SchemaInfo, layer: SemanticModel | None = None
) -> Draft:
    """
    Have the model answer with a query of the layer, with SQL if the layer cannot express it, or with a clarification.

    What the question says and the answer does not use is a doubt, said with the answer. Raises ModelFailure.
    """
    messages = [
        Message.system(ANSWER if layer else GENERATE),
        Message.user(write_generation_task(reading, schema=schema, layer=layer)),
    ]
    shape: type[GeneratedQuery | GeneratedSql] = GeneratedQuery if layer else GeneratedSql
    given = await model.complete_structured(messages, schema=shape, deadline_seconds=MODEL_SECONDS)
    assumed = tuple(dict.fromkeys((*reading.linked.assumptions, *reading.assumptions, *given.assumptions)))
    if isinstance(given, GeneratedQuery) and given.query is not None:
        draft = draft_query(given.query, reading=reading, said=assumed)
        if draft is not None:
            return replace(draft, warnings=tuple(find_doubts(reading.parse, query=given.query)))
    sql = (given.sql or "").strip().rstrip(";").strip()
    if not sql:
        return _ask_for_more(given.clarification or UNSURE, reading=reading)
    warnings = tuple(find_doubts_about_sql(reading.parse, sql=sql)) if layer else ()
    return Draft(sql=sql, assumptions=assumed, suggestions=reading.list_nearest(), warnings=warnings)


def _limit_to_schema(draft: Draft, *, schema: SchemaInfo | None) -> Draft:
    """Refuse a statement over views that the caller's schema does not have."""
    if schema is None or draft.sql is None:
        return draft
    known = {table.name for table in schema.tables}
    used = {name.lower() for name in _RELATION.findall(draft.sql)} - {"unnest"}
    if used <= known:
        return draft
    missing = ", ".join(sorted(used - known))
    return Draft(clarification=f"The given schema has no {missing}, which the answer needs. Which view holds it?")


def _draft_verified(verified: VerifiedStatement, *, reading: QuestionReading) -> Draft:
    linked = reading.linked
    hidden = None if not verified.is_shipped else verified.find_hidden_default(linked, lexicon=reading.lexicon)
    if hidden:
        return _ask_for_more(_write_default_question(hidden, default=str(verified.defaults[hidden])), reading=reading)
    try:
        filled = fill(verified.sql, linked=linked, index=reading.index, defaults=verified.defaults)
    except UnfilledSlotError as unfilled:
        asked = _SLOT_QUESTIONS.get(unfilled.slot, f"Which {unfilled.slot} do you mean?")
        return _ask_for_more(asked, reading=reading)
    assumed = (*linked.assumptions, *reading.assumptions, *filled.assumptions, *verified.assumptions)
    return Draft(
        sql=filled.sql, assumptions=tuple(dict.fromkeys(assumed)), verified=verified,
        suggestions=reading.list_nearest(topic=verified.topic, without=verified.slug),
    )  # fmt: skip


def _write_default_question(slot: str, *, default: str) -> str:
    if not is_window(slot, default=default):
        return _SLOT_QUESTIONS.get(slot, f"Which {slot} do you mean?")
    return f"Which {'sprints' if slot == 'sprint' else 'days'} do you mean: all, or for example the {default}?"


def _ask_for_more(asked: str, *, reading: QuestionReading) -> Draft:
    doubts = (Doubt(question=asked, replaces="more"),)
    suggested = _suggest(reading, doubts=doubts, near=reading.list_near())
    return Draft(clarification=asked, suggestions=suggested, doubts=doubts)


def _ask_about_names(reading: QuestionReading) -> Draft:
    unclear = reading.linked.unclear
    doubts = tuple(_make_doubt(one) for one in dict.fromkeys(unclear))
    asked = " ".join(dict.fromkeys(one.question for one in unclear))
    return Draft(clarification=asked, suggestions=_suggest(reading, doubts=doubts), doubts=doubts)


def _ask_back(reading: QuestionReading) -> Draft:
    """Name the word that was not understood, or what is missing, and similar questions that work."""
    parse = reading.parse
    near = [] if parse.why.endswith(_FOREIGN) else reading.list_near()
    if parse.readings and not parse.parts:
        first, second = [describe_query(one, model=shipped_model()).text for one in parse.readings]
        asked = f"Do you mean '{first}' or '{second}'?"
        choices = tuple(one.text for one in near) if len(near) == len(parse.readings) else ()
        choice = (Doubt(question=asked, replaces="question", choices=choices),)
        return Draft(clarification=asked, suggestions=_suggest(reading, doubts=(), near=near), doubts=choice)
    doubts, hint = _ask_about_time(reading), _find_hint(reading)
    suggested = _suggest(reading, doubts=doubts, near=near)
    instead = [one for one in hint.instead if reading.keeps_names(one)] if hint else []
    suggested = tuple(dict.fromkeys((*instead, *suggested)))[:MAX_NEAREST]
    word = _choose_word(reading, near=near)
    template = BETWEEN if word.lower() in _JOINING else NOT_UNDERSTOOD
    reason = (hint.why if hint else parse.why) or (template.format(word=word) if word else "")
    ahead = [_FORECAST] if _asks_about_the_future(reading) else []
    names = [] if hint or parse.why.endswith(_FOREIGN) else _list_unknown_names(reading)
    said = " ".join([*names, *([reason] if reason else []), *ahead])
    listed = "; ".join(f"'{one}'" for one in suggested)
    works = f"{NEAR}{listed}." if suggested else ""
    doubts = doubts or (Doubt(question="Ask it in other words, or one of these.", replaces="question"),)
    asked = f"{said or 'I am not sure what you are asking.'}{works}"
    return Draft(clarification=asked, suggestions=suggested, doubts=doubts)


def _find_hint(reading: QuestionReading) -> Hint | None:
    """Return what a question could mean of which a word is vague. None if it is known what is missing."""
    why = reading.parse.why
    is_known = bool(why) and not (why.endswith(_FOREIGN) or why.startswith(_UNKNOWN_EVENT))
    if reading.is_follow_up or reading.parse.anaphor or is_known:
        return None
    statuses = dict.fromkeys(name.text for name in reading.index.of_kind("status"))
    return find_hint(reading.linked, statuses=tuple(statuses))


def _choose_word(reading: QuestionReading, *, near: Sequence[NearQuestion]) -> str:
    """
    Return the word that was not understood: the one without which the rest is read, else the first unknown one.

    Words that stand together are one: how far along.
    """
    unbound = list(reading.parse.unbound)
    left_out = near[0].left_out if near else ()
    if len(left_out) == 1 and len(words(left_out[0])) == 1 and left_out[0] in reading.question:
        return left_out[0]
    blocking = [one for one in unbound if one in left_out] or unbound
    if not blocking:
        return ""
    run = blocking[0]
    for word in blocking[1:]:
        run = f"{run} {word}" if f"{run} {word}" in " ".join(reading.linked.text.split()) else run
    return run


def _asks_about_the_future(reading: QuestionReading) -> bool:
    """Return whether a question says "will". Somebody called Will says nothing about the future."""
    spotted = reading.linked.spotted
    return any(word.folded == "will" and not overlaps(word, others=spotted) for word in reading.linked.words)


def _ask_about_time(reading: QuestionReading) -> tuple[Doubt, ...]:
    """Ask whether a time without a verb means creation or completion."""
    why = reading.parse.why
    period = next((one for one in reading.linked.periods if f"'{one.said}'" in why), None)
    said, preposition = (period.said if period else ""), ""
    if period:
        found = _PREPOSITION.search(reading.linked.text[: period.start])
        preposition = found[0] if found else "in " if IS_NAMED_PERIOD.fullmatch(said) else ""
        said = f"{preposition}{said}" if found else said
    choices = tuple(
        f"{verb} {'' if said.startswith(preposition) else preposition}{said}" for verb in ("created", "done")
    )
    return (Doubt(question=why, replaces="words", said=said, choices=choices),) if said else ()


def _suggest(
    reading: QuestionReading, *, doubts: Sequence[Doubt], near: Sequence[NearQuestion] = ()
) -> tuple[str, ...]:
    """Return questions that work: this one with a choice, else those that say nearly the same, else verified ones."""
    text = " ".join(reading.linked.text.split())
    own = [text.replace(doubt.said, choice, 1) for doubt in doubts if doubt.said for choice in doubt.choices]
    own = [regex.sub(r" ?\((\w+)\)", "", one) for one in own]
    works = [one for one in own[:MAX_NEAREST] if reading.can_answer(one)]
    found = (*works, *(one.text for one in near))
    others = () if found or reading.parse.parts else reading.list_about_same()
    return tuple(dict.fromkeys((*found, *others)))[:MAX_NEAREST]


def _make_doubt(unclear: Unclear) -> Doubt:
    if unclear.is_name:
        return Doubt(question=unclear.question, replaces="name", said=unclear.said, choices=unclear.choices)
    return Doubt(question=unclear.question, replaces="words", said=unclear.said, choices=unclear.choices)


def _list_unknown_names(reading: QuestionReading) -> list[str]:
    """Return capitalised words that are not names of the data, with the nearest names."""
    linked, said = reading.linked, []
    known: list[Stretch] = [*linked.spotted, *linked.periods, *linked.keys]
    for word in linked.words[1:]:
        written = linked.text[word.start : word.end]
        is_name = written[0].isupper() and not written.isupper() and word.folded not in ORDINARY
        if is_name and not overlaps(word, others=known):
            near = ", ".join(name.label for name in reading.index.nearest(written))
            said.append(f"There is nobody and no team called '{written}'. The nearest names: {near}.")
    return said[:MAX_UNKNOWN_NAMES]
