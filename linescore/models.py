"""
Teams, games, periods, and each team's results in them.

`Period` is the source data: one row per period with both teams' goals. `PeriodResult` has one row per period and team,
with the outcome and the two-plus flag. Triggers (migration 0002) derive it whenever games or periods change, so the
two teams' rows cannot contradict each other; nothing else writes it.
"""

from typing import Self

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now


class Team(models.Model):
    """A team; its key is the NHL's three-letter code."""

    team_code = models.CharField(max_length=3, primary_key=True)
    team_name = models.CharField(max_length=100, unique=True)
    city = models.CharField(max_length=100, blank=True)
    arena = models.CharField(max_length=100, blank=True)

    class Meta:
        db_table = "linescore_teams"
        constraints = [
            models.CheckConstraint(
                name="linescore_teams_code",
                condition=Q(team_code__regex=r"^[A-Z]{3}$"),
                violation_error_message="A team code has three capital letters, as CAR.",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.team_code} {self.team_name}"


class GameQuerySet(models.QuerySet["Game"]):
    """Filters of games."""

    def filter_team(self, team_code: str) -> Self:
        """Keep games that the team played, at home or away."""
        return self.filter(Q(home_team=team_code) | Q(away_team=team_code))


class Game(models.Model):
    """One game. Its id is the NHL's."""

    class Kind(models.TextChoices):
        """What the game counts for."""

        PRESEASON = "PRE", "Preseason"
        REGULAR = "REG", "Regular season"
        PLAYOFF = "POST", "Playoffs"

    game_id = models.BigIntegerField(primary_key=True)
    season = models.CharField(max_length=9, help_text="As 2024-2025.")
    game_date = models.DateField()
    game_kind = models.CharField(max_length=4, choices=Kind.choices, default=Kind.REGULAR)
    home_team = models.ForeignKey(Team, on_delete=models.PROTECT, db_column="home_team_code", related_name="home_games")
    away_team = models.ForeignKey(Team, on_delete=models.PROTECT, db_column="away_team_code", related_name="away_games")

    objects = GameQuerySet.as_manager()

    class Meta:
        db_table = "linescore_games"
        indexes = [models.Index(fields=["game_date", "game_id"], name="linescore_games_date")]
        constraints = [
            models.CheckConstraint(
                name="linescore_games_two_teams",
                condition=~Q(home_team=F("away_team")),
                violation_error_message="A team cannot play itself.",
            ),
            models.CheckConstraint(
                name="linescore_games_season",
                condition=Q(season__regex=r"^\d{4}-\d{4}$"),
                violation_error_message="A season is two years running, as 2024-2025.",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.game_date} {self.away_team_id} at {self.home_team_id}"


class Period(models.Model):
    """One period: both teams' goals, and how many of them were empty-net goals."""

    class Kind(models.TextChoices):
        """Regulation (periods 1 to 3), overtime or shootout (the winner scores 1)."""

        REGULATION = "REG", "Regulation"
        OVERTIME = "OT", "Overtime"
        SHOOTOUT = "SO", "Shootout"

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="periods")
    period_number = models.PositiveSmallIntegerField()
    period_kind = models.CharField(max_length=3, choices=Kind.choices, default=Kind.REGULATION)
    home_goals = models.PositiveSmallIntegerField()
    away_goals = models.PositiveSmallIntegerField()
    home_empty_net_goals = models.PositiveSmallIntegerField(default=0, help_text="Scored by home into an empty net.")
    away_empty_net_goals = models.PositiveSmallIntegerField(default=0, help_text="Scored by away into an empty net.")

    class Meta:
        db_table = "linescore_periods"
        constraints = [
            models.UniqueConstraint(name="linescore_periods_once", fields=["game", "period_number"]),
            models.CheckConstraint(
                name="linescore_periods_kind",
                condition=(
                    Q(period_kind="REG", period_number__range=(1, 3))
                    | Q(period_kind__in=["OT", "SO"], period_number__gte=4)
                ),
                violation_error_message="Periods 1 to 3 are regulation, later ones overtime or shootout.",
            ),
            models.CheckConstraint(
                name="linescore_periods_empty_net",
                condition=Q(home_empty_net_goals__lte=F("home_goals"), away_empty_net_goals__lte=F("away_goals")),
                violation_error_message="A side cannot score more empty-net goals than goals.",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.game_id} period {self.period_number}: {self.home_goals}-{self.away_goals}"


class MissingGame(models.Model):
    """
    A game of a source that was refused: its season is incomplete until the game is stored.

    Loads write and delete these rows. The day and the teams are empty if the source's game could not be parsed.
    """

    game_id = models.BigIntegerField(primary_key=True)
    season = models.CharField(max_length=9)
    game_date = models.DateField(null=True, blank=True)
    home_team_code = models.CharField(max_length=3, blank=True)
    away_team_code = models.CharField(max_length=3, blank=True)
    reason = models.CharField(max_length=200)
    refused_at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "linescore_missing_games"
        indexes = [models.Index(fields=["season", "game_date"], name="linescore_missing_season")]

    def __str__(self) -> str:
        return f"{self.game_id}: {self.reason}"


class PeriodResult(models.Model):
    """
    A team's result in a period; derived and read-only.

    Triggers delete the results with a game's periods, so Django does not cascade from the game.
    Game date, season and opponents are copied from the game, so that each query is one index scan.
    """

    class Outcome(models.TextChoices):
        """The comparison of goals for and against; in period 3 without the empty-net goals of both teams."""

        WIN = "WIN"
        LOSS = "LOSS"
        TIE = "TIE"

    game = models.ForeignKey(Game, on_delete=models.DO_NOTHING, related_name="results")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, db_column="team_code", related_name="results")
    period_number = models.PositiveSmallIntegerField()
    goals_for = models.PositiveSmallIntegerField()
    goals_against = models.PositiveSmallIntegerField()
    empty_net_goals = models.PositiveSmallIntegerField(help_text="Of goals_for, scored into an empty net.")
    period_outcome = models.CharField(max_length=4, choices=Outcome.choices)
    won_two_plus_reg_periods = models.BooleanField(help_text="The team won two or three of periods 1 to 3.")
    game_date = models.DateField()
    season = models.CharField(max_length=9)
    home_team_code = models.CharField(max_length=3)
    away_team_code = models.CharField(max_length=3)

    class Meta:
        db_table = "linescore_period_results"
        constraints = [
            models.UniqueConstraint(name="linescore_period_results_once", fields=["game", "team", "period_number"]),
        ]
        indexes = [
            models.Index(fields=["team", "game_date", "period_number", "game"], name="linescore_results_team"),
            models.Index(fields=["game_date", "period_number", "game", "team"], name="linescore_results_date"),
            models.Index(fields=["period_outcome", "game_date"], include=["team"], name="linescore_results_outcome"),
            models.Index(fields=["season", "period_outcome", "team"], name="linescore_results_season"),
            models.Index(
                fields=["season", "game_date", "period_number", "game", "team"], name="linescore_results_season_date"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.game_id} {self.team_id} period {self.period_number}: {self.period_outcome}"
