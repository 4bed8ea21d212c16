"""The answerer of questions about games: reads them by a grammar, and words the rows of the domain's tools."""

from collections.abc import Sequence
from typing import Any

from linescore.asking.answer_text import word_answers
from linescore.asking.game_question import GameQuestion
from linescore.asking.reading import GameReading, read_game_question
from toolbox.contract.answerer import AnswerText, Choice, Interpretation, PlannedCall
from toolbox.text.names import words
from toolbox.text.word_binding import Term

DOMAIN = "linescore"
SCORE = 0.88
"""Score of a question whose every word is bound: below that of a curated example in its own words."""
_HOCKEY = ("team", "outcome", "ending", "periods", "period", "two_plus")
"""Kinds of terms that only questions about games have."""
KNOWN_WORD_SHARE = 0.5
"""The maximum score of a question with unbound words."""


class LinescoreAnswerer:
    """Answers what the grammar of games can read; a word that it does not know is named."""

    domain = DOMAIN
    tools = frozenset({"list_game_results", "query_linescore_data"})

    async def read(self, question: str, *, before: Interpretation | None = None) -> Interpretation:
        """Read a question, or what it changes in the one before. Queries: the names of teams, months and seasons."""
        earlier = before.subject if before else None
        if before and before.understood and not isinstance(earlier, GameQuestion):  # a curated example answered it
            earlier = (await read_game_question(before.understood)).query
        return _rate(question, await read_game_question(question, before=earlier), leans=earlier is not None)

    def word(self, reading: Interpretation, *, answers: Sequence[Any]) -> AnswerText | PlannedCall:
        """Word the answers, or return the call for the second team."""
        query: GameQuestion = reading.subject
        if len(answers) < len(query.calls):
            return _plan(query, at=len(answers))
        is_guess = query.span.is_default
        assumed = (
            (f"The question names no time: it is answered {query.span.label}, the latest season.",) if is_guess else ()
        )
        return AnswerText(text=word_answers(query, answers=answers), assumptions=assumed)


def _rate(question: str, reading: GameReading, *, leans: bool) -> Interpretation:
    bound, query = reading.bound, reading.query
    if reading.unclear and not bound.unbound and bound.list_terms("team"):
        return _ask_which(question, term=reading.unclear)
    if query is None or bound.unbound:
        why = f"The word '{bound.unbound[0].written}' is not understood." if bound.unbound else reading.why
        share = 1 - len(bound.unbound) / (len(words(question)) or 1)
        is_about_games = any(bound.list_terms(kind) for kind in _HOCKEY)
        return Interpretation(
            domain=DOMAIN, state="not_covered", question=question, clarification=why,
            nearest=(str(reading.nearest),) if reading.nearest else (),
            score=KNOWN_WORD_SHARE * share if is_about_games else 0.0,
        )  # fmt: skip
    return Interpretation(
        domain=DOMAIN, state="covered", question=question, score=SCORE, understood=str(query), call=_plan(query, at=0),
        leans=leans and reading.is_elliptical, names=tuple(team.name for team in query.teams), subject=query,
        period=query.span.label.removeprefix("in ").removeprefix("on ") if reading.says_time else "",
    )  # fmt: skip


def _ask_which(question: str, *, term: Term) -> Interpretation:
    labels = list(dict.fromkeys(one.label for one in term.candidates))
    choices = tuple(
        Choice(label=label, question=question[: term.start] + label + question[term.end :]) for label in labels
    )
    return Interpretation(
        domain=DOMAIN, state="unclear", question=question, score=SCORE, choices=choices,
        clarification=f"Which {term.kind} do you mean: {', '.join(labels)}?",
    )  # fmt: skip


def _plan(query: GameQuestion, *, at: int) -> PlannedCall:
    tool, arguments = query.calls[at]
    return PlannedCall(tool=tool, arguments=arguments)
