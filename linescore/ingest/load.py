"""Write games: in batches, whole games or nothing, safe to run twice."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import date
from itertools import islice

from django.db import transaction

from linescore.ingest.check import refusal_reason
from linescore.ingest.record import GameScore, PeriodScore, RefusedGame
from linescore.models import Game, Period, Team

BATCH_GAMES = 200


@dataclass(slots=True)
class LoadReport:
    """What became of the games."""

    added: int = 0
    changed: int = 0
    skipped: int = 0
    refused: list[RefusedGame] = field(default_factory=list)

    @property
    def total(self) -> int:
        """Count every game that was read."""
        return self.added + self.changed + self.skipped + len(self.refused)


def load_teams(teams: Iterable[Team]) -> None:
    """Store teams, updating those that are known."""
    Team.objects.bulk_create(
        teams, update_conflicts=True, unique_fields=["team_code"], update_fields=["team_name", "city", "arena"]
    )


def load_games(
    games: Iterable[GameScore | RefusedGame],
    *,
    today: date,
    on_progress: Callable[[LoadReport], None] = lambda report: None,
) -> LoadReport:
    """
    Store games that keep the rules, and name those that do not.

    A batch of 200 games is one transaction: three reads, and writes for what is new or different. Stopped half-way,
    everything reported so far is stored; run again, it is skipped.
    """
    report = LoadReport()
    known_teams = set(Team.objects.values_list("team_code", flat=True))
    source = iter(games)
    while batch := list(islice(source, BATCH_GAMES)):
        _load_batch(list(_accepted(batch, report, known_teams=known_teams, today=today)), report)
        on_progress(report)
    return report


def _accepted(
    batch: Iterable[GameScore | RefusedGame], report: LoadReport, *, known_teams: set[str], today: date
) -> Iterator[GameScore]:
    for game in batch:
        if isinstance(game, RefusedGame):
            report.refused.append(game)
        elif reason := refusal_reason(game, known_teams=known_teams, today=today):
            report.refused.append(RefusedGame(name=str(game.game_id), reason=reason))
        else:
            yield game


def _load_batch(games: list[GameScore], report: LoadReport) -> None:
    games = list({game.game_id: game for game in games}.values())
    with transaction.atomic():
        stored = _stored([game.game_id for game in games])
        different = [game for game in games if stored.get(game.game_id) != game]
        _write(different)
    report.skipped += len(games) - len(different)
    report.changed += sum(game.game_id in stored for game in different)
    report.added += sum(game.game_id not in stored for game in different)


def _stored(game_ids: list[int]) -> dict[int, GameScore]:
    periods: dict[int, list[PeriodScore]] = {game_id: [] for game_id in game_ids}
    columns = [column for column in PeriodScore.__slots__]
    for row in Period.objects.filter(game__in=game_ids).order_by("period_number").values("game_id", *columns):
        periods[row.pop("game_id")].append(PeriodScore(**row))
    games = Game.objects.filter(game_id__in=game_ids).select_for_update()
    return {game.game_id: _score(game, periods[game.game_id]) for game in games}


def _score(game: Game, periods: list[PeriodScore]) -> GameScore:
    return GameScore(
        game_id=game.game_id, season=game.season, game_date=game.game_date, game_kind=game.game_kind,
        home_team_code=game.home_team_id, away_team_code=game.away_team_id, periods=tuple(periods),
    )  # fmt: skip


def _write(games: list[GameScore]) -> None:
    """Replace the games and their periods; the database derives the results."""
    Game.objects.bulk_create(
        [
            Game(
                game_id=game.game_id, season=game.season, game_date=game.game_date, game_kind=game.game_kind,
                home_team_id=game.home_team_code, away_team_id=game.away_team_code,
            )
            for game in games
        ],
        update_conflicts=True, unique_fields=["game_id"],
        update_fields=["season", "game_date", "game_kind", "home_team", "away_team"],
    )  # fmt: skip
    Period.objects.filter(game__in=[game.game_id for game in games]).delete()
    Period.objects.bulk_create(
        Period(game_id=game.game_id, **asdict(period)) for game in games for period in game.periods
    )
