"""Admin classes of teams, games, periods, their derived results and missing games."""

from collections.abc import Iterable
from typing import Any

from django.contrib import admin
from django.contrib.admin.options import InlineModelAdmin
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import RangeDateFilter
from unfold.forms import PaginationInlineFormSet

from linescore.ingest.check import Surroundings, refusal_reason
from linescore.ingest.record import GameScore, PeriodScore
from linescore.models import Game, GameQuerySet, MissingGame, Period, PeriodResult, Team
from toolbox.admin_pages.curation import (
    BrowsedAdmin,
    BrowsedInline,
    CuratedAdmin,
    CuratedInline,
    FewValuesFilter,
    PickFilter,
)

DERIVED = (
    "These rows follow from games and periods: the database computes both teams' rows, so that they never contradict "
    "each other. To change one, correct its period under the game; the rows follow at once."
)


class SeenByFilter(PickFilter):
    """Filter results by team."""

    title = "team"
    parameter_name = "team"

    def values(self) -> Iterable[tuple[str, str]]:
        """List the teams."""
        return [(team.pk, str(team)) for team in Team.objects.order_by("team_code")[:200]]


class PlayedByFilter(SeenByFilter):
    """Filter games by a team that played, at home or away."""

    def keep(self, rows: Any, value: str) -> GameQuerySet:
        """Keep the team's games."""
        games: GameQuerySet = rows
        return games.filter_team(value)


class PeriodFormSet(PaginationInlineFormSet):  # type: ignore[misc]
    """The periods of a game, validated together by the rules of ingestion."""

    def clean(self) -> None:
        """Refuse a game that ingestion would refuse."""
        super().clean()
        if any(self.errors) or not _is_complete(self.instance):
            return
        used = [form for form in self.forms if form.has_changed() or form.instance.pk]
        game = _score(self.instance, [form.instance for form in used if form not in self.deleted_forms])
        teams = set(Team.objects.filter(pk__in=[game.home_team_code, game.away_team_code]).values_list("pk", flat=True))
        around = Surroundings(known_teams=teams, today=timezone.localdate())
        if reason := refusal_reason(game, around=around):
            raise ValidationError(f"This game cannot be stored: {reason}.")


class PeriodInline(CuratedInline):
    """Editable periods of a game."""

    model = Period
    formset = PeriodFormSet
    hide_title = True
    ordering = ["period_number"]
    verbose_name_plural = "Periods: correct them here"

    def get_extra(self, request: HttpRequest, obj: Game | None = None, **kwargs: Any) -> int:
        """Add three empty periods to the form of a new game."""
        return 0 if obj else 3

    def formfield_for_choice_field(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Make the select of the kind wide enough to read."""
        field = super().formfield_for_choice_field(db_field, request, **kwargs)
        field.widget.attrs["style"] = "min-width: 9rem"
        return field


class ResultInline(BrowsedInline):
    """Read-only results of a game, per team and period."""

    model = PeriodResult
    ordering = ["period_number", "team"]
    fields = ["period_number", "team", "goals_for", "goals_against", "empty_net_goals", "period_outcome",
              "won_two_plus_reg_periods"]  # fmt: skip
    readonly_fields = fields
    verbose_name_plural = "Results: computed from the periods above when the game is saved"

    def get_queryset(self, request: HttpRequest) -> QuerySet[PeriodResult]:
        """Join the team and the game."""
        results: QuerySet[PeriodResult] = super().get_queryset(request).select_related("team", "game")
        return results


@admin.register(Team)
class TeamAdmin(CuratedAdmin):
    """Admin of teams."""

    list_display = ["team_code", "team_name", "city", "arena"]
    search_fields = ["team_code", "team_name", "city"]
    ordering = ["team_code"]

    def get_readonly_fields(self, request: HttpRequest, obj: Team | None = None) -> list[str]:
        """Make the code of a stored team read-only: games refer to it."""
        return ["team_code"] if obj else []


@admin.register(Game)
class GameAdmin(CuratedAdmin):
    """Admin of games, with periods and results inline."""

    list_display = ["day", "visitors", "hosts", "score", "season", "game_kind", "game_id"]
    list_display_links = ["day", "game_id"]
    list_filter = [("season", FewValuesFilter), "game_kind", PlayedByFilter, ("game_date", RangeDateFilter)]
    search_fields = ["=home_team__team_code", "=away_team__team_code", "home_team__team_name", "away_team__team_name",
                     "^game_id"]  # fmt: skip
    search_help_text = "Team code or name, or the beginning of a game id"
    date_hierarchy = "game_date"
    ordering = ["-game_date", "-game_id"]
    autocomplete_fields = ["home_team", "away_team"]
    fields = ["game_id", "season", "game_date", "game_kind", "home_team", "away_team"]

    def get_inlines(self, request: HttpRequest, obj: Game | None) -> list[type["InlineModelAdmin[Any, Any]"]]:
        """Leave out the results while a game is being added."""
        return [PeriodInline, ResultInline] if obj else [PeriodInline]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Game]:
        """Prefetch the periods, which `score` sums."""
        games: QuerySet[Game] = super().get_queryset(request).prefetch_related("periods")
        return games

    def get_readonly_fields(self, request: HttpRequest, obj: Game | None = None) -> list[str]:
        """Make the id of a stored game read-only: the NHL assigns it."""
        return ["game_id"] if obj else []

    def get_deleted_objects(self, objs: Iterable[Game], request: HttpRequest) -> tuple[Any, Any, set[str], Any]:
        """Allow deleting a game with its results, although nobody has permission to delete results."""
        listed, counts, forbidden, protected = super().get_deleted_objects(objs, request)
        return listed, counts, forbidden - {PeriodResult._meta.verbose_name}, protected  # noqa: SLF001

    @admin.display(description="date", ordering="game_date")
    def day(self, row: Game) -> str:
        """Return the date as ISO 8601 writes it."""
        return row.game_date.isoformat()

    @admin.display(description="away", ordering="away_team_id")
    def visitors(self, game: Game) -> str:
        """Return the visitors' code."""
        return game.away_team_id

    @admin.display(description="home", ordering="home_team_id")
    def hosts(self, game: Game) -> str:
        """Return the hosts' code."""
        return game.home_team_id

    @admin.display(description="away-home")
    def score(self, game: Game) -> str:
        """Sum the goals, away first like the columns; add OT or SO if the game went past regulation."""
        periods = list(game.periods.all())
        if not periods:
            return "no periods"
        away, home = sum(period.away_goals for period in periods), sum(period.home_goals for period in periods)
        beyond = max(periods, key=lambda period: period.period_number).period_kind
        return f"{away}-{home}" + ("" if beyond == Period.Kind.REGULATION else f" {beyond}")


@admin.register(PeriodResult)
class PeriodResultAdmin(BrowsedAdmin):
    """Read-only admin of derived results; to change a result, correct its period."""

    notice = DERIVED
    list_display = ["day", "team_code", "match", "period_number", "goals", "empty_net_goals", "period_outcome",
                    "won_two_plus_reg_periods", "correct"]  # fmt: skip
    list_filter = [("season", FewValuesFilter), SeenByFilter, "period_outcome", ("period_number", FewValuesFilter),
                   "won_two_plus_reg_periods",
                   ("game_date", RangeDateFilter)]  # fmt: skip
    search_fields = ["=team__team_code", "team__team_name", "=home_team_code", "=away_team_code", "^game__game_id"]
    search_help_text = "Team code or name, or the beginning of a game id"
    ordering = ["-game_date", "game_id", "period_number", "team_id"]
    exports = ["game_id", "game_date", "season", "home_team_code", "away_team_code", "team_id", "period_number",
               "goals_for", "goals_against", "empty_net_goals", "period_outcome",
               "won_two_plus_reg_periods"]  # fmt: skip
    fields = ["correct", "team", "game_date", "season", "match", "period_number", "goals_for", "goals_against",
              "empty_net_goals", "period_outcome", "won_two_plus_reg_periods"]  # fmt: skip

    @admin.display(description="date", ordering="game_date")
    def day(self, row: PeriodResult) -> str:
        """Return the date as ISO 8601 writes it."""
        return row.game_date.isoformat()

    @admin.display(description="team", ordering="team_id")
    def team_code(self, result: PeriodResult) -> str:
        """Return the team's code."""
        return result.team_id

    @admin.display(description="game")
    def match(self, result: PeriodResult) -> SafeString:
        """Return the game, with a link to it."""
        return _game_link(result, f"{result.away_team_code} at {result.home_team_code}")

    @admin.display(description="goals")
    def goals(self, result: PeriodResult) -> str:
        """Return the goals for and against."""
        return f"{result.goals_for}-{result.goals_against}"

    @admin.display(description="correction")
    def correct(self, result: PeriodResult) -> SafeString:
        """Link to the game, where the period can be corrected."""
        return _game_link(result, "correct this period")


@admin.register(MissingGame)
class MissingGameAdmin(BrowsedAdmin):
    """Read-only admin of games that loads refused; storing a game removes its row."""

    notice = "Loads write these rows: games of a source that were refused. A row goes when its game is stored."
    list_display = ["game_id", "season", "game_date", "home_team_code", "away_team_code", "reason", "refused_at"]
    list_filter = [("season", FewValuesFilter)]
    search_fields = ["^game_id", "=home_team_code", "=away_team_code"]
    ordering = ["season", "game_id"]


def _game_link(result: PeriodResult, words: str) -> SafeString:
    address = reverse("admin:linescore_game_change", args=[result.game_id])
    return format_html(
        '<a class="whitespace-nowrap text-primary-600 dark:text-primary-500" href="{}">{}</a>', address, words
    )


def _is_complete(game: Game) -> bool:
    """Return whether all fields of the game are valid; the form already shows an error beside an invalid one."""
    return all([game.game_id, game.season, game.game_date, game.game_kind, game.home_team_id, game.away_team_id])


def _score(game: Game, periods: Iterable[Period]) -> GameScore:
    return GameScore(
        game_id=game.game_id,
        season=game.season,
        game_date=game.game_date,
        game_kind=game.game_kind,
        home_team_code=game.home_team_id,
        away_team_code=game.away_team_id,
        periods=tuple(_period_score(period) for period in sorted(periods, key=lambda period: period.period_number)),
    )


def _period_score(period: Period) -> PeriodScore:
    return PeriodScore(
        period_number=period.period_number,
        period_kind=period.period_kind,
        home_goals=period.home_goals,
        away_goals=period.away_goals,
        home_empty_net_goals=period.home_empty_net_goals,
        away_empty_net_goals=period.away_empty_net_goals,
    )
