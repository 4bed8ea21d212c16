"""Why a question found nothing: an unknown team, or filters that no game fits. Asked only then."""

import re
from difflib import SequenceMatcher
from typing import Any

from linescore import queries
from linescore.contracts import INVALID_TEAM_CODE, NO_RESULTS, LinescoreQuery
from toolbox.errors import ToolError
from toolbox.pool import Pool


async def no_results(ask: LinescoreQuery, *, reader: Pool) -> ToolError:
    """Tell why nothing was found; one statement when the team is unknown, else two."""
    if ask.team_code is not None:
        teams = await queries.teams(reader=reader)
        if ask.team_code not in {team["team_code"] for team in teams}:
            return unknown_team(ask.team_code, teams=teams)
    return nothing_fits(ask, coverage=await queries.coverage(reader=reader))


def unknown_team(given: str, *, teams: list[dict[str, str]]) -> ToolError:
    """Refuse a team by listing the valid codes, the likeliest first."""
    codes = [team["team_code"] for team in sorted(teams, key=lambda team: -_likeness(given, team))]
    return ToolError(
        INVALID_TEAM_CODE,
        f"There is no team {given[:40]!r}.",
        suggestion=f"Valid team codes: {', '.join(codes)}" if codes else "No team is loaded yet; run ingest_linescore.",
        field="teamCode",
        details={"validTeamCodes": codes},
        retry_with={"teamCode": codes[0]} if codes else None,
    )


def nothing_fits(ask: LinescoreQuery, *, coverage: dict[str, Any]) -> ToolError:
    """Refuse filters that no game fits, saying what days and seasons there are."""
    first, last, season = coverage["first_date"], coverage["last_date"], coverage["latest_season"]
    suggestion = "No games found for these filters. Try expanding date range."
    if first is None:
        return ToolError(NO_RESULTS, "No games are loaded yet.", suggestion=suggestion)
    retry: dict[str, Any] = {}
    if ask.start_date or ask.end_date:
        retry |= {"startDate": str(first), "endDate": str(last)}
    if ask.season:
        retry["season"] = season
    return ToolError(
        NO_RESULTS,
        f"No game fits: {', '.join(ask.filters()) or 'no filters'}.",
        suggestion=f"{suggestion} Games are known from {first} to {last}.",
        details={"firstDate": str(first), "lastDate": str(last), "latestSeason": season},
        retry_with=retry,
    )


def _likeness(given: str, team: dict[str, str]) -> float:
    """Compare with code, name, nickname and city, without case or punctuation; 1 is the same."""
    wanted = _letters(given)
    names = (team["team_code"], team["team_name"], team["team_name"].rpartition(" ")[2], team["city"])
    likeness = max(SequenceMatcher(None, wanted, _letters(name)).ratio() for name in names if name)
    begins = wanted and any(_letters(name).startswith(wanted) for name in names)
    return likeness + (0.1 if begins else 0)


def _letters(text: str) -> str:
    return re.sub(r"[^a-z]", "", text[:60].lower())
