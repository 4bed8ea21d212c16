"""Parsing of a question to a query of the semantic model. A word without a place causes a clarification."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from types import MappingProxyType

import regex

from sprints.linking.folding import normalise, words
from sprints.linking.link import MAX_QUESTION, LinkedQuestion, link
from sprints.linking.names import NameIndex
from sprints.semantics.model import SemanticModel
from sprints.semantics.query import MetricQuery
from sprints.semantics.questions.actors import TWO_ACTORS, UNKNOWN_ACTOR, find_second_actor, find_unknown_act
from sprints.semantics.questions.antecedents import name_person
from sprints.semantics.questions.assembly import AssembledQuery, assemble
from sprints.semantics.questions.clauses import set_aside
from sprints.semantics.questions.epic_keys import name_epics
from sprints.semantics.questions.lexicon import Lexicon
from sprints.semantics.questions.misleading import find_misleading
from sprints.semantics.questions.moments import find_lost_moment
from sprints.semantics.questions.phrase import Phrase, is_sprints
from sprints.semantics.questions.phrases import read_phrases
from sprints.semantics.questions.signs import spell_signs
from sprints.semantics.questions.sorting import (
    find_sort_clause,
    is_sorted,
    rewrite_as_ranking,
    rewrite_as_sorting,
    sort_query,
)
from sprints.semantics.questions.spelling import Corrections, correct_words, restore_words, say_corrections
from sprints.semantics.questions.terms import Unbound
from sprints.semantics.questions.tokens import (
    MAX_TOKENS,
    Token,
    cut,
    find_anaphor,
    find_unread_sign,
    put_teams_behind,
)
from sprints.semantics.questions.unreadable import find_dangling, find_unnamed_team, find_unreadable
from sprints.semantics.questions.verbs import find_order

_NOTHING: Mapping[str, str] = MappingProxyType({})
_NAMES_TEAM = regex.compile(r'"(?:field|dimension|rows_of)":"team|"(?:dimension|rows_of)":"sprint"')
"""In a query as JSON: it says which team, or is of sprints, each of which has a team."""
MAX_REPORTED = 3
MARGIN = 0.2
MINE = "I do not know who you are. Name the person or the team instead of '{said}'."
ENGLISH = "I do not know {words}; I understand questions in English only."
ANAPHOR = "I cannot tell what '{said}' refers to. Ask it with the names and the noun."
WHICH_TEAM = "Which team is '{said}': {teams}?"
MAX_TEAMS = 10
ONE_BY_ONE = "I know '{first}' and '{second}' one at a time, as they are numbers of other rows. Ask for each."
ORDER = "I only answer questions: '{said}' would change something. Ask which issues are so instead."
TOO_LONG = f"The question has more than {MAX_TOKENS} words. Ask it in fewer."


@dataclass(frozen=True, slots=True, kw_only=True)
class Parse:
    """
    The query of a question, or the reason why there is none.

    `unbound` are words that have no place, `why` a sentence that asks for what is missing, `readings` two queries
    that the question fits equally well, `anaphor` a pronoun that stands for nothing in it. `parts` are two questions in
    one, of which the readings are the queries. `is_final`: the question is understood, and the data has no answer.
    `is_anew`: it follows another question, and was read as one of its own.
    """

    linked: LinkedQuestion
    query: MetricQuery | None = None
    assumptions: tuple[str, ...] = ()
    unbound: tuple[str, ...] = ()
    why: str = ""
    readings: tuple[MetricQuery, ...] = ()
    phrases: tuple[Phrase, ...] = ()
    anaphor: str = ""
    parts: tuple[str, ...] = ()
    is_final: bool = False
    is_anew: bool = False


def parse_question(
    question: str, *, index: NameIndex, today: date, lexicon: Lexicon, meant: Mapping[str, str] = _NOTHING
) -> Parse:
    """Parse a question. If that fails, parse it without the clauses that ask for nothing, and say so."""
    text = spell_signs(normalise(question)[:MAX_QUESTION], index=index)
    whole = _parse(text, index=index, today=today, lexicon=lexicon, meant=meant)
    if len(words(text)) > MAX_TOKENS or (whole.query is not None and whole.query.rank is None):
        return whole

    linked = link(text, index=index, today=today, reserved=lexicon.reserved_phrases)
    tokens = cut(linked, lexicon=lexicon, index=index)
    if whole.query is not None and not is_sorted(tokens):
        is_order = tokens[0].said.lower().startswith(("sort", "order")) and bool(whole.query.measures)
        return replace(whole, query=None, unbound=(tokens[0].said,)) if is_order else whole
    at = find_sort_clause(tokens)
    if at < len(tokens):
        asked = parse_question(text[: tokens[at].start], index=index, today=today, lexicon=lexicon, meant=meant)
        sorted_query = sort_query(asked.query, tokens=tokens[at:], lexicon=lexicon) if asked.query else None
        if sorted_query is not None:
            return replace(asked, query=sorted_query)
    if whole.query is None and (listed := rewrite_as_sorting(text, tokens=tokens, model=lexicon.model)):
        return parse_question(listed, index=index, today=today, lexicon=lexicon, meant=meant)
    if whole.query is not None:
        return whole if whole.query.measures else replace(whole, query=None, unbound=(tokens[at].said,))
    if ranking := rewrite_as_ranking(text, tokens=tokens):
        ranked = _parse(ranking, index=index, today=today, lexicon=lexicon, meant=meant)
        if ranked.query is not None:
            return ranked
    return _parse_without_talk(text, whole=whole, tokens=tokens, index=index, today=today, lexicon=lexicon, meant=meant)


def _parse_without_talk(
    text: str, *, whole: Parse, tokens: Sequence[Token], index: NameIndex, today: date, lexicon: Lexicon,
    meant: Mapping[str, str],
) -> Parse:  # fmt: skip
    """Parse a question with its pronouns resolved, and without the clauses that ask for nothing."""
    named, assumption = name_person(text, tokens=tokens)
    if assumption:
        asked = parse_question(named, index=index, today=today, lexicon=lexicon, meant=meant)
        if asked.query is not None:
            return replace(asked, assumptions=(assumption, *asked.assumptions))
    rest, aside = set_aside(text, tokens=tokens, lexicon=lexicon)
    if not aside:
        return whole
    parse = _parse(rest, index=index, today=today, lexicon=lexicon, meant=meant)
    if parse.query is None:
        return parse if parse.readings or not whole.readings else whole
    listed = " and ".join(f"'{one}'" for one in aside)
    return replace(parse, assumptions=(*parse.assumptions, f"Left aside: {listed}."))


def _parse(text: str, *, index: NameIndex, today: date, lexicon: Lexicon, meant: Mapping[str, str] = _NOTHING) -> Parse:
    """Parse a text. Bounded: each rule only shortens the phrases, and each entity is tried once. Pure."""
    written = text
    text, corrected = correct_words(text, found=words(text), lexicon=lexicon, index=index)
    linked = link(text, index=index, today=today, meant=meant, reserved=lexicon.reserved_phrases)
    if (moved := put_teams_behind(linked)) != linked.text:
        linked = link(moved, index=index, today=today, meant=meant, reserved=lexicon.reserved_phrases)
    tokens = cut(linked, lexicon=lexicon, index=index)
    if len(linked.words) > MAX_TOKENS:
        return Parse(linked=linked, why=TOO_LONG)
    if unknown := [token for token in tokens if not token.is_known]:
        if text != written:  # its words are named as they were written
            as_written = link(written, index=index, today=today, meant=meant, reserved=lexicon.reserved_phrases)
            tokens = cut(as_written, lexicon=lexicon, index=index)
            foreign = _unknown([token for token in tokens if not token.is_known], tokens=tokens, linked=linked)
            if foreign.why:
                return foreign
            tokens = cut(linked, lexicon=lexicon, index=index)
        return _unknown(unknown, tokens=tokens, linked=linked)
    tokens = name_epics(tokens, index=index)
    parse = _read_tokens(linked, tokens=tokens, lexicon=lexicon, corrected=corrected)
    said = find_unnamed_team(tokens)
    names_team = parse.query is not None and bool(_NAMES_TEAM.search(parse.query.model_dump_json()))
    if said and (parse.query is None or (said.lower() == "the team" and not names_team)):
        teams = sorted(name.text for name in index.of_kind("team"))[:MAX_TEAMS]
        listed = f"{', '.join(teams[:-1])} or {teams[-1]}" if teams[1:] else "".join(teams)
        why = WHICH_TEAM.format(said=said, teams=listed)
        return replace(parse, query=None, why=why, unbound=(), readings=(), is_final=True)
    return replace(parse, unbound=tuple(restore_words(one, corrections=corrected) for one in parse.unbound))


def _read_tokens(
    linked: LinkedQuestion, *, tokens: Sequence[Token], lexicon: Lexicon, corrected: Corrections
) -> Parse:  # fmt: skip
    """Parse words that are all known, unless together they say what no query does."""
    if sign := find_unread_sign(linked):
        return Parse(linked=linked, unbound=(sign,), phrases=tuple(read_phrases(tokens)), is_final=True)
    if said := find_dangling(tokens):
        return Parse(linked=linked, unbound=(said,), phrases=tuple(read_phrases(tokens)), is_final=True)
    if mine := next((token for token in tokens if "mine" in token.marks), None):
        return Parse(linked=linked, why=MINE.format(said=mine.said), phrases=tuple(read_phrases(tokens)))
    if anaphor := find_anaphor(tokens):
        return Parse(linked=linked, why=ANAPHOR.format(said=anaphor), anaphor=anaphor)
    if order := find_order(tokens, lexicon=lexicon):
        return Parse(linked=linked, why=ORDER.format(said=order), phrases=tuple(read_phrases(tokens)), is_final=True)
    said = find_unreadable(linked.text, tokens=tokens) or find_misleading(tokens) or find_lost_moment(tokens)
    if said:
        return Parse(linked=linked, unbound=(said,), phrases=tuple(read_phrases(tokens)), is_final=True)
    return _assemble_best(linked, tokens=tokens, lexicon=lexicon, corrected=corrected)


def _unknown(unknown: Sequence[Token], *, tokens: Sequence[Token], linked: LinkedQuestion) -> Parse:
    """Report the unknown words. If most are unknown, the question is hardly English."""
    said = tuple(dict.fromkeys(token.said for token in unknown))[:MAX_REPORTED]
    plain = sum(not token.names and token.number is None for token in tokens)
    is_foreign = len(unknown) * 2 > plain and (len(unknown) > 1 or not unknown[0].said.isascii())
    listed = ", ".join(f"'{word}'" for word in said)
    phrases = tuple(read_phrases([token for token in tokens if token.is_known]))
    why = ENGLISH.format(words=listed) if is_foreign else ""
    return Parse(linked=linked, unbound=said, why=why, phrases=phrases)


def _assemble_best(
    linked: LinkedQuestion, *, tokens: Sequence[Token], lexicon: Lexicon, corrected: Corrections
) -> Parse:
    phrases = read_phrases(tokens)
    if act := find_second_actor(phrases):
        why = TWO_ACTORS.format(said=act.said)
        return Parse(linked=linked, why=why, phrases=tuple(phrases), is_final=True)
    found: list[AssembledQuery] = []
    failures: list[Unbound] = []
    for place, entity in enumerate(lexicon.model.entities):
        if act := find_unknown_act(phrases, entity=entity, model=lexicon.model):
            failures.append(Unbound(act, why=UNKNOWN_ACTOR.format(said=act.said), is_final=place == 0))
            continue
        try:
            found.append(assemble(phrases, entity=entity, lexicon=lexicon))
        except Unbound as unbound:
            failures.append(unbound)
        except ValueError:  # the parts fit no query together
            continue
    if not found:
        return _report_failure(linked, failures=failures, phrases=phrases, model=lexicon.model)
    found.sort(key=lambda one: one.cost)
    best = found[0]
    if best.is_unasked:
        return Parse(linked=linked, unbound=(phrases[0].said,), phrases=tuple(phrases))
    rivals = [one for one in found[1:] if one.cost - best.cost < MARGIN and one.query != best.query]
    if rivals:
        return Parse(linked=linked, readings=(best.query, rivals[0].query), phrases=tuple(phrases))
    assumed = (
        *say_corrections(corrected),
        *keep_assumptions(linked, instead=best.assumptions),
        *_say_teams(tokens, linked=linked),
        *best.assumptions,
    )
    unclear = [one for one in linked.unclear if one.said not in best.resolved_doubts]
    linked = replace(linked, unclear=unclear)
    return Parse(linked=linked, query=best.query, assumptions=assumed, phrases=tuple(phrases))


def keep_assumptions(linked: LinkedQuestion, *, instead: Sequence[str]) -> tuple[str, ...]:
    """Return the assumptions about names and days, except those that the assembly replaced."""
    replaced = {one.partition(" as ")[0] for one in instead if one.startswith("Took ")}
    return tuple(one for one in linked.assumptions if one.partition(" as ")[0] not in replaced)


def _say_teams(tokens: Sequence[Token], *, linked: LinkedQuestion) -> tuple[str, ...]:
    """Say which teams "our" and "Levi's team" stand for."""
    spotted = linked.of_kind("team")
    ours = [token.said for token in tokens if "our" in token.marks and not spotted]
    named = [token for token in tokens if token.kind == "team" and token.names[0] not in spotted]
    return (
        *(f"Took '{said}' as all teams." for said in ours[:1]),
        *(f"Took '{one.said}' as {one.names[0].text}." for one in named),
    )


def _describe_other_rows(phrases: Sequence[Phrase], *, model: SemanticModel) -> str:
    """Say that two numbers are of different rows, so that no query has both: velocity and cycle time by team."""
    nouns = [one for one in phrases if one.kind == "term" and one.has("measure", form="noun") and not one.has("entity")]
    owners = [{model.measures[s.name].entity for s in one.senses if s.kind == "measure" and s.form == "noun"}
              for one in nouns]  # fmt: skip
    is_apart = len(nouns) == 2 and not owners[0] & owners[1]  # noqa: PLR2004
    return ONE_BY_ONE.format(first=nouns[0].said, second=nouns[1].said) if is_apart else ""


def _report_failure(
    linked: LinkedQuestion, *, failures: Sequence[Unbound], phrases: Sequence[Phrase], model: SemanticModel
) -> Parse:  # fmt: skip
    """Report the failure of the most likely entity, which is the first of the model."""
    final = next((one for one in failures if one.is_final), None)
    first = final or (failures[0] if failures else None)
    names = {sense.name for phrase in phrases for sense in phrase.senses}
    is_about_sprints = "sprint" in names or any(is_sprints(phrase) for phrase in phrases)
    why = (first.why if first else "") or _describe_other_rows(phrases, model=model)
    if not why and (is_about_sprints or first is None or not first.phrase):
        why = next((one.why for one in failures if one.why), "")
    unbound = (first.phrase.said,) if first and first.phrase and not why else ()
    return Parse(linked=linked, unbound=unbound, why=why, phrases=tuple(phrases), is_final=final is not None)
