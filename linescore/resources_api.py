"""REST endpoints to browse teams, games, periods and results. Read-only."""

from typing import Any

import django_filters
from django.core.validators import RegexValidator
from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.serializers import BaseSerializer

from linescore.models import Game, GameQuerySet, Period, PeriodResult, Team
from toolbox.resources_api.filters import Day, Identifier, TrueOrFalse, WholeNumber
from toolbox.resources_api.views import ReadOnlyResource, ResourceRouter

TEAM_CODE = RegexValidator(r"\A[A-Z]{3}\Z", "A team code has three capital letters, as CAR.")
SEASON = RegexValidator(r"\A[0-9]{4}-[0-9]{4}\Z", "A season is written as 2024-2025.")


class TeamSerializer(serializers.ModelSerializer[Team]):
    """A team."""

    class Meta:
        model = Team
        fields = ["team_code", "team_name", "city", "arena"]


class PeriodSerializer(serializers.ModelSerializer[Period]):
    """A period, as the game was played."""

    game_id = serializers.IntegerField()

    class Meta:
        model = Period
        fields = [
            "id",
            "game_id",
            "period_number",
            "period_kind",
            "home_goals",
            "away_goals",
            "home_empty_net_goals",
            "away_empty_net_goals",
        ]


class GameSerializer(serializers.ModelSerializer[Game]):
    """A game."""

    home_team_code = serializers.CharField(source="home_team_id")
    away_team_code = serializers.CharField(source="away_team_id")

    class Meta:
        model = Game
        fields = ["game_id", "season", "game_date", "game_kind", "home_team_code", "away_team_code"]


class GameWithPeriodsSerializer(GameSerializer):
    """A game with its periods, in order."""

    periods = PeriodSerializer(many=True)

    class Meta(GameSerializer.Meta):
        fields = [*GameSerializer.Meta.fields, "periods"]


class PeriodResultSerializer(serializers.ModelSerializer[PeriodResult]):
    """A period as one team saw it."""

    game_id = serializers.IntegerField()
    team_code = serializers.CharField(source="team_id")

    class Meta:
        model = PeriodResult
        fields = [
            "id",
            "game_id",
            "game_date",
            "season",
            "home_team_code",
            "away_team_code",
            "team_code",
            "period_number",
            "goals_for",
            "goals_against",
            "empty_net_goals",
            "period_outcome",
            "won_two_plus_reg_periods",
        ]


class TeamFilters(django_filters.FilterSet):
    """What teams can be asked for."""

    team_name = django_filters.CharFilter(lookup_expr="icontains", help_text="Part of the name.", max_length=100)
    city = django_filters.CharFilter(lookup_expr="icontains", help_text="Part of the city's name.", max_length=100)


class GameFilters(django_filters.FilterSet):
    """What games can be asked for."""

    season = django_filters.CharFilter(validators=[SEASON], help_text="As 2024-2025.")
    game_kind = django_filters.ChoiceFilter(choices=Game.Kind.choices)
    team_code = django_filters.CharFilter(
        validators=[TEAM_CODE], method="filter_team", help_text="Played at home or away."
    )
    home_team_code = django_filters.CharFilter(field_name="home_team", validators=[TEAM_CODE])
    away_team_code = django_filters.CharFilter(field_name="away_team", validators=[TEAM_CODE])
    game_date = Day()
    first_date = Day(field_name="game_date", lookup_expr="gte", help_text="This day and later.")
    last_date = Day(field_name="game_date", lookup_expr="lte", help_text="This day and earlier.")

    def filter_team(self, games: GameQuerySet, _name: str, team_code: str) -> GameQuerySet:
        """Keep games that the team played."""
        return games.filter_team(team_code)


class PeriodFilters(django_filters.FilterSet):
    """What periods can be asked for."""

    game_id = Identifier(field_name="game")
    season = django_filters.CharFilter(field_name="game__season", validators=[SEASON], help_text="As 2024-2025.")
    period_number = WholeNumber()
    period_kind = django_filters.ChoiceFilter(choices=Period.Kind.choices)
    first_date = Day(field_name="game__game_date", lookup_expr="gte", help_text="This day and later.")
    last_date = Day(field_name="game__game_date", lookup_expr="lte", help_text="This day and earlier.")


class PeriodResultFilters(django_filters.FilterSet):
    """What period results can be asked for."""

    game_id = Identifier(field_name="game")
    team_code = django_filters.CharFilter(field_name="team", validators=[TEAM_CODE])
    season = django_filters.CharFilter(validators=[SEASON], help_text="As 2024-2025.")
    period_number = WholeNumber()
    period_outcome = django_filters.ChoiceFilter(choices=PeriodResult.Outcome.choices)
    won_two_plus_reg_periods = TrueOrFalse(help_text="The team won two or three of periods 1 to 3.")
    first_date = Day(field_name="game_date", lookup_expr="gte", help_text="This day and later.")
    last_date = Day(field_name="game_date", lookup_expr="lte", help_text="This day and earlier.")


class Teams(ReadOnlyResource):
    """Clubs, by the three letters that the NHL gives them."""

    queryset = Team.objects.all()
    serializer_class = TeamSerializer
    filterset_class = TeamFilters
    key_form = "[A-Z]{3}"
    ordering = "team_code"
    ordering_fields = ["team_code", "team_name", "city"]


class Games(ReadOnlyResource):
    """Games by the NHL's id; one game comes with its periods."""

    queryset = Game.objects.all()
    serializer_class = GameSerializer
    filterset_class = GameFilters
    ordering = "game_date"
    ordering_fields = ["game_date", "game_id", "season"]

    def get_queryset(self) -> QuerySet[Game]:
        """Bring the periods with a single game."""
        games: QuerySet[Game] = super().get_queryset()
        return games.prefetch_related("periods") if self.action == "retrieve" else games

    def get_serializer_class(self) -> type[BaseSerializer[Any]]:
        """Show the periods of a single game."""
        return GameWithPeriodsSerializer if self.action == "retrieve" else GameSerializer


class Periods(ReadOnlyResource):
    """What happened in each period, both sides."""

    queryset = Period.objects.all()
    serializer_class = PeriodSerializer
    filterset_class = PeriodFilters
    ordering = ("game_id", "period_number")
    ordering_fields = ["game_id", "period_number", "home_goals", "away_goals"]


class PeriodResults(ReadOnlyResource):
    """Each period as either team saw it, derived from games and periods; the table that the tools ask."""

    queryset = PeriodResult.objects.all()
    serializer_class = PeriodResultSerializer
    filterset_class = PeriodResultFilters
    ordering = ("game_date", "period_number", "game_id", "team_id")
    ordering_fields = ["game_date", "period_number", "goals_for", "goals_against", "game_id"]


router = ResourceRouter("linescore")
router.register("teams", Teams)
router.register("games", Games)
router.register("periods", Periods)
router.register("period-results", PeriodResults)
