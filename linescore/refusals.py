"""Errors for a query without results: an unknown team, or filters that no game matches."""

import re
from difflib import SequenceMatcher
from typing import Any

from pydantic.alias_generators import to_camel

from linescore import queries
from linescore.addresses import season_of
from linescore.contracts import INVALID_TEAM_CODE, NO_RESULTS, GameFilters
from linescore.ingest.franchises import FRANCHISES
from toolbox.contract.errors import ToolError
from toolbox.database.pools import Pool

MIN_SEASON, MAX_SEASON = "0000-0001", "9999-9999"
MAX_SEASONS_NAMED = 10
MIN_START_LETTERS, MIN_END_LETTERS = 2, 5
SURELY_ALIKE, MAYBE_ALIKE, MARGIN = 0.8, 0.6, 0.06
"""Likeness from which a team is offered as a retry or as a choice, and how far it must exceed the next one's."""
_RELAXED = ("period_outcome", "won_two_plus_reg_periods", "result", "venue", "opponent")
"""Filters other than team, days and season, in the order in which a retry drops them."""


async def no_results(ask: GameFilters, *, reader: Pool) -> ToolError:
    """Build the error that explains why nothing was found; one statement if a team is unknown, else a few."""
    for field, code in (("teamCode", ask.team_code), ("opponent", ask.opponent)):
        if unknown := await _refuse_unknown_team(code, field=field, reader=reader):
            return unknown
    if ask.page > 1 and await queries.has_rows(ask, reader=reader):
        return _past_the_end(ask)
    retry = await _relax(ask, reader=reader)
    return nothing_fits(ask, coverage=await queries.coverage(ask, reader=reader), retry=retry)


def _past_the_end(ask: GameFilters) -> ToolError:
    return ToolError(
        NO_RESULTS,
        f"Page {ask.page} of {ask.limit} rows is past the last row.",
        suggestion="No games found for these filters on this page. Ask for an earlier one.",
        field="page",
        retry_with={"page": 1},
    )


async def _refuse_unknown_team(code: str | None, *, field: str, reader: Pool) -> ToolError | None:
    teams = await queries.teams(reader=reader) if code is not None else []
    known = code is None or code in {team["team_code"] for team in teams}
    return None if known else unknown_team(str(code), teams=teams, field=field)


def asked_seasons(ask: GameFilters) -> tuple[str, str]:
    """
    Return the first and the last season that the query can mean.

    They are the query's season, or else the seasons of its days. A retry never leaves them.
    """
    if ask.season:
        return ask.season, ask.season
    return (
        season_of(ask.start_date) if ask.start_date else MIN_SEASON,
        season_of(ask.end_date) if ask.end_date else MAX_SEASON,
    )


async def _relax(ask: GameFilters, *, reader: Pool) -> dict[str, Any]:
    """
    Find a change of the parameters that gives rows; return {} if there is none.

    It changes as little as possible: drop one filter, else extend the days to the nearest ones with rows, else drop all
    filters, else both. The retry is for the first page.
    """
    given = [name for name in _RELAXED if getattr(ask, name, None) is not None]
    first_page = {"page": 1} if ask.page > 1 else {}
    for name in given:
        if await queries.has_rows(ask.model_copy(update={name: None}), reader=reader):
            return {to_camel(name): None} | first_page
    freed = ask.model_copy(update=dict.fromkeys(given))
    without = {to_camel(name): None for name in given}
    if days := await _reach_nearest_days(ask, reader=reader):
        return days | first_page
    if len(given) > 1 and await queries.has_rows(freed, reader=reader):
        return without | first_page
    days = await _reach_nearest_days(freed, reader=reader) if given else {}
    return days | without | first_page if days else {}


async def _reach_nearest_days(ask: GameFilters, *, reader: Pool) -> dict[str, Any]:
    """Extend the days to the nearest ones with rows, within the seasons that the query can mean."""
    before, after = await queries.nearest_days(ask, seasons=asked_seasons(ask), reader=reader)
    return {name: str(day) for name, day in (("startDate", before), ("endDate", after)) if day}


def unknown_team(given: str, *, teams: list[dict[str, str]], field: str = "teamCode") -> ToolError:
    """Build the error of an unknown team with the valid codes, most similar first; a former club is not a typo."""
    likeness = {team["team_code"]: _likeness(given, team) for team in teams}
    codes = sorted(likeness, key=lambda code: -likeness[code])
    first, second = ([likeness[code] for code in codes] + [0.0, 0.0])[:2]
    club = FRANCHISES.get(given)
    is_sure = club is None and first >= SURELY_ALIKE and first - second > MARGIN
    return ToolError(
        INVALID_TEAM_CODE,
        f"There is no team {given[:40]!r}." if club is None else f"No game of {given} is loaded: {club}.",
        suggestion=f"Valid team codes: {', '.join(codes)}" if codes else "No team is loaded yet; run ingest_linescore.",
        field=field,
        details={"validTeamCodes": codes},
        retry_with={field: codes[0]} if is_sure else None,
    )


def alike(given: str, *, teams: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return the teams that may be meant, most similar first; none if one is clearly meant or none is similar."""
    likeness = {team["team_code"]: _likeness(given, team) for team in teams}
    found = sorted((team for team in teams if likeness[team["team_code"]] >= MAYBE_ALIKE),
                   key=lambda team: -likeness[team["team_code"]])  # fmt: skip
    first, second = ([likeness[team["team_code"]] for team in found] + [0.0, 0.0])[:2]
    return found if second and first - second <= MARGIN else []


def nothing_fits(ask: GameFilters, *, coverage: dict[str, Any], retry: dict[str, Any]) -> ToolError:
    """
    Build the error of filters that no game matches, with the days and seasons of the team's games.

    The retry never leaves the seasons of the query; without a game in these there is no retry.
    """
    first, last, seasons = coverage["first_date"], coverage["last_date"], coverage["seasons"] or []
    whose = ask.team_code or "any team"
    suggestion = "No games found for these filters. Try expanding date range."
    if first is None:
        return ToolError(NO_RESULTS, f"No game of {whose} is loaded.", suggestion=suggestion)
    return ToolError(
        NO_RESULTS,
        f"No game fits: {', '.join(ask.filters()) or 'no filters'}.",
        suggestion=f"{suggestion} Games of {whose} are known from {first} to {last}, "
        f"in {', '.join(seasons[-MAX_SEASONS_NAMED:])}.",
        details={
            "firstDate": str(first),
            "lastDate": str(last),
            "latestSeason": seasons[-1],
            "seasons": seasons[-MAX_SEASONS_NAMED:],
        },
        retry_with=retry or None,
    )


def _likeness(given: str, team: dict[str, str]) -> float:
    """Compare a text with code, name, nickname and city, ignoring case and punctuation; 2 means code or whole name."""
    letters = _letters(given)
    names = (team["team_code"], team["team_name"], team["team_name"].rpartition(" ")[2], team["city"])
    likeness = max(SequenceMatcher(None, letters, _letters(name)).ratio() for name in names if name)
    plain = [_letters(name) for name in names]
    if letters and letters in plain[:2]:  # the code itself, or the whole name
        return 2.0
    begins = len(letters) >= MIN_START_LETTERS and any(name.startswith(letters) for name in plain)
    is_part = begins or (len(letters) >= MIN_END_LETTERS and any(name.endswith(letters) for name in plain))
    return max(likeness, 0.95) if is_part else likeness


def _letters(text: str) -> str:
    return re.sub(r"[^a-z]", "", text[:60].lower())
