"""Periods of a game of the NHL's web API, with their goals. Pure."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from linescore.ingest.nhl_documents import GameHead
from linescore.ingest.record import PeriodScore

REGULATION = 3
MAX_PERIODS = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedGoal:
    """A goal with what a line score needs of it."""

    period_number: int
    by_home: bool
    is_empty_net: bool


def periods_of(
    game: GameHead, *, goals: list[CountedGoal], final: tuple[int, int], seen: set[int] | None
) -> tuple[PeriodScore, ...]:
    """
    Count goals by period; a period without goals was still played.

    The game's outcome gives the last period. `seen` holds the periods of a play-by-play: a period that it lacks is left
    out here, and validation refuses the game. A shootout counts 1-0 to the winner, however many attempts scored.
    """
    last, last_kind = _last_period(game)
    if beyond := [goal.period_number for goal in goals if not 1 <= goal.period_number <= last]:
        raise ValueError(f"a goal in period {beyond[0]} of a game that had {last}")
    tally = Counter((goal.period_number, goal.by_home, False) for goal in goals)
    tally += Counter((goal.period_number, goal.by_home, True) for goal in goals if goal.is_empty_net)
    numbers = [number for number in range(1, last + 1) if seen is None or number in seen]
    return tuple(_periods(numbers, tally=tally, shootout=last if last_kind == "SO" else None, final=final))


def _periods(
    numbers: Iterable[int], *, tally: Counter[tuple[int, bool, bool]], shootout: int | None, final: tuple[int, int]
) -> Iterator[PeriodScore]:
    for number in numbers:
        if number == shootout:
            home_won, away_won = int(final[0] > final[1]), int(final[1] > final[0])
            yield PeriodScore(period_number=number, period_kind="SO", home_goals=home_won, away_goals=away_won)
        else:
            yield PeriodScore(
                period_number=number, period_kind="REG" if number <= REGULATION else "OT",
                home_goals=tally[number, True, False], away_goals=tally[number, False, False],
                home_empty_net_goals=tally[number, True, True], away_empty_net_goals=tally[number, False, True],
            )  # fmt: skip


def _last_period(game: GameHead) -> tuple[int, str]:
    outcome, descriptor = game.game_outcome, game.period_descriptor
    if outcome:
        kind = outcome.last_period_type
    elif descriptor:
        kind = descriptor.period_type
    else:
        raise ValueError("finished, but neither gameOutcome nor periodDescriptor says in which period")
    if kind == "REG":
        return REGULATION, kind
    if kind not in ("OT", "SO"):
        raise ValueError(f"unknown period type {kind!r}")
    least = REGULATION + 2 if kind == "SO" else REGULATION + max(1, outcome.ot_periods if outcome else 1)
    number = max(least, descriptor.number if descriptor and descriptor.period_type == kind else 0)
    if number > MAX_PERIODS:
        raise ValueError(f"{number} periods are more than a game can have")
    return number, kind
