"""A file, or a folder with anything in it."""

import gzip
import os
import tracemalloc
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from linescore.ingest.from_files import SourceOptions, ingest_files
from linescore.ingest.record import GameScore
from linescore.models import Game, MissingGame, Team
from tests.linescore.ingest.games import TODAY, csv_of, day_game, game, period, schedule_of, score_of

pytestmark = pytest.mark.usefixtures("no_games")
WANTED = SourceOptions(today=TODAY)


def test_files_are_recognised_by_what_is_in_them_not_by_their_names(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_bytes(csv_of(game(game_id=1)))
    (tmp_path / "periods.csv").write_bytes(gzip.compress(score_of(day_game(game(game_id=2)))))
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "deep" / "er" / "x").write_bytes(b"\xef\xbb\xbf" + csv_of(game(game_id=3)).replace(b"\n", b"\r\n"))

    report = ingest_files(tmp_path, wanted=WANTED)

    assert report.summary() == "3 added, 0 changed, 0 skipped, 0 refused"


def test_files_of_strangers_are_named_and_the_rest_goes_in(tmp_path: Path) -> None:
    (tmp_path / "game.csv").write_bytes(csv_of(game()))
    (tmp_path / "empty.json").touch()
    (tmp_path / "half.json").write_bytes(score_of(day_game(game(game_id=2)))[:-9])
    (tmp_path / "half.csv.gz").write_bytes(gzip.compress(csv_of(*(game(game_id=at) for at in range(3, 900))))[:-9])
    (tmp_path / "latin.csv").write_bytes(csv_of(game(game_id=901)) + "1,é".encode("latin-1"))
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "gone").symlink_to(tmp_path / "missing")

    report = ingest_files(tmp_path, wanted=WANTED)

    assert list(Game.objects.values_list("game_id", flat=True)) == [2024020001]
    assert {thing.name: _start(thing.reason) for thing in report.unreadable} == {
        "empty.json": "empty",
        "gone": "not a regular file",
        "half.csv.gz": "gzip that ends early or is damaged",
        "half.json": "not one whole JSON document",
        "latin.csv": "line 5 is not UTF-8; save the file as UTF-8",
        "pipe": "not a regular file",
    }


def _start(reason: str) -> str:
    return reason.partition(":")[0]


def test_a_file_whose_name_is_not_text_is_named_all_the_same(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9\n.csv")).touch()

    report = ingest_files(tmp_path, wanted=WANTED)

    assert [thing.name for thing in report.unreadable] == ["caf\ufffd?.csv"]


def test_a_game_told_in_two_ways_is_refused_once_and_not_stored(tmp_path: Path) -> None:
    other = game(period(1, 0, 1), period(2, 0, 1), period(3, 1, 2))
    (tmp_path / "a.csv").write_bytes(csv_of(game(), game(game_id=2)))
    (tmp_path / "b.json").write_bytes(score_of(day_game(other)))

    report = ingest_files(tmp_path, wanted=WANTED)

    assert report.summary() == "1 added, 0 changed, 0 skipped, 1 refused"
    assert [refused.name for refused in report.refused] == ["2024020001 (NJD at BUF, 2024-10-04)"]


def test_rows_of_a_game_that_do_not_stand_together_are_refused_with_that_reason(tmp_path: Path) -> None:
    header, *rows = csv_of(game(), game(game_id=2)).splitlines(keepends=True)
    (tmp_path / "a.csv").write_bytes(header + b"".join(sorted(rows, key=lambda row: bytes(row).split(b",")[6])))

    report = ingest_files(tmp_path, wanted=WANTED)

    assert report.summary() == "0 added, 0 changed, 0 skipped, 2 refused"
    assert all("rows of one game stand together" in refused.reason for refused in report.refused)


def test_the_same_game_in_several_documents_is_one_game(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(csv_of(game()))
    (tmp_path / "b.json").write_bytes(score_of(day_game(game())))
    (tmp_path / "c.json").write_bytes(schedule_of(day_game(game())))

    report = ingest_files(tmp_path, wanted=WANTED)

    assert report.summary() == "1 added, 0 changed, 0 skipped, 0 refused"


def test_a_final_score_in_another_file_is_held_against_the_periods(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(csv_of(game(), game(game_id=2)))
    (tmp_path / "b.csv").write_text("game_id,date,home,away,home_score,away_score\n2,2024-10-04,BUF,NJD,1,5\n")

    report = ingest_files(tmp_path, wanted=WANTED)

    assert [refused.name for refused in report.refused] == ["2 (NJD at BUF, 2024-10-04)"]
    assert "final score 1-5, but the periods add up to 1-4" in report.refused[0].reason


def test_a_schedule_alone_names_its_games_and_stores_none(tmp_path: Path) -> None:
    waiting = day_game(game(game_id=2), gameState="LIVE")
    (tmp_path / "schedule.json").write_bytes(schedule_of(day_game(game(game_id=1)), waiting))

    report = ingest_files(tmp_path, wanted=WANTED)

    assert {skipped.game_id: skipped.reason for skipped in report.left_out} == {
        1: "only its final score is here, not its periods",
        2: "not finished (LIVE)",
    }


def test_a_game_that_was_not_finished_in_an_older_file_is_loaded_from_the_newer(tmp_path: Path) -> None:
    (tmp_path / "1.json").write_bytes(score_of(day_game(game(), gameState="LIVE")))
    (tmp_path / "2.json").write_bytes(score_of(day_game(game())))

    report = ingest_files(tmp_path, wanted=WANTED)

    assert report.summary() == "1 added, 0 changed, 0 skipped, 0 refused"


def test_preseason_is_left_out_by_name_unless_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(csv_of(game(game_kind="PRE")))

    left_out = ingest_files(tmp_path, wanted=WANTED).left_out
    asked_for = ingest_files(tmp_path, wanted=replace(WANTED, kinds=("PRE",)))

    assert [skipped.reason for skipped in left_out] == ["a preseason game, which --kinds does not ask for"]
    assert asked_for.added == 1


def test_teams_of_a_file_are_there_before_its_games(tmp_path: Path) -> None:
    (tmp_path / "z_teams.csv").write_text("tricode,team\nHFX,Halifax Explorers\n")
    (tmp_path / "a.csv").write_bytes(csv_of(game(home_team_code="HFX")))

    report = ingest_files(tmp_path, wanted=WANTED)

    assert (report.added, report.teams_added) == (1, ["HFX"])


@pytest.mark.parametrize(("adds", "summary"), [(True, "1 added"), (False, "0 added")])
def test_a_team_that_only_a_document_names_is_added_only_if_asked(tmp_path: Path, *, adds: bool, summary: str) -> None:
    halifax = {"id": 99, "abbrev": "HFX", "score": 1, "placeName": {"default": "Halifax"},
               "commonName": {"default": "Explorers"}}  # fmt: skip
    (tmp_path / "a.json").write_bytes(score_of(day_game(game(home_team_code="HFX"), homeTeam=halifax)))

    report = ingest_files(tmp_path, wanted=replace(WANTED, adds_teams=adds))

    assert report.summary().startswith(summary)
    assert Team.objects.filter(team_name="Halifax Explorers").exists() == adds
    assert [refused.reason for refused in report.refused] == ([] if adds else ["unknown team HFX"])


@pytest.mark.parametrize("adds", [True, False])
def test_a_team_that_only_a_csv_names_is_added_only_if_asked(tmp_path: Path, *, adds: bool) -> None:
    (tmp_path / "a.csv").write_bytes(csv_of(game(home_team_code="HFX")))

    report = ingest_files(tmp_path, wanted=replace(WANTED, adds_teams=adds))

    assert report.added == int(adds)
    assert [team.team_name for team in Team.objects.filter(team_code="HFX")[:2]] == (["HFX"] if adds else [])


def test_a_season_of_the_past_is_loaded_whole_with_the_clubs_it_had(tmp_path: Path) -> None:
    older = [
        game(game_id=2023020001, season="2023-2024", game_date=date(2023, 10, 10), home_team_code="ARI"),
        game(game_id=2010020001, season="2010-2011", game_date=date(2010, 10, 10), home_team_code="PHX"),
        game(game_id=1995020001, season="1995-1996", game_date=date(1995, 10, 10), home_team_code="WIN"),
        game(game_id=1996020001, season="1996-1997", game_date=date(1996, 10, 10), home_team_code="HFD"),
        game(game_id=2001020001, season="2001-2002", game_date=date(2001, 10, 10), home_team_code="ATL"),
    ]
    (tmp_path / "older.csv").write_bytes(csv_of(*older))

    report = ingest_files(tmp_path, wanted=WANTED)

    assert (report.added, report.refused) == (5, [])
    assert Team.objects.get(team_code="ARI").team_name == "Arizona Coyotes"


def test_a_club_of_the_past_is_refused_in_a_season_it_did_not_play(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(csv_of(game(home_team_code="ATL")))

    report = ingest_files(tmp_path, wanted=WANTED)

    assert [refused.reason for refused in report.refused] == [
        "ATL played from 1999-2000 to 2010-2011, not in 2024-2025"
    ]


def test_refused_games_are_missing_until_they_are_stored(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(csv_of(game(game_id=2024020007, home_team_code="HFX"), game(game_id=2024020008)))

    ingest_files(tmp_path, wanted=WANTED)
    missing = list(MissingGame.objects.values_list("game_id", "season", "home_team_code")[:5])
    ingest_files(tmp_path, wanted=replace(WANTED, adds_teams=True))

    assert missing == [(2024020007, "2024-2025", "HFX")]
    assert not MissingGame.objects.exists()


def test_a_game_that_is_stored_is_not_missing_when_a_worse_copy_is_refused(tmp_path: Path) -> None:
    ingest_files(_file(tmp_path, game(game_id=2024020007)), wanted=WANTED)

    report = ingest_files(_file(tmp_path, game(game_id=2024020007, home_team_code="HFX")), wanted=WANTED)

    assert len(report.refused) == 1
    assert not MissingGame.objects.exists()


def _file(folder: Path, *games: GameScore) -> Path:
    (folder / "games.csv").write_bytes(csv_of(*games))
    return folder / "games.csv"


@pytest.mark.slow
def test_a_file_larger_than_the_memory_it_takes_is_read(tmp_path: Path) -> None:
    padding = b"," + b"x" * 2000
    with (tmp_path / "big.csv").open("wb") as file:
        for at in range(1, 4001):
            header, *rows = csv_of(game(game_id=at, home_team_code="XXX")).splitlines()
            file.writelines(row + padding + b"\n" for row in ([header, *rows] if at == 1 else rows))
    tracemalloc.start()

    report = ingest_files(tmp_path, wanted=WANTED)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert len(report.refused) == 4000
    assert peak < (tmp_path / "big.csv").stat().st_size / 3
