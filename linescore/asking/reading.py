"""Read a question about games: bind its words, then build a GameQuestion from the terms. Reads no clock."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any, Literal, cast

from linescore.asking.game_question import Ending, GameQuestion, Team, TimeSpan
from linescore.slots import SLOTS
from toolbox.contract.slots import Candidate, Slot
from toolbox.text.word_binding import FILLER, NUMBER, BoundQuestion, Term, bind_words, make_vocabulary

DEFAULT_LATEST = 5
MAX_LATEST = 50
MAX_TEAMS = 2
_YEAR = re.compile(r"(?<![-\d/])(?:19|20)\d\d(?![-\d/])")
_TIMES = ("date", "month", "year", "season")

VOCABULARY = make_vocabulary(
    {
        (
            FILLER,
            "",
        ): "a,an,the,of,in,on,for,during,to,do,does,did,done,is,are,was,were,have,has,had,me,us,please,can,could,"
        "you,tell,show,list,give,what,how,many,much,often,times,number,there,game,games,match,matches,"
        "play,played,plays,team,teams,club,result,results,record,perform,performed,season,hockey,nhl,goal,goals,"
        "score,scored,scores,allow,allowed,concede,conceded,go,went,end,ended,decided,by,any,each,summarize,summarise,summary,frequently,rank",
        ("which", ""): "which,what games,what losses,what wins",
        ("who", ""): "who,whom",
        ("outcome", "WIN"): "win,wins,won,winning,victory,victories,beat,beats,defeat,defeated,dominate,dominated",
        ("outcome", "LOSS"): "lose,loses,lost,loss,losses,losing,fall to,fell to",
        ("outcome", "TIE"): "tie,ties,tied,draw,draws,drew",
        ("against", ""): "against,vs,versus,v",
        ("meet", ""): "head to head,meet,met,each other,between",
        ("venue", "home"): "home,at home,home game,home games,on home ice",
        ("venue", "away"): "away,on the road,road,road games",
        ("at", ""): "at",
        ("ending", "OT"): "overtime,ot",
        ("ending", "SO"): "shootout,shootouts,so,penalty shots",
        ("ending", "BEYOND"): "overtime or shootout,overtime or a shootout,extra time",
        ("ending", "REG"): "regulation,regulation time,in regulation",
        ("period", "1"): "first period,period 1,period one,1st period,first periods",
        ("period", "2"): "second period,period 2,period two,2nd period,second periods",
        ("period", "3"): "third period,period 3,period three,3rd period,third periods",
        ("periods", ""): "period,periods",
        ("split", ""): "period by period,by period,each period,per period",
        ("two_plus", ""): "two or more,at least two,at least 2,2 or more,two or three,two plus",
        ("regulation_periods", ""): "regulation periods,regulation period",
        ("most", ""): "most,best,top",
        ("latest", ""): "last,latest,recent,most recent,past",
        ("margin", "largest"): "biggest,largest,worst,highest",
        ("and", ""): "and,or",
        ("compare", ""): "compare,compared,comparison",
        ("from", ""): "from",
        ("since", ""): "since,starting",
        ("after", ""): "after",
        ("before", ""): "before",
        ("until", ""): "until,till,through,up to",
    }
)


async def _find_years(text: str) -> Sequence[Candidate]:
    return [
        Candidate(
            value=year[0], label=year[0], start=year.start(), end=year.end(),
            parts={"start": f"{year[0]}-01-01", "end": f"{year[0]}-12-31"},
        )
        for year in _YEAR.finditer(text)
    ]  # fmt: skip


async def _no_samples() -> Sequence[str]:
    return ()


_ALL_SLOTS = (*SLOTS, Slot(name="year", noun="year", resolve=_find_years, samples=_no_samples))


@dataclass(frozen=True, slots=True, kw_only=True)
class GameReading:
    """
    A question's query, or why there is none.

    `query` is also given beside unbound words: it is what the rest of the question asks. `unclear` is a mention with
    several readings. `is_elliptical` means that the question says only filters, which change the question before.
    `nearest` is a question about the same team, or about all.
    """

    bound: BoundQuestion
    query: GameQuestion | None = None
    unclear: Term | None = None
    why: str = ""
    is_elliptical: bool = False
    says_time: bool = False
    nearest: GameQuestion | None = None


class CannotReadError(Exception):
    """The terms do not make a question that the tools can answer; the message says why."""


async def read_game_question(text: str, *, before: GameQuestion | None = None) -> GameReading:
    """Read a question; `before` is changed by one that says only what differs ("and at home?"). Queries: the slots'."""
    bound = await bind_words(text, slots=_ALL_SLOTS, vocabulary=VOCABULARY)
    unclear = next((term for term in bound.terms if len({one.value for one in term.candidates}) > 1), None)
    default = await _default_span()
    try:
        filters = _Filters(bound, default=default)
        is_elliptical = filters.is_elliptical
        query = filters.change(before) if before and is_elliptical else filters.build()
    except CannotReadError as error:
        return GameReading(bound=bound, unclear=unclear, why=str(error), nearest=_find_nearest(bound, span=default))
    return GameReading(
        bound=bound, query=query, unclear=unclear, is_elliptical=is_elliptical, says_time=filters.span is not None,
        nearest=query,
    )  # fmt: skip


def _find_nearest(bound: BoundQuestion, *, span: TimeSpan | None) -> GameQuestion | None:
    """Return a question that can be answered: about the first team that is named, or a ranking."""
    if span is None:
        return None
    teams = tuple(Team(code=term.value, name=term.candidates[0].label) for term in bound.list_terms("team")[:1])
    outcome: Literal["WIN"] = "WIN"
    return GameQuestion(
        measure="record" if teams else "ranking", span=span, teams=teams, outcome=None if teams else outcome
    )


async def _default_span() -> TimeSpan | None:
    season = next(slot for slot in SLOTS if slot.name == "season")
    latest = await season.default() if season.default else None
    return _of_season(latest.value, label=latest.label, is_default=True) if latest else None


class _Filters:
    """The filters that a question's terms say. Raises CannotReadError for what cannot be combined."""

    def __init__(self, bound: BoundQuestion, *, default: TimeSpan | None) -> None:
        self.bound, self.default = bound, default
        self.used: set[int] = {term.start for term in bound.list_terms("at")}
        self.span = self._read_span()
        self.teams = [Team(code=term.value, name=term.candidates[0].label) for term in self._take("team")]
        if len(self.teams) > MAX_TEAMS:
            raise CannotReadError("One or two teams can be asked about at once.")
        self.outcome = cast(Literal["WIN", "LOSS", "TIE"] | None, self._take_one("outcome"))
        self.venue = cast(Literal["home", "away"] | None, self._take_one("venue"))
        self.period = self._take_one("period")
        self.latest = self._read_latest()
        self.by_margin = bool(self._take("margin"))

    @property
    def is_elliptical(self) -> bool:
        """Return whether the question says only a time, teams, a venue, or what connects them."""
        only = {*_TIMES, "team", "venue", "and", "against", "at", "since", "after", "before", "until", "from", "meet"}
        words = {word.lower() for word in re.findall(r"\w+", self.bound.text)}
        return all(term.kind in only for term in self.bound.terms) and not words & _WHOLE

    def change(self, before: GameQuestion) -> GameQuestion:
        """Return the question before with what this one says instead."""
        self._take("and")
        against = self._take_markers_of_teams()
        changed = replace(before, span=self.span or before.span, venue=self.venue or before.venue)
        if self.teams and against:
            changed = replace(changed, opponent=self.teams[0])
        elif self.teams:
            changed = replace(changed, teams=tuple(self.teams))
        self._check_all_used()
        return _check(changed)

    def build(self) -> GameQuestion:
        """Return the question that the terms make."""
        span = self.span or self.default
        if span is None:
            raise CannotReadError("No season is loaded.")
        query = self._build_of_teams(span) if self.teams else self._build_of_all(span)
        self._check_all_used()
        return _check(query)

    def _build_of_all(self, span: TimeSpan) -> GameQuestion:
        asks_which = bool([*self._take("which"), *self._take("who")])
        if self._take("two_plus"):
            self._take_periods()
            if self.outcome != "WIN" or not asks_which or not span.is_day:
                raise CannotReadError("Of all teams, two or more periods won can be asked about one day.")
            return GameQuestion(measure="two_plus", span=span, outcome="WIN")
        says_periods = self._take_periods()
        if self._take("most") or (says_periods and asks_which):
            if not self.outcome or (self._says_games() and not says_periods):
                raise CannotReadError("Teams are ranked by the periods that they won, lost or tied.")
            return GameQuestion(measure="ranking", span=span, outcome=self.outcome)
        if self.venue or self.period or self.latest or self.by_margin or self.outcome or span.is_default:
            raise CannotReadError("Name a team.")
        return GameQuestion(measure="games", span=span, ending=self._read_ending())

    def _build_of_teams(self, span: TimeSpan) -> GameQuestion:
        teams, opponent = self._split_teams()
        common: dict[str, Any] = {"span": span, "teams": teams, "opponent": opponent, "venue": self.venue}
        if self._take("two_plus"):
            if self.outcome != "WIN" or not self._take_periods() or len(teams) > 1:
                raise CannotReadError("Two or more periods can be asked about as won, of one team.")
            return GameQuestion(measure="two_plus", outcome="WIN", **common)
        if self.period:
            self._take("outcome")
            return GameQuestion(measure="periods", period=int(self.period), **common)
        if self._take("split") or (self._take("margin") and self.by_margin and self._take_periods()):
            return GameQuestion(measure="periods", **common)
        if self._take_periods():
            return GameQuestion(measure="record", **common)
        ending = self._read_ending()
        asks_which = bool(self._take("which"))
        if self.by_margin and self.outcome not in ("WIN", "LOSS"):
            raise CannotReadError("The biggest can be asked of wins and of losses.")
        if self._take("who") and not opponent:
            raise CannotReadError("Only teams are known here, not players.")
        if ending or self.latest or self.by_margin or (asks_which and (self.outcome or not opponent)):
            latest = self.latest or (DEFAULT_LATEST if self.by_margin else None)
            if len(teams) > 1:
                raise CannotReadError("Games can be listed of one team at once.")
            return GameQuestion(
                measure="games", outcome=self.outcome, ending=ending, latest=latest, by_margin=self.by_margin, **common
            )
        return GameQuestion(measure="record", **common)

    def _split_teams(self) -> tuple[tuple[Team, ...], Team | None]:
        """Return whom the question is about, and whom they played."""
        places = [term.start for term in self.bound.list_terms("team")]
        markers = self._take_markers_of_teams()
        compares, meets, connects = bool(self._take("compare")), bool(self._take("meet")), self._take("and")
        if len(self.teams) == 1:
            if markers:
                raise CannotReadError(f"Name the team that played {markers[0].written} {self.teams[0].name}.")
            if meets or compares:
                raise CannotReadError("Name the other team.")
            return tuple(self.teams), None
        first, second = self.teams
        if first == second:
            raise CannotReadError("Name two different teams.")
        is_between = any(places[0] < term.start < places[1] for term in self.bound.list_terms("outcome"))
        if compares and not meets:
            self._take("against")
            return (first, second), None
        if markers or meets or is_between:
            is_first_marked = bool(markers) and markers[0].end <= places[0]
            return ((second,), first) if is_first_marked else ((first,), second)
        if connects:
            return (first, second), None
        raise CannotReadError(f"Say 'against' or 'and' between {first.name} and {second.name}.")

    def _take_markers_of_teams(self) -> list[Term]:
        """Take "against" and "at" before a team; "at" also says that the game was away."""
        places = {term.start for term in self.bound.list_terms("team")}
        markers = [*self._take("against")]
        for at in self.bound.list_terms("at"):
            is_before_team = any(self.bound.text[at.end : place].strip().lower() in ("", "the") for place in places)
            if is_before_team:
                self.venue = self.venue or "away"
                markers.append(at)
        return sorted(markers, key=lambda term: term.start)

    def _read_span(self) -> TimeSpan | None:
        times = [term for term in self.bound.terms if term.kind in _TIMES]
        years = {str(term.value)[:4] for term in times if term.kind in ("date", "month")}
        times = [self._use(term) for term in times if not (term.kind == "year" and term.value in years)]
        for term in self.bound.list_terms("year"):
            self._use(term)
        marks = [self._find_mark(term) for term in times]
        if not times:
            return None
        if len(times) == 1:
            return _mark_span(times[0], mark=marks[0])
        if len(times) > MAX_TEAMS or "season" in {term.kind for term in times}:
            raise CannotReadError("Say one time: a day, a month, a year, a season, or from one day to another.")
        kinds = {term.kind for term in self.bound.terms if times[0].end <= term.start < times[1].start}
        if not kinds & {"and", "until"} and self.bound.text[times[0].end : times[1].start].strip().lower() not in (
            "to",
            "-",
        ):
            raise CannotReadError("Say the two times as 'between … and …'.")
        between = [
            term
            for term in self.bound.list_terms("meet")
            if term.written.lower() == "between" and term.end <= times[0].start
        ]
        connecting = [term for term in self.bound.list_terms("and") if times[0].end <= term.start < times[1].start]
        for term in (*between, *connecting):
            self._use(term)
        if connecting and not between and marks[0] != "from":
            raise CannotReadError("Say the two times as 'between … and …'.")
        start, end = times[0].candidates[0], times[1].candidates[0]
        first, last = start.parts.get("start", start.value), end.parts.get("end", end.value)
        if first > last:
            raise CannotReadError("The first time is after the second.")
        return TimeSpan(label=f"between {start.label} and {end.label}", arguments=_days(first, last))

    def _find_mark(self, time: Term) -> str:
        """Take and return the kind of the preposition directly before a time, if it changes what is meant."""
        for term in self.bound.terms:
            is_beside = self.bound.text[term.end : time.start].strip().lower() in ("", "the", "in", "on")
            if term.kind in ("since", "after", "before", "until", "from") and is_beside:
                self._use(term)
                return term.kind
        return ""

    def _read_latest(self) -> int | None:
        """Return the number beside "last" or "biggest"; the default for "last" alone."""
        marks = [*self._take("latest"), *self.bound.list_terms("margin")]
        beside = [term for term in self.bound.list_terms(NUMBER) if any(self._are_adjacent(one, term) for one in marks)]
        if not beside:
            return DEFAULT_LATEST if self.bound.list_terms("latest") else None
        number = int(self._use(beside[0]).value)
        if not 1 <= number <= MAX_LATEST:
            raise CannotReadError(f"Between 1 and {MAX_LATEST} games can be listed.")
        return number

    def _are_adjacent(self, one: Term, other: Term) -> bool:
        first, second = sorted((one, other), key=lambda term: term.start)
        return not self.bound.text[first.end : second.start].strip()

    def _read_ending(self) -> Ending | None:
        said = {term.value for term in self._take("ending")}
        if said == {"OT", "SO"}:
            return "BEYOND"
        if len(said) > 1:
            raise CannotReadError("Say one of regulation, overtime and shootout.")
        return cast(Ending, said.pop()) if said else None

    def _take_periods(self) -> bool:
        return bool([*self._take("periods"), *self._take("regulation_periods")])

    def _says_games(self) -> bool:
        return bool(re.search(r"\b(?:games?|match(?:es)?|wins?|loss(?:es)?|victor(?:y|ies))\b", self.bound.text, re.I))

    def _take(self, kind: str) -> list[Term]:
        """Mark the terms of a kind as used and return those that were not used before."""
        return [self._use(term) for term in self.bound.list_terms(kind) if term.start not in self.used]

    def _take_one(self, kind: str) -> str | None:
        said = {term.value for term in self._take(kind)}
        if len(said) > 1:
            listed = " and ".join(f"'{term.written}'" for term in self.bound.list_terms(kind))
            raise CannotReadError(f"Ask about {listed} one at a time.")
        return said.pop() if said else None

    def _use(self, term: Term) -> Term:
        self.used.add(term.start)
        return term

    def _check_all_used(self) -> None:
        """Raise for a term that changed nothing: the answer would be that of another question."""
        left = next((term for term in self.bound.terms if term.start not in self.used), None)
        if left:
            raise CannotReadError(f"'{left.written}' cannot be combined with the rest of the question.")


_WHOLE = frozenset({"how", "did", "do", "does", "was", "were", "is", "are", "many", "often", "show", "list", "tell"})
"""Words of a whole question; without them it is elliptical."""


def _check(query: GameQuestion) -> GameQuestion:
    """Return the question; raises CannotReadError for what the tools cannot answer."""
    if query.venue and len(query.teams) != 1:
        raise CannotReadError("Home and away can be asked of one team.")
    if query.opponent and query.opponent in query.teams:
        raise CannotReadError("Name two different teams.")
    if query.measure == "ranking" and query.teams:
        return replace(query, teams=())
    return query


def _mark_span(time: Term, *, mark: str) -> TimeSpan:
    one = time.candidates[0]
    if time.kind == "season":
        if mark:
            raise CannotReadError(f"'{mark}' cannot be said of a season; say a day or a month.")
        return _of_season(one.value, label=one.label)
    first, last = one.parts.get("start", one.value), one.parts.get("end", one.value)
    before, after = date.fromisoformat(first) - timedelta(days=1), date.fromisoformat(last) + timedelta(days=1)
    if mark in ("since", "from"):
        return TimeSpan(label=f"since {one.label}", arguments=(("startDate", first),))
    if mark == "after":
        return TimeSpan(label=f"after {one.label}", arguments=(("startDate", str(after)),))
    if mark == "before":
        return TimeSpan(label=f"before {one.label}", arguments=(("endDate", str(before)),))
    if mark == "until":
        return TimeSpan(label=f"until {one.label}", arguments=(("endDate", last),))
    is_day = time.kind == "date"
    return TimeSpan(label=f"{'on' if is_day else 'in'} {one.label}", arguments=_days(first, last), is_day=is_day)


def _of_season(value: str, *, label: str, is_default: bool = False) -> TimeSpan:
    return TimeSpan(label=f"in {label}", arguments=(("season", value),), is_default=is_default)


def _days(first: str, last: str) -> tuple[tuple[str, str], ...]:
    return (("startDate", first), ("endDate", last))
