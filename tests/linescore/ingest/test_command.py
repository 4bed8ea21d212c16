"""`manage.py ingest_linescore`, as a person calls it."""

from datetime import date
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from linescore.models import Game
from tests.linescore.ingest.conftest import LocalApi
from tests.linescore.ingest.games import csv_of, day_game, game, schedule_of, score_of

pytestmark = pytest.mark.usefixtures("no_games")


def test_a_file_is_loaded_and_what_became_of_it_is_said(tmp_path: Path) -> None:
    file = tmp_path / "games.csv"
    file.write_bytes(csv_of(game(), game(game_id=2, home_team_code="XXX"), game(game_id=3, game_date=date(2999, 1, 1))))

    said = _call_refused(file).splitlines()

    assert said == [
        "refused: 2 (NJD at XXX, 2024-10-04): unknown team XXX",
        "refused: 3 (NJD at BUF, 2999-01-01): future date 2999-01-01",
        "1 added, 0 changed, 0 skipped, 2 refused",
    ]


def test_a_season_is_loaded_from_the_api(api: LocalApi) -> None:
    api.says("/v1/schedule/2024-08-01", schedule_of(day_game(game())))
    api.says("/v1/score/2024-10-04", score_of(day_game(game())))

    said = _call("2024-2025", base_url=api.address, rate=1000.0)

    assert said == "1 added, 0 changed, 0 skipped, 0 refused\n"
    assert Game.objects.get().game_id == 2024020001


def test_days_are_loaded_from_the_api(api: LocalApi) -> None:
    api.says("/v1/schedule/2024-10-01", schedule_of(day_game(game())))
    api.says("/v1/score/2024-10-04", score_of(day_game(game())))

    said = _call("--from=2024-10-01", "--to=2024-10-07", base_url=api.address, rate=1000.0)

    assert said.startswith("1 added")


def test_a_folder_without_a_game_of_ours_fails_and_names_its_files(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello")
    out = StringIO()

    with pytest.raises(CommandError, match="no game could be read"):
        call_command("ingest_linescore", str(tmp_path), stdout=out, stderr=StringIO())

    assert out.getvalue().startswith("not readable: a.txt: neither the NHL's JSON nor CSV")


def test_a_long_list_of_refusals_is_cut_unless_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "games.csv"
    file.write_bytes(csv_of(*(game(game_id=at, home_team_code="XXX") for at in range(1, 302))))

    short, whole = _call_refused(file).splitlines(), _call_refused(file, verbosity=2).splitlines()

    assert (len(short), len(whole)) == (202, 302)
    assert short[-2:] == ["... and more; --verbosity 2 shows all", whole[-1]]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ([], "Give a file, a folder, a season"),
        (["missing.csv"], "'missing.csv' is neither a file, nor a folder, nor a season"),
        (["2024-2026"], "'2024-2026' is neither"),
        (["0001-0002"], "'0001-0002' is neither"),
        (["2024-2025", "--from", "2025-01-01"], "not both"),
        (["--to", "2025-01-01"], "or --from with a day"),
        (["--from", "2025-01-02", "--to", "2025-01-01"], "--from 2025-01-02 is after --to 2025-01-01"),
        (["--from", "soon"], "'soon' is not a day"),
        (["2024-2025", "--rate", "0"], "'0' is not a number of requests a second"),
        (["2024-2025", "--rate", "nan"], "'nan' is not a number of requests a second"),
    ],
)
def test_arguments_that_make_no_sense_are_refused_with_a_sentence(arguments: list[str], reason: str) -> None:
    with pytest.raises(CommandError, match=reason):
        _call(*arguments)


def _call_refused(*arguments: str | Path, **options: Any) -> str:
    """Run the command, which must end with exit code 2 because games are missing."""
    out = StringIO()
    with pytest.raises(CommandError, match="answers about their seasons are incomplete") as stopped:
        call_command("ingest_linescore", *map(str, arguments), stdout=out, stderr=StringIO(), **options)
    assert stopped.value.returncode == 2
    return out.getvalue()


def _call(*arguments: str | Path, **options: Any) -> str:
    out = StringIO()
    call_command("ingest_linescore", *map(str, arguments), stdout=out, stderr=StringIO(), **options)
    return out.getvalue()
