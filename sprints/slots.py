"""What questions about sprints name for examples: teams. Rows are remembered for a minute."""

from collections.abc import Sequence

from sprints.linking import queries
from toolbox.contract.slots import Candidate, Slot
from toolbox.database.caches import TtlCache
from toolbox.database.pools import reader
from toolbox.text.names import NamedEntity, mentions

MEMORY_SECONDS = 60.0
_teams: TtlCache[list[NamedEntity]] = TtlCache(seconds=MEMORY_SECONDS)


async def _known_teams() -> list[NamedEntity]:
    return await _teams.get("all", _fetch_teams)


async def _fetch_teams() -> list[NamedEntity]:
    """Give every team by its id, which SQL may hold whatever the team is called."""
    rows = await queries.teams(reader=reader)
    return [
        NamedEntity(
            value=row["team_id"], label=row["team_name"], spellings=(row["team_name"],), codes=(row["team_key"],)
        )
        for row in rows
    ]


async def _find_teams(text: str) -> Sequence[Candidate]:
    return mentions(text, names=await _known_teams())


async def _team_samples() -> list[str]:
    return [team.label for team in (await _known_teams())[:2]]


SLOTS = (Slot(name="team", noun="team", resolve=_find_teams, samples=_team_samples),)
