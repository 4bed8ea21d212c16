"""Slots of questions about games: teams, seasons, months, days. Rows are cached for a minute."""

from collections.abc import Sequence
from datetime import date

from linescore import queries
from toolbox.contract.slots import Candidate, Slot
from toolbox.database.caches import TtlCache
from toolbox.database.pools import reader
from toolbox.text.calendar_words import days, months, season, seasons
from toolbox.text.names import NamedEntity, mentions

MEMORY_SECONDS = 60.0
_LONG_NICKNAMES = ("Maple Leafs", "Blue Jackets", "Red Wings", "Golden Knights", "Hockey Club")
_NO_NAME = "Hockey Club"
_FAMILIAR = {
    "CAR": ("Canes",), "CBJ": ("Jackets", "CBJs"), "CHI": ("Hawks",), "COL": ("Avs",), "DET": ("Wings",),
    "EDM": ("Oil",), "FLA": ("Cats",), "MTL": ("Habs",), "NSH": ("Preds",), "NYI": ("Isles",), "NYR": ("Blueshirts",),
    "OTT": ("Sens",), "PHI": ("Philly",), "PIT": ("Pens",), "STL": ("Saint Louis",), "TBL": ("Bolts", "Tampa"),
    "TOR": ("Leafs",), "VAN": ("Nucks",), "VGK": ("Knights", "Golden Knights"), "WSH": ("Caps",),
}  # fmt: skip
_teams: TtlCache[list[NamedEntity]] = TtlCache(seconds=MEMORY_SECONDS)
_months: TtlCache[list[date]] = TtlCache(seconds=MEMORY_SECONDS)
_seasons: TtlCache[list[str]] = TtlCache(seconds=MEMORY_SECONDS)


async def _known_teams() -> list[NamedEntity]:
    return await _teams.get("all", _fetch_teams)


async def _fetch_teams() -> list[NamedEntity]:
    return [_name_team(row) for row in await queries.teams(reader=reader)]


def _name_team(row: dict[str, str]) -> NamedEntity:
    """Collect a team's names: full name, place, nickname, the city it plays in, and what fans call it."""
    code, name = row["team_code"], row["team_name"]
    nickname = next((long for long in _LONG_NICKNAMES if name.endswith(long)), name.rpartition(" ")[2])
    place = name.removesuffix(nickname).strip()
    spellings = (name, place, row["city"], *_FAMILIAR.get(code, ()), *([] if nickname == _NO_NAME else [nickname]))
    return NamedEntity(value=code, label=name, spellings=tuple(filter(None, spellings)), codes=(code,))


async def _find_teams(text: str) -> Sequence[Candidate]:
    return mentions(text, names=await _known_teams())


async def _known_months() -> list[date]:
    return await _months.get("all", lambda: queries.months(reader=reader))


async def _find_months(text: str) -> Sequence[Candidate]:
    return months(text, known=await _known_months())


async def _find_days(text: str) -> Sequence[Candidate]:
    return days(text, known=await _known_months())


async def _known_seasons() -> list[str]:
    return await _seasons.get("all", lambda: queries.seasons(reader=reader))


async def _find_seasons(text: str) -> Sequence[Candidate]:
    return seasons(text, known=await _known_seasons())


async def _latest_season() -> Candidate | None:
    known = await _known_seasons()
    return season(max(known)) if known else None


async def _team_samples() -> list[str]:
    return [team.label for team in await _sample_teams()]


async def _sample_teams() -> list[NamedEntity]:
    """Return the teams, Carolina first, which the documentation uses as its example."""
    return sorted(await _known_teams(), key=lambda team: (team.value != "CAR", team.label))


async def _month_samples() -> list[str]:
    """List months from the middle of the known ones on, when every team has played."""
    known = sorted(await _known_months())
    return [f"{month:%B %Y}" for month in known[len(known) // 2 :]]


async def _day_samples() -> list[str]:
    """List days on which the first sample team played."""
    teams = await _sample_teams()
    known = sorted(await queries.fetch_game_days(teams[0].value, reader=reader)) if teams else []
    return [f"{day:%B} {day.day} {day.year}" for day in known[len(known) // 2 :]]


SLOTS = (
    Slot(name="team", noun="team", resolve=_find_teams, samples=_team_samples),
    Slot(name="month", noun="month", resolve=_find_months, samples=_month_samples),
    Slot(name="date", noun="day", resolve=_find_days, samples=_day_samples),
    Slot(name="season", noun="season", resolve=_find_seasons, samples=_known_seasons, default=_latest_season),
)
