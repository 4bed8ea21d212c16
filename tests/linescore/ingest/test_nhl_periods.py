"""Which periods are counted from the NHL's documents, where the golden pairs do not tell."""

import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from linescore.ingest.parse import read_records
from linescore.ingest.record import GameScore, Record, Refusal
from tests.linescore.ingest.games import day_game, game, period, score_of

DATA = Path(__file__).parent / "data"
PLAYOFFS = game(
    period(1, 1, 0), period(2, 0, 0), period(3, 0, 1), period(4, 0, 0), period(5, 0, 1, period_kind="OT"),
    game_kind="POST",
)  # fmt: skip


def test_a_second_overtime_of_the_playoffs_is_no_shootout() -> None:
    assert _only(day_game(PLAYOFFS)) == PLAYOFFS


def test_the_number_of_overtimes_is_believed_where_the_period_is_not_given() -> None:
    outcome = {"lastPeriodType": "OT", "otPeriods": 2}

    assert _only(day_game(PLAYOFFS, gameOutcome=outcome, periodDescriptor=None)) == PLAYOFFS


def test_without_an_outcome_the_last_period_tells_how_far_it_went() -> None:
    assert _only(day_game(PLAYOFFS, gameOutcome=None)) == PLAYOFFS


@pytest.mark.parametrize("modifier", ["empty-net", "awarded-empty-net", "own-goal-empty-net"])
def test_every_goal_into_an_empty_net_counts_as_one(modifier: str) -> None:
    written = day_game(game())
    written["goals"][-1]["goalModifier"] = modifier

    read = _only(written)

    assert isinstance(read, GameScore)
    assert read.periods[2].away_empty_net_goals == 1


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"gameOutcome": {"lastPeriodType": "XX"}}, "unknown period type 'XX'"),
        ({"gameOutcome": {"lastPeriodType": "OT", "otPeriods": 10**9}}, "periods are more than a game can have"),
        ({"gameOutcome": None, "periodDescriptor": None}, "neither gameOutcome nor periodDescriptor"),
        ({"goals": [{"period": 4, "teamAbbrev": "BUF"}]}, "a goal in period 4 of a game that had 3"),
        ({"goals": [{"teamAbbrev": "BUF"}]}, "a goal without a period"),
        ({"goals": [{"period": 1, "teamAbbrev": "CAR"}]}, "a goal of CAR, which does not play"),
        ({"homeTeam": {"id": 1, "abbrev": "BUF"}}, "finished, but without a score"),
        ({"gameDate": None}, "gameDate is missing"),
        ({"season": "soon"}, "season: Input should be a valid integer"),
        ({"homeTeam": 7}, "homeTeam: "),
    ],
)
def test_a_game_that_cannot_be_counted_is_refused_by_its_id(change: dict[str, Any], reason: str) -> None:
    refused, good = _read(score_of(day_game(game(), **change), day_game(game(game_id=2))))

    assert isinstance(refused, Refusal)
    assert (refused.name, refused.game_id) == ("game 2024020001", 2024020001)
    assert reason in refused.reason
    assert good == game(game_id=2)


def test_a_play_by_play_that_lacks_a_period_leaves_it_out() -> None:
    document = json.loads((DATA / "play_by_play.json").read_bytes())
    document["plays"] = [play for play in document["plays"] if play["periodDescriptor"]["number"] != 2]

    read = _read(json.dumps(document).encode())[-1]

    assert isinstance(read, GameScore)
    assert [each.period_number for each in read.periods] == [1, 3]


def test_without_a_situation_a_goal_past_no_goalkeeper_went_into_an_empty_net() -> None:
    document = json.loads((DATA / "play_by_play.json").read_bytes())
    for play in document["plays"]:
        del play["situationCode"]

    read = _read(json.dumps(document).encode())[-1]

    assert isinstance(read, GameScore)
    assert [each.away_empty_net_goals for each in read.periods] == [0, 0, 1]


def _only(written: dict[str, Any]) -> Record:
    (read,) = _read(score_of(written))
    return read


def _read(document: bytes) -> list[Record]:
    return list(read_records(BytesIO(document)))
