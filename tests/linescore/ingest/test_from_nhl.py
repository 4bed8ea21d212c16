"""A season or some days from the API, over a real socket."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from linescore.ingest.fetch import Wire
from linescore.ingest.from_files import SourceOptions
from linescore.ingest.from_nhl import Endpoint, Span, ingest_nhl
from linescore.ingest.record import GameScore
from linescore.models import Game, MissingGame
from tests.linescore.ingest.conftest import Answer, LocalApi
from tests.linescore.ingest.games import TODAY, day_game, game, schedule_of, score_of

pytestmark = pytest.mark.usefixtures("no_games")
DATA = Path(__file__).parent / "data"
DAYS = Span(first=date(2024, 10, 4), last=date(2024, 10, 20))
WANTED = SourceOptions(today=TODAY)


def not_at_all(seconds: float) -> None:
    """Do not wait."""


@pytest.fixture
def wire(api: LocalApi) -> Iterator[Wire]:
    with Wire(base_url=api.address, requests_a_second=1e9, sleep=not_at_all) as wire:
        yield wire


def test_the_schedule_is_walked_and_each_day_is_asked_for_once(api: LocalApi, wire: Wire) -> None:
    late = game(game_id=3, game_date=date(2024, 10, 12))
    api.says("/v1/schedule/2024-10-04", schedule_of(*map(day_game, _two()), next_start="2024-10-11"))
    api.says("/v1/schedule/2024-10-11", schedule_of(day_game(late), next_start="2024-10-21"))
    api.says("/v1/score/2024-10-04", score_of(*map(day_game, _two())))
    api.says("/v1/score/2024-10-12", score_of(day_game(late)))

    report = ingest_nhl(wire, span=DAYS, wanted=WANTED)

    assert report.summary() == "3 added, 0 changed, 0 skipped, 0 refused"
    assert api.asked == [
        "/v1/schedule/2024-10-04", "/v1/schedule/2024-10-11", "/v1/score/2024-10-04", "/v1/score/2024-10-12"
    ]  # fmt: skip


def test_again_changes_nothing(api: LocalApi, wire: Wire) -> None:
    _serve(api)
    ingest_nhl(wire, span=DAYS, wanted=WANTED)

    report = ingest_nhl(wire, span=DAYS, wanted=WANTED)

    assert report.summary() == "0 added, 0 changed, 2 skipped, 0 refused"


@pytest.mark.parametrize(("endpoint", "file"), [("landing", "landing"), ("play-by-play", "play_by_play_shootout")])
def test_games_may_be_asked_for_one_by_one(api: LocalApi, wire: Wire, endpoint: Endpoint, file: str) -> None:
    game_id = 2024020818 if endpoint == "landing" else 2024020819
    span = Span(first=date(2025, 1, 30), last=date(2025, 1, 30))
    api.says("/v1/schedule/2025-01-30", (DATA / "schedule.json").read_bytes())
    api.says(f"/v1/gamecenter/{game_id}/{endpoint}", (DATA / f"{file}.json").read_bytes())

    report = ingest_nhl(wire, span=span, wanted=WANTED, endpoint=endpoint)

    assert list(Game.objects.values_list("game_id", flat=True)) == [game_id]
    assert [row.season for row in MissingGame.objects.all()[:5]] == ["2024-2025"]  # the other game that was played
    assert sorted(skipped.reason for skipped in report.left_out) == [
        "its goals could not be fetched", "not finished (FUT)"
    ]  # fmt: skip


def test_days_to_come_and_other_seasons_and_preseason_are_not_asked_for(api: LocalApi, wire: Wire) -> None:
    games = [
        day_game(game(game_id=1)),
        day_game(game(game_id=2, game_kind="PRE")),
        day_game(game(game_id=3, season="2023-2024")),
        day_game(game(game_id=4, game_date=date(2025, 5, 1))),
    ]
    api.says("/v1/schedule/2024-08-01", schedule_of(*games, next_start="2025-05-02"))
    api.says("/v1/score/2024-10-04", score_of(*games))

    report = ingest_nhl(wire, span=Span.of_season(2024), wanted=WANTED)

    assert report.total == report.added == 1
    assert api.asked == ["/v1/schedule/2024-08-01", "/v1/score/2024-10-04"]


def test_a_429_is_waited_out(api: LocalApi, wire: Wire) -> None:
    _serve(api)
    api.says("/v1/score/2024-10-04", Answer(status=429), score_of(*map(day_game, _two())))

    assert ingest_nhl(wire, span=DAYS, wanted=WANTED).added == 2


def test_a_day_that_the_server_does_not_give_is_named_with_its_games(api: LocalApi, wire: Wire) -> None:
    late = game(game_id=3, game_date=date(2024, 10, 12))
    api.says("/v1/schedule/2024-10-04", schedule_of(*map(day_game, _two()), day_game(late)))
    api.says("/v1/score/2024-10-04", Answer(status=500))
    api.says("/v1/score/2024-10-12", score_of(day_game(late)))

    report = ingest_nhl(wire, span=DAYS, wanted=WANTED)

    assert report.summary() == "1 added, 0 changed, 2 skipped, 0 refused, 1 not readable"
    assert [(thing.name, thing.reason) for thing in report.unreadable] == [
        ("/v1/score/2024-10-04", "HTTP 500, 5 times")
    ]


@pytest.mark.parametrize("garbage", [b"<html>Just a moment</html>", b"", b"[]", b'{"gameWeek": [{"date": "soon"}]}'])
def test_a_schedule_that_is_garbage_ends_it_with_a_sentence(api: LocalApi, wire: Wire, garbage: bytes) -> None:
    api.says("/v1/schedule/2024-10-04", garbage)

    report = ingest_nhl(wire, span=DAYS, wanted=WANTED)

    assert report.total == 0
    assert [thing.name for thing in report.unreadable] == ["/v1/schedule/2024-10-04"]


def test_a_day_that_is_garbage_is_named(api: LocalApi, wire: Wire) -> None:
    _serve(api)
    api.says("/v1/score/2024-10-04", b"<html>Just a moment</html>")

    report = ingest_nhl(wire, span=DAYS, wanted=WANTED)

    assert report.unreadable[0].reason.startswith("not one whole JSON document")


def test_a_server_that_fails_three_times_in_a_row_is_left_alone(api: LocalApi, wire: Wire) -> None:
    days = [game(game_id=day, game_date=date(2024, 10, day)) for day in range(4, 12)]
    api.says("/v1/schedule/2024-10-04", schedule_of(*map(day_game, days)))

    report = ingest_nhl(wire, span=DAYS, wanted=WANTED)

    assert len(api.asked) == 4
    assert len(report.left_out) == 8


def test_a_game_whose_day_disagrees_with_the_schedule_is_refused(api: LocalApi, wire: Wire) -> None:
    _serve(api)
    wrong = day_game(game(), homeTeam={"id": 1, "abbrev": "BUF", "score": 2})
    api.says("/v1/schedule/2024-10-04", schedule_of(wrong))

    report = ingest_nhl(wire, span=DAYS, wanted=WANTED)

    assert report.summary() == "0 added, 0 changed, 0 skipped, 1 refused"


def test_a_schedule_that_points_backwards_does_not_go_round_for_ever(api: LocalApi, wire: Wire) -> None:
    api.says("/v1/schedule/2024-10-04", schedule_of(next_start="2024-10-04"))

    ingest_nhl(wire, span=DAYS, wanted=WANTED)

    assert api.asked == ["/v1/schedule/2024-10-04"]


def _two() -> tuple[GameScore, GameScore]:
    return game(), game(game_id=2)


def _serve(api: LocalApi) -> None:
    api.says("/v1/schedule/2024-10-04", schedule_of(*map(day_game, _two())))
    api.says("/v1/score/2024-10-04", score_of(*map(day_game, _two())))
