"""The whole season through the command's own path, against plain sums over the files it came from."""

from collections import Counter

import pytest
from django.db.models import Sum

from linescore.ingest.from_files import SourceOptions, ingest_files
from linescore.ingest.samples import load_samples
from linescore.models import Game, Period, PeriodResult
from tests.data.reference import FOLDER, read_rows
from tests.linescore.ingest.games import TODAY

pytestmark = pytest.mark.usefixtures("no_games")


SEASON = FOLDER / "nhl"


def test_every_game_ends_as_the_list_of_final_scores_says() -> None:
    ingest_files(SEASON / "nhl_period_results_2024_25.csv.gz", wanted=SourceOptions(today=TODAY))

    totals = Sum("periods__home_goals"), Sum("periods__away_goals")

    assert {str(game_id): goals for game_id, *goals in Game.objects.values_list("game_id", *totals)} == {
        row["game_id"]: [int(row["home_score"]), int(row["away_score"])]
        for row in read_rows("nhl/nhl_games_2024_25.csv")
    }


def test_every_period_is_stored_as_it_stands_in_the_file() -> None:
    ingest_files(SEASON, wanted=SourceOptions(today=TODAY))

    columns = ["game_id", "period_number", "home_goals", "away_goals", "home_empty_net_goals", "away_empty_net_goals"]

    assert {tuple(map(str, row)) for row in Period.objects.values_list(*columns)} == {
        tuple(row[column] for column in columns) for row in read_rows("nhl/nhl_period_results_2024_25.csv")
    }


def test_wins_of_each_team_by_period_are_what_a_person_would_count() -> None:
    ingest_files(SEASON, wanted=SourceOptions(today=TODAY))
    counted: Counter[tuple[str, int]] = Counter()
    for row in read_rows("nhl/nhl_period_results_2024_25.csv"):
        lead = int(row["home_goals"]) - int(row["away_goals"])
        if row["period_number"] == "3":
            lead -= int(row["home_empty_net_goals"]) - int(row["away_empty_net_goals"])
        if lead:
            counted[row["home" if lead > 0 else "away"], int(row["period_number"])] += 1

    won = PeriodResult.objects.filter(period_outcome="WIN").values_list("team_id", "period_number")

    assert Counter(won) == counted


def test_the_counts_are_those_of_the_file_and_the_second_time_nothing_changes() -> None:
    first = ingest_files(SEASON, wanted=SourceOptions(today=TODAY))
    second = ingest_files(SEASON, wanted=SourceOptions(today=TODAY))

    assert first.summary() == "1,312 added, 0 changed, 0 skipped, 0 refused"
    assert second.summary() == "0 added, 0 changed, 1,312 skipped, 0 refused"


def test_the_shipped_season_is_the_same_as_the_file() -> None:
    load_samples()

    report = ingest_files(SEASON, wanted=SourceOptions(today=TODAY))

    assert report.summary() == "0 added, 0 changed, 1,312 skipped, 0 refused"


def test_loading_the_samples_again_leaves_a_correction_alone() -> None:
    load_samples()
    corrected = Period.objects.filter(game=2024020001, period_number=1)
    corrected.update(away_goals=9)

    report = load_samples()

    assert (report.added, report.changed, report.skipped) == (0, 0, 1312)
    assert corrected.get().away_goals == 9
