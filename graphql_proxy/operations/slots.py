"""Slots of question patterns from the upstream: its teams, seasons, days, or words of its schema."""

import re
from collections.abc import Sequence
from typing import Any

from graphql_proxy.operations.hockey_contracts import StandingsQuestion
from toolbox.contract.caller import Caller
from toolbox.contract.errors import DatabaseUnavailable, ToolError
from toolbox.contract.slots import Candidate, Slot
from toolbox.database.caches import TtlCache
from toolbox.text.calendar_words import days, months, seasons
from toolbox.text.names import NamedEntity, mentions

MEMORY_SECONDS = 300.0
_MAX_TEAMS = 100
_SHORT = 3
_SAMPLE_TEAMS = ("Carolina Hurricanes", "Boston Bruins")
_ANYBODY = Caller(name="anybody", scopes=frozenset(), key_id=0)
"""Names are the same for every question, so they come only from an upstream that is open to all."""
_teams: TtlCache[list[dict[str, Any]]] = TtlCache(seconds=MEMORY_SECONDS)


async def _known_teams() -> list[dict[str, Any]]:
    """Return the teams in the default upstream's standings, cached. Empty if the upstream does not answer."""
    try:
        return await _teams.get("all", _fetch_teams)
    except (ToolError, DatabaseUnavailable):
        return []


async def _fetch_teams() -> list[dict[str, Any]]:
    from graphql_proxy.operations import hockey  # noqa: PLC0415 - loaded by the first question

    return list((await hockey.standings(StandingsQuestion(limit=_MAX_TEAMS), caller=_ANYBODY)).rows)


async def _find_teams(text: str) -> Sequence[Candidate]:
    return mentions(text, names=[_name_team(row) for row in await _known_teams() if row.get("team")])


def _name_team(row: dict[str, Any]) -> NamedEntity:
    """Return a team's names: the whole, and each prefix and suffix longer than a word like New or Saint."""
    name = str(row["team"])
    parts = name.split()
    halves = [" ".join(half) for at in range(1, len(parts)) for half in (parts[:at], parts[at:])]
    long = tuple(half for half in halves if len(half) > _SHORT)
    return NamedEntity(value=name, label=name, spellings=(name, *long), codes=(str(row.get("teamId") or ""),))


async def _find_seasons(text: str) -> Sequence[Candidate]:
    return seasons(text, known=await _season_samples())


async def _find_days(text: str) -> Sequence[Candidate]:
    return days(text, known=[])


async def _find_months(text: str) -> Sequence[Candidate]:
    return months(text, known=[])


async def _team_samples() -> list[str]:
    known = [str(row["team"]) for row in await _known_teams()]
    return [name for name in _SAMPLE_TEAMS if name in known] or known[:2]


async def _season_samples() -> list[str]:
    """Return the seasons of the table, if the upstream writes them as 2024-2025."""
    said = {str(row.get("season")) for row in await _known_teams()}
    return sorted((name for name in said if re.fullmatch(r"\d{4}-\d{4}", name)), reverse=True)


async def _day_samples() -> list[str]:
    return [f"February {day} {year[5:]}" for year in await _season_samples() for day in (1, 8)]


async def _month_samples() -> list[str]:
    return [f"February {year[5:]}" for year in await _season_samples()]


async def _topic_samples() -> list[str]:
    return ["league standings"]


async def _player_samples() -> list[str]:
    return ["Sebastian Aho"]


SLOTS = (
    Slot(name="team", noun="team", resolve=_find_teams, samples=_team_samples),
    Slot(name="season", noun="season", resolve=_find_seasons, samples=_season_samples),
    Slot(name="date", noun="day", resolve=_find_days, samples=_day_samples),
    Slot(name="month", noun="month", resolve=_find_months, samples=_month_samples),
    Slot(name="topic", noun="topic", samples=_topic_samples),
    Slot(name="player", noun="player", samples=_player_samples),
)
