"""Each rule that a game keeps, broken once."""

from dataclasses import replace
from datetime import date

import pytest

from linescore.ingest.check import Surroundings, refusal_reason
from linescore.ingest.record import GameScore
from tests.linescore.ingest.games import TODAY, game, period

AROUND = Surroundings(known_teams={"BUF", "NJD"}, today=TODAY)
TIED = (period(1, 0, 0), period(2, 1, 1), period(3, 0, 0))

GOOD = {
    "regulation": game(),
    "overtime": game(*TIED, period(4, 1, 0)),
    "shootout": game(*TIED, period(4, 0, 0), period(5, 0, 1)),
    "playoffs, third overtime": game(
        *TIED, *(period(number, 0, number // 6, period_kind="OT") for number in (4, 5, 6)), game_kind="POST"
    ),
    "a tie when there were ties": game(*TIED, period(4, 0, 0), season="1998-1999", game_date=date(1998, 10, 9)),
    "a tie in preseason": game(*TIED, game_kind="PRE"),
    "the late playoffs of 2020": game(season="2019-2020", game_date=date(2020, 9, 28), game_kind="POST"),
    "nine goals by one side in a period, the record": game(period(1, 9, 0), period(2, 0, 0), period(3, 0, 0)),
    "played today": game(game_date=TODAY),
}
BAD = [
    (game(game_id=0), "its id is not one"),
    (game(game_id=2**63), "its id is not one"),
    (game(home_team_code="BUG"), "unknown team BUG"),
    (game(away_team_code="njd"), "unknown team njd"),
    (game(away_team_code="BUF"), "BUF plays itself"),
    (game(game_date=date(2025, 5, 1)), "future date 2025-05-01"),
    (game(season="2024-2026"), "season 2024-2026 is not one"),
    (game(season="-202-42025"), "season -202-42025 is not one"),
    (game(season="2023-2024"), "2024-10-04 is not in season 2023-2024"),
    (game(game_date=date(2024, 7, 31)), "2024-07-31 is not in season 2024-2025"),
    (game(period(1, 1, 0), period(3, 0, 0)), "regulation period 2 is missing"),
    (game(period(1, 1, 0), period(2, 0, 0)), "regulation period 3 is missing"),
    (replace(game(), periods=()), "regulation period 1 is missing"),
    (game(*TIED, period(5, 1, 0)), "period 4 is missing"),
    (game(*TIED, period(3, 1, 0)), "a period is there twice"),
    (game(*TIED, period(0, 1, 0)), "there is no period 0"),
    (game(*TIED, period(999_999_999, 1, 0)), "there is no period 999999999"),
    (game(*TIED, period(4, 1, 0, period_kind="REG")), "period 4 of a REG game cannot be REG"),
    (game(*TIED, period(4, 1, 0, period_kind="SO")), "period 4 of a REG game cannot be SO"),
    (game(*TIED, period(4, 0, 0), period(5, 1, 0), game_kind="POST"), "period 5 of a POST game cannot be SO"),
    (game(period(1, 1, 0, period_kind="OT"), *TIED[1:]), "period 1 of a REG game cannot be OT"),
    (game(period(1, -1, 0), *TIED[1:]), "negative goals in period 1"),
    (game(period(1, 1, 0, away_empty_net_goals=-1), *TIED[1:]), "negative goals in period 1"),
    (game(period(1, 16, 0), *TIED[1:]), "16 goals by one side in period 1"),
    (game(*TIED[:2], period(3, 1, 0, home_empty_net_goals=2)), "more empty-net goals than goals in period 3"),
    (game(*TIED[:2], period(3, 1, 0, away_empty_net_goals=1)), "more empty-net goals than goals in period 3"),
    (game(period(1, 1, 0), *TIED[1:], period(4, 0, 1)), "period 4 of a game that was already won"),
    (game(*TIED, period(4, 2, 1)), "more than one goal in overtime (period 4)"),
    (game(*TIED, period(4, 1, 0), period(5, 0, 1)), "period 5 of a game that was already won"),
    (game(*TIED, period(4, 0, 0), period(5, 3, 2)), "a shootout counts 1-0 to its winner"),
    (game(*TIED, period(4, 0, 0), period(5, 1, 0, home_empty_net_goals=1)), "empty-net goals in a shootout"),
    (game(*TIED), "it ends 1-1, without a winner"),
    (
        game(final_score=(1, 5)),
        "the two teams' goals are not mirrored: final score 1-5, but the periods add up to 1-4",
    ),
]  # fmt: skip


@pytest.mark.parametrize("good", GOOD.values(), ids=GOOD)
def test_a_game_that_keeps_the_rules_is_not_refused(good: GameScore) -> None:
    assert refusal_reason(good, around=AROUND) is None


@pytest.mark.parametrize(("bad", "reason"), BAD, ids=[f"{at}: {reason}" for at, (_, reason) in enumerate(BAD)])
def test_a_game_that_breaks_a_rule_is_refused_for_it(bad: GameScore, reason: str) -> None:
    assert refusal_reason(bad, around=AROUND) == reason


def test_a_game_that_another_file_gives_another_final_score_is_refused() -> None:
    around = replace(AROUND, finals={2024020001: (2, 4)})

    assert "final score 2-4" in (refusal_reason(game(), around=around) or "")


def test_a_game_that_the_source_tells_in_two_ways_is_refused() -> None:
    around = replace(AROUND, contradicted={2024020001})

    assert "twice with different contents" in (refusal_reason(game(), around=around) or "")
