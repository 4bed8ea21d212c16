"""Writing of teams and games, in batches; idempotent, and a game is stored whole or not at all."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import date
from itertools import islice

from django.db import transaction

from linescore.ingest.check import Surroundings, refusal_reason
from linescore.ingest.franchises import FRANCHISES
from linescore.ingest.record import (
    GameScore,
    PeriodScore,
    Refusal,
    SkippedGame,
    TeamRecord,
    is_season,
    is_team_code,
    printable,
)
from linescore.ingest.report import LoadReport
from linescore.models import Game, MissingGame, Period, Team

MAX_REASON_CHARACTERS = 200
_MISSING_COLUMNS = ("season", "game_date", "home_team_code", "away_team_code")
OnProgress = Callable[[LoadReport], None]


def ignore_progress(report: LoadReport) -> None:
    """Ignore progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamRules:
    """
    Which teams may be written.

    A code that only games mention may be a typo, an all-star team or a country, so such a team is added only with
    `adds_mentioned`; former clubs are known and always added. With `replaces_stored` a listed team overwrites the
    stored one, which a curator may have corrected.
    """

    adds_mentioned: bool = False
    replaces_stored: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadRules:
    """
    How to load: today's date, what the source says besides the games, and the size of a transaction.

    Without `replaces_stored` a stored game is not changed, because a curator may have corrected it.
    """

    today: date
    finals: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    contradicted: frozenset[int] = frozenset()
    replaces_stored: bool = True
    batch_games: int = 200


def load_teams(teams: Iterable[TeamRecord], *, rules: TeamRules, report: LoadReport) -> None:
    """Store teams; refuse a team whose name belongs to another code."""
    with transaction.atomic():
        stored = {team.team_code: team for team in Team.objects.all()[:1000]}
        holders = {team.team_name: team.team_code for team in stored.values()}
        for mentioned in teams:
            team = _as_listed(mentioned)
            known = stored.get(team.team_code)
            if not _may_be_written(team, known=known, rules=rules):
                continue
            if holders.setdefault(team.team_name, team.team_code) != team.team_code:
                reason = f"its name, {team.team_name}, is that of {holders[team.team_name]}"
                report.refused.append(Refusal(name=f"team {team.team_code}", reason=reason))
            else:
                stored[team.team_code] = _write_team(team, known=known)
                (report.teams_changed if known else report.teams_added).append(team.team_code)


def load_games(
    games: Iterable[GameScore | Refusal | SkippedGame],
    *,
    rules: LoadRules,
    report: LoadReport,
    on_progress: OnProgress = ignore_progress,
) -> LoadReport:
    """
    Store valid games and report the others.

    A batch is one transaction: three reads, and writes for new and changed games. An interrupted load keeps the batches
    reported so far; the next run skips their games. A game that the source repeats counts once.
    """
    known_teams = frozenset(Team.objects.values_list("team_code", flat=True)[:1000])
    around = Surroundings(
        known_teams=known_teams, today=rules.today, finals=rules.finals, contradicted=rules.contradicted
    )
    source = _check_games(_drop_repeats(games), report=report, around=around)
    refused_before = len(report.refused)
    while batch := list(islice(source, rules.batch_games)):
        _load_batch([game for game in batch if game], report=report, replaces_stored=rules.replaces_stored)
        record_missing(report.refused[refused_before:], today=rules.today)
        refused_before = len(report.refused)
        on_progress(report)
    return report


def _drop_repeats(games: Iterable[GameScore | Refusal | SkippedGame]) -> Iterator[GameScore | Refusal | SkippedGame]:
    seen: set[int] = set()
    for game in games:
        if isinstance(game, GameScore):
            if game.game_id in seen:
                continue
            seen.add(game.game_id)
        yield game


def _check_games(
    games: Iterable[GameScore | Refusal | SkippedGame], *, report: LoadReport, around: Surroundings
) -> Iterator[GameScore | None]:
    """Yield valid games, and None for each other game, so that a batch ends even if all its games are refused."""
    for game in games:
        accepted = None
        if isinstance(game, Refusal):
            report.refused.append(game)
        elif isinstance(game, SkippedGame):
            report.left_out.append(game)
        elif reason := refusal_reason(game, around=around):
            reason = printable(reason, most=MAX_REASON_CHARACTERS)
            report.refused.append(Refusal(name=game.name, reason=reason, game_id=game.game_id, game=game))
        else:
            accepted = game
        yield accepted


def _load_batch(games: list[GameScore], *, report: LoadReport, replaces_stored: bool) -> None:
    if not games:
        return
    with transaction.atomic():
        stored = _fetch_stored([game.game_id for game in games])
        new = [game for game in games if game.game_id not in stored]
        different = [game for game in games if replaces_stored and stored.get(game.game_id, game) != game]
        _write(sorted(new + different, key=lambda game: game.game_id))
        MissingGame.objects.filter(game_id__in=[game.game_id for game in games]).delete()
    report.added += len(new)
    report.changed += len(different)
    report.unchanged += len(games) - len(new) - len(different)


def record_missing(refused: Iterable[Refusal], *, today: date) -> None:
    """Record refused games that were played and are not stored; answers about their season give their number."""
    rows = (_missing_game(one) for one in refused)
    missing = {row.game_id: row for row in rows if row and (row.game_date is None or row.game_date <= today)}
    stored = set(Game.objects.filter(game_id__in=missing).values_list("game_id", flat=True)[: len(missing)])
    MissingGame.objects.bulk_create(
        [row for game_id, row in missing.items() if game_id not in stored],
        update_conflicts=True, unique_fields=["game_id"], update_fields=[*_MISSING_COLUMNS, "reason"],
    )  # fmt: skip


def _missing_game(refused: Refusal) -> MissingGame | None:
    """Build the row of a refused game; return None if its season is unknown, since no answer could count it."""
    game = refused.game
    season = game.season if game else _season_of_id(refused.game_id)
    if refused.game_id is None or not 0 < refused.game_id < 2**63 or not is_season(season):
        return None
    known = {name: getattr(game, name) for name in _MISSING_COLUMNS} if game else {"season": season}
    if not all(is_team_code(known.get(f"{side}_team_code", "AAA")) for side in ("home", "away")):
        known |= {"home_team_code": "", "away_team_code": ""}
    return MissingGame(game_id=refused.game_id, reason=refused.reason[:MAX_REASON_CHARACTERS], **known)


def _season_of_id(game_id: int | None) -> str:
    """Derive the season from an NHL id, whose first four digits are the year in which the season began."""
    first = int(str(game_id)[:4]) if re.fullmatch("(19|20)[0-9]{2}0[1-4][0-9]{4}", str(game_id)) else 0
    return f"{first}-{first + 1}" if first else ""


def _fetch_stored(game_ids: list[int]) -> dict[int, GameScore]:
    games = list(Game.objects.filter(game_id__in=game_ids).order_by("game_id").select_for_update())
    periods: dict[int, list[PeriodScore]] = {game_id: [] for game_id in game_ids}
    columns = PeriodScore.__slots__
    for row in Period.objects.filter(game__in=game_ids).order_by("period_number").values("game_id", *columns):
        periods[row.pop("game_id")].append(PeriodScore(**row))
    return {game.game_id: _score(game, periods=periods[game.game_id]) for game in games}


def _score(game: Game, *, periods: list[PeriodScore]) -> GameScore:
    return GameScore(
        game_id=game.game_id, season=game.season, game_date=game.game_date, game_kind=game.game_kind,
        home_team_code=game.home_team_id, away_team_code=game.away_team_id, periods=tuple(periods),
    )  # fmt: skip


def _write(games: list[GameScore]) -> None:
    """Replace the games and their periods; triggers derive the results."""
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


def _as_listed(team: TeamRecord) -> TeamRecord:
    """Add name and city to a former club that only games mention."""
    club = FRANCHISES.get(team.team_code)
    if club is None or team.is_listed:
        return team
    return TeamRecord(team_code=team.team_code, team_name=club.team_name, city=club.city)


def _may_be_written(team: TeamRecord, *, known: Team | None, rules: TeamRules) -> bool:
    if known is None:
        return team.is_listed or rules.adds_mentioned or team.team_code in FRANCHISES
    return team.is_listed and rules.replaces_stored and not _is_same(team, known=known)


def _is_same(team: TeamRecord, *, known: Team) -> bool:
    """Compare a stored team with the record; an empty city or arena in the record counts as the same."""
    merged = (team.team_name, team.city or known.city, team.arena or known.arena)
    return merged == (known.team_name, known.city, known.arena)


def _write_team(team: TeamRecord, *, known: Team | None) -> Team:
    written = known or Team(team_code=team.team_code)
    written.team_name = team.team_name
    written.city = team.city or written.city
    written.arena = team.arena or written.arena
    written.save()
    return written
