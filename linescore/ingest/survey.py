"""
Survey of a source: what it holds, found by reading it once before anything is stored.

A game may be in several files: as a schedule's final score, a landing, rows of a CSV. Only after all files are read is
it known whether they agree, which teams they name, and how many games to expect. The survey keeps only a hash of each
game, so that memory stays small.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from linescore.ingest.record import FinalScore, GameScore, Record, SkippedGame, TeamRecord, is_team_code


@dataclass(slots=True)
class Survey:
    """What a source holds, without the games themselves."""

    games: dict[int, int] = field(default_factory=dict)
    finals: dict[int, FinalScore] = field(default_factory=dict)
    waiting: dict[int, SkippedGame] = field(default_factory=dict)
    teams: dict[str, TeamRecord] = field(default_factory=dict)
    refused_ids: set[int] = field(default_factory=set)
    contradicted: set[int] = field(default_factory=set)

    @classmethod
    def from_records(cls, records: Iterable[Record]) -> "Survey":
        """Survey all records; an error while reading discards them."""
        survey = cls()
        for record in records:
            survey.add(record)
        return survey

    def add(self, record: Record) -> None:
        """Add one record."""
        if isinstance(record, GameScore):
            self._note_game(record.game_id, digest=hash(record))
            for code in filter(is_team_code, (record.home_team_code, record.away_team_code)):
                self._note_team(TeamRecord(team_code=code, team_name=code))
        elif isinstance(record, FinalScore):
            self._note_final(record)
        elif isinstance(record, SkippedGame):
            self.waiting[record.game_id] = record
        elif isinstance(record, TeamRecord):
            self._note_team(record)
        elif record.game_id is not None:
            self.refused_ids.add(record.game_id)

    def merge(self, other: "Survey") -> None:
        """Add the content of another survey."""
        for game_id, digest in other.games.items():
            self._note_game(game_id, digest=digest)
        for final in other.finals.values():
            self._note_final(final)
        for team in other.teams.values():
            self._note_team(team)
        self.waiting |= other.waiting
        self.refused_ids |= other.refused_ids
        self.contradicted |= other.contradicted

    def final_goals(self) -> dict[int, tuple[int, int]]:
        """Return the final scores by game id, against which games are validated."""
        return {game_id: final.goals for game_id, final in self.finals.items()}

    def not_to_be_stored(
        self, *, reason: str = "only its final score is here, not its periods"
    ) -> Iterator[SkippedGame]:
        """Yield the games that the source names without giving their periods."""
        for game_id, skipped in self.waiting.items():
            if game_id not in self.games:
                yield skipped
        known = self.games.keys() | self.refused_ids | self.waiting.keys()
        for game_id, final in self.finals.items():
            if game_id not in known:
                yield SkippedGame(game_id=game_id, name=final.name, reason=reason)

    def _note_game(self, game_id: int, *, digest: int) -> None:
        if self.games.setdefault(game_id, digest) != digest:
            self.contradicted.add(game_id)

    def _note_final(self, final: FinalScore) -> None:
        if self.finals.setdefault(final.game_id, final).goals != final.goals:
            self.contradicted.add(final.game_id)

    def _note_team(self, team: TeamRecord) -> None:
        known = self.teams.get(team.team_code)
        if known is None or team.rank > known.rank:
            self.teams[team.team_code] = team
