"""Results are derived: the database refuses to have them written otherwise."""

import pytest
from django.db import IntegrityError, connection, transaction

from linescore.models import Game, PeriodResult


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE linescore_period_results SET period_outcome = 'WIN'",
        "DELETE FROM linescore_period_results WHERE team_code = 'CAR'",
        "INSERT INTO linescore_period_results SELECT * FROM linescore_period_results LIMIT 1",
    ],
)
def test_they_cannot_be_written_by_hand(scratch_database: None, statement: str) -> None:
    before = PeriodResult.objects.count()

    with pytest.raises(IntegrityError, match="derived from linescore_periods"), transaction.atomic():
        connection.cursor().execute(statement)

    assert PeriodResult.objects.count() == before
    connection.close()


def test_they_go_when_all_periods_go(scratch_database: None) -> None:
    connection.cursor().execute("TRUNCATE linescore_periods")

    assert not PeriodResult.objects.exists()
    connection.close()


def test_they_go_with_their_game(scratch_database: None) -> None:
    game = Game.objects.order_by("game_id").first()
    assert game

    game.delete()

    assert not PeriodResult.objects.filter(game_id=game.game_id or 2024020001).exists()
    connection.close()
