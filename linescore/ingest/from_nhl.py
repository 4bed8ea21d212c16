"""Ingestion from the NHL's web API: the schedule lists the games, then each day or game is fetched for its goals."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

from linescore.ingest.fetch import Wire
from linescore.ingest.from_files import OnStep, SourceOptions, ignore_progress, load_rules
from linescore.ingest.load import TeamRules, load_games, load_teams, record_missing
from linescore.ingest.nhl_documents import SchedulePage
from linescore.ingest.parse import read_answer, read_json
from linescore.ingest.parse_nhl import KINDS, read_schedule, scheduled_game
from linescore.ingest.record import FinalScore, GameScore, NotReadable, Record, Refusal, SkippedGame
from linescore.ingest.report import LoadReport
from linescore.ingest.survey import Survey

Endpoint = Literal["score", "landing", "play-by-play"]

BATCH_GAMES = 25
MAX_PAGES = 120
MAX_FAILURES_IN_A_ROW = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """The days to fetch, both inclusive; if a season is named, only its games."""

    first: date
    last: date
    season: int | None = None

    @classmethod
    def of_season(cls, first_year: int) -> "Span":
        """Return the span of a season, from its preseason to the latest day on which a final was ever played."""
        season = first_year * 10_000 + first_year + 1
        return cls(first=date(first_year, 8, 1), last=date(first_year + 1, 9, 30), season=season)


@dataclass(slots=True)
class _Plan:
    """The games to fetch, by day."""

    survey: Survey = field(default_factory=Survey)
    days: dict[date, list[int]] = field(default_factory=dict)


def ingest_nhl(
    wire: Wire,
    *,
    span: Span,
    wanted: SourceOptions,
    endpoint: Endpoint = "score",
    on_step: OnStep = ignore_progress,
) -> LoadReport:
    """
    Store the games of a span of days.

    `score` needs one request a day; `landing` and `play-by-play` need one a game. A document that cannot be fetched is
    reported and the rest is stored; after three failures in a row no more is fetched.
    """
    report, plan = LoadReport(), _Plan()
    last = min(span.last, wanted.today)
    for start, page in _pages(wire, first=span.first, last=last, report=report):
        on_step("reading the schedule", (start - span.first).days, (last - span.first).days)
        _note(page, plan=plan, span=span, last=last, wanted=wanted)
    report.expected = sum(map(len, plan.days.values()))
    load_teams(plan.survey.teams.values(), rules=TeamRules(adds_mentioned=wanted.adds_teams), report=report)
    load_games(
        _games(wire, plan=plan, endpoint=endpoint, report=report),
        rules=load_rules(plan.survey, wanted=wanted, batch_games=BATCH_GAMES), report=report,
        on_progress=lambda report: on_step("storing games", report.total, report.expected),
    )  # fmt: skip
    not_fetched = list(plan.survey.not_to_be_stored(reason="its goals could not be fetched"))
    report.left_out += not_fetched
    played = [one for one in not_fetched if one.game_id not in plan.survey.waiting]
    record_missing(
        (Refusal(name=one.name, reason=one.reason, game_id=one.game_id) for one in played), today=wanted.today
    )
    return report


def _pages(wire: Wire, *, first: date, last: date, report: LoadReport) -> Iterator[tuple[date, SchedulePage]]:
    """Yield the schedule week by week; each page names the next day with games, which may be months away in summer."""
    start: date | None = first
    for _ in range(MAX_PAGES):
        if start is None or start > last:
            return
        path = f"/v1/schedule/{start}"
        try:
            page = read_schedule(read_json(wire.get(path)))
        except NotReadable as error:
            report.unreadable.append(Refusal(name=path, reason=str(error)))
            return
        yield start, page
        start = page.next_start_date if page.next_start_date and page.next_start_date > start else None
    if start is not None and start <= last:
        reason = f"after {MAX_PAGES} weeks of schedule; ask again from {start}"
        report.unreadable.append(Refusal(name=f"/v1/schedule/{start}", reason=reason))


def _note(page: SchedulePage, *, plan: _Plan, span: Span, last: date, wanted: SourceOptions) -> None:
    for day in page.game_week:
        if not span.first <= day.date <= last:
            continue
        for raw in day.games:
            if not _is_wanted(raw, span=span, wanted=wanted):
                continue
            for record in scheduled_game(raw, day=day.date):
                plan.survey.add(record)
                if isinstance(record, FinalScore):
                    plan.days.setdefault(day.date, []).append(record.game_id)


def _is_wanted(raw: Any, *, span: Span, wanted: SourceOptions) -> bool:
    """Return whether to load a scheduled game; true for a malformed one, so that it is reported as refused."""
    if not isinstance(raw, dict):
        return True
    kind = raw.get("gameType")
    of_season = span.season is None or raw.get("season", span.season) == span.season
    return of_season and (not isinstance(kind, int) or KINDS.get(kind, "PRE") in wanted.kinds)


def _games(wire: Wire, *, plan: _Plan, endpoint: Endpoint, report: LoadReport) -> Iterator[GameScore | Refusal]:
    failures = 0
    for path, game_ids in _paths(plan, endpoint=endpoint):
        try:
            records = list(read_answer(wire.get(path)))
        except NotReadable as error:
            report.unreadable.append(Refusal(name=path, reason=str(error)))
            failures += 1
            if failures == MAX_FAILURES_IN_A_ROW:
                return
            continue
        failures = 0
        yield from _select_games(records, game_ids=game_ids, survey=plan.survey)


def _select_games(records: list[Record], *, game_ids: set[int], survey: Survey) -> Iterator[GameScore | Refusal]:
    for record in records:
        if isinstance(record, GameScore | Refusal | SkippedGame) and record.game_id in game_ids:
            survey.add(record)
            if not isinstance(record, SkippedGame):
                yield record


def _paths(plan: _Plan, *, endpoint: Endpoint) -> Iterator[tuple[str, set[int]]]:
    for day, game_ids in plan.days.items():
        if endpoint == "score":
            yield f"/v1/score/{day}", set(game_ids)
        else:
            for game_id in game_ids:
                yield f"/v1/gamecenter/{game_id}/{endpoint}", {game_id}
