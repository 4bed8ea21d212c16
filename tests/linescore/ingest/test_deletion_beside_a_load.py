"""Deleting a game in the admin while a load stores it again."""

from functools import partial
from typing import Any

import pytest

from linescore.ingest import load
from linescore.ingest.load import LoadRules, load_games
from linescore.ingest.report import LoadReport
from linescore.models import Game
from tests.blocking import beside, post_as_curator
from tests.linescore.ingest.games import TODAY, game, period

pytestmark = pytest.mark.usefixtures("scratch_database")
RULES = LoadRules(today=TODAY)


@pytest.mark.parametrize("way", ["one", "all that are chosen"])
def test_the_deletion_waits_for_the_batch(way: str) -> None:
    """A batch locks its games, the deletion begins, and then the batch replaces the periods."""
    load_games([game()], rules=RULES, report=LoadReport())
    changed = game(period(1, 1, 1), period(2, 0, 0), period(3, 0, 1))
    key, report = changed.game_id, LoadReport()
    forms: dict[str, tuple[str, dict[str, Any]]] = {
        "one": (f"/admin/linescore/game/{key}/delete/", {"post": "yes"}),
        "all that are chosen": (
            "/admin/linescore/game/", {"action": "delete_selected", "_selected_action": [key], "post": "yes"},
        ),
    }  # fmt: skip

    with beside(partial(post_as_curator, *forms[way]), before=(load, "_write")) as waited:
        load_games([changed], rules=RULES, report=report)

    assert waited == [True]
    assert report.changed == 1
    assert not Game.objects.filter(pk=key).exists()
