"""Parsing of the NHL web API's documents into records; goals are counted by period. Pure."""

from collections.abc import Callable, Iterator
from datetime import date
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from linescore.ingest.nhl_documents import (
    DayGame,
    GameHead,
    Goal,
    LandingPage,
    Play,
    PlayByPlay,
    SchedulePage,
    Side,
)
from linescore.ingest.nhl_periods import CountedGoal, periods_of
from linescore.ingest.record import (
    FinalScore,
    GameScore,
    NotReadable,
    Record,
    Refusal,
    SkippedGame,
    TeamRecord,
    game_name,
    is_short_line,
    is_team_code,
    printable,
)

AnyDocument = TypeVar("AnyDocument", bound=BaseModel)
AnyGame = TypeVar("AnyGame", bound=GameHead)

SITUATION_DIGITS = 4
KINDS = {1: "PRE", 2: "REG", 3: "POST"}
FINISHED = {"FINAL", "OFF"}
CALLED_OFF = {"PPD": "postponed", "SUSP": "suspended", "CNCL": "cancelled"}


def read_document(document: object) -> Iterator[Record]:
    """Read a schedule, a day's scores, a landing or a play-by-play, whichever it is."""
    if not isinstance(document, dict):
        raise NotReadable("JSON, but not a document of the NHL's web API")
    if isinstance(document.get("games"), list):
        return _day(document["games"])
    if "gameWeek" in document:
        return _week(document)
    if "plays" in document:
        return _game(document, shape=PlayByPlay, score=_play_by_play)
    if "homeTeam" in document and "gameState" in document:
        return _game(document, shape=LandingPage, score=_parse_landing)
    raise NotReadable("JSON, but none of the NHL's schedule, score, landing and play-by-play")


def read_schedule(document: object) -> SchedulePage:
    """Read a week of the schedule as a page, for the caller that follows its links."""
    if not isinstance(document, dict) or "gameWeek" not in document:
        raise NotReadable("not a schedule of the NHL's web API")
    return _validate(document, shape=SchedulePage)


def _day(games: list[Any]) -> Iterator[Record]:
    for raw in games:
        yield from _game(raw, shape=DayGame, score=_day_game)


def _week(document: dict[str, Any]) -> Iterator[Record]:
    for day in read_schedule(document).game_week:
        for raw in day.games:
            yield from scheduled_game(raw, day=day.date)


def scheduled_game(raw: Any, *, day: date) -> Iterator[Record]:
    """Read one game of a schedule: its teams' names and, if it is finished, its final score."""
    try:
        game = _validate(raw, shape=GameHead)
    except NotReadable as error:
        yield _refusal(raw, error=error)
        return
    name = game_name(game.id, home=game.home_team.abbrev, away=game.away_team.abbrev, day=day)
    yield from _teams(game)
    if reason := _reason_to_wait(game):
        yield SkippedGame(game_id=game.id, name=name, reason=reason)
    elif final := _final_score(game):
        yield FinalScore(game_id=game.id, name=name, goals=final)
    else:
        yield Refusal(game_id=game.id, name=name, reason="finished, but without a score")


def _game(raw: Any, *, shape: type[AnyGame], score: Callable[[AnyGame], GameScore]) -> Iterator[Record]:
    try:
        game = _validate(raw, shape=shape)
        yield from _teams(game)
        if reason := _reason_to_wait(game):
            yield SkippedGame(game_id=game.id, name=_name(game), reason=reason)
        else:
            yield score(game)
    except ValueError as error:
        yield _refusal(raw, error=error)


def _play_by_play(game: PlayByPlay) -> GameScore:
    sides = {game.home_team.id: True, game.away_team.id: False}
    if game.home_team.id == game.away_team.id:
        raise ValueError("the two teams have the same id")
    goals = [_play_goal(play, sides=sides) for play in game.plays if play.type_desc_key == "goal"]
    return _score(game, goals=goals, seen={play.period_descriptor.number for play in game.plays})


def _play_goal(play: Play, *, sides: dict[int, bool]) -> CountedGoal:
    """Read a goal. The digits of situationCode: away goalkeeper, away skaters, home skaters, home goalkeeper."""
    owner = play.details.event_owner_team_id if play.details else None
    if owner not in sides:
        raise ValueError(f"a goal of team {owner}, which does not play")
    by_home = sides[owner]
    code = play.situation_code
    if len(code) == SITUATION_DIGITS:
        is_empty_net = code[0 if by_home else 3] == "0"
    else:
        is_empty_net = play.details is not None and play.details.goalie_in_net_id is None
    return CountedGoal(period_number=play.period_descriptor.number, by_home=by_home, is_empty_net=is_empty_net)


def _parse_landing(game: LandingPage) -> GameScore:
    if game.summary is None:
        raise ValueError("finished, but without a summary of its goals")
    goals = [
        _goal(goal, game=game, number=period.period_descriptor.number)
        for period in game.summary.scoring
        for goal in period.goals
    ]
    return _score(game, goals=goals, seen=None)


def _day_game(game: DayGame) -> GameScore:
    return _score(game, goals=[_goal(goal, game=game, number=_period_number(goal)) for goal in game.goals], seen=None)


def _goal(goal: Goal, *, game: GameHead, number: int) -> CountedGoal:
    """Read a goal. Its modifier contains empty-net, possibly after awarded- or own-goal-."""
    sides = {game.home_team.abbrev: True, game.away_team.abbrev: False}
    if goal.team_abbrev not in sides:
        raise ValueError(f"a goal of {goal.team_abbrev}, which does not play")
    return CountedGoal(
        period_number=number, by_home=sides[goal.team_abbrev], is_empty_net="empty-net" in goal.goal_modifier
    )


def _period_number(goal: Goal) -> int:
    number = goal.period_descriptor.number if goal.period_descriptor else goal.period
    if number is None:
        raise ValueError("a goal without a period")
    return number


def _score(game: GameHead, *, goals: list[CountedGoal], seen: set[int] | None) -> GameScore:
    final, season = _final_score(game), str(game.season)
    if not game.game_date:
        raise ValueError("gameDate is missing")
    if not final:
        raise ValueError("finished, but without a score")
    return GameScore(
        game_id=game.id, season=f"{season[:4]}-{season[4:]}", game_date=game.game_date, game_kind=KINDS[game.game_type],
        home_team_code=game.home_team.abbrev, away_team_code=game.away_team.abbrev,
        periods=periods_of(game, goals=goals, final=final, seen=seen), final_score=final,
    )  # fmt: skip


def _final_score(game: GameHead) -> tuple[int, int] | None:
    if game.home_team.score is None or game.away_team.score is None:
        return None
    return game.home_team.score, game.away_team.score


def _reason_to_wait(game: GameHead) -> str:
    if game.game_type not in KINDS:
        return f"neither preseason, season nor playoffs (game type {game.game_type})"
    if called_off := CALLED_OFF.get(game.game_schedule_state):
        return called_off
    return "" if game.game_state in FINISHED else f"not finished ({printable(game.game_state, most=20)})"


def _teams(game: GameHead) -> Iterator[Record]:
    if game.game_type in KINDS:
        for side in (game.away_team, game.home_team):
            if _can_be_named(side):
                yield TeamRecord(team_code=side.abbrev, team_name=side.full_name)


def _can_be_named(side: Side) -> bool:
    return bool(is_team_code(side.abbrev) and side.full_name and is_short_line(side.full_name))


def _validate(raw: Any, *, shape: type[AnyDocument]) -> AnyDocument:
    try:
        return shape.model_validate(raw)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "the document"
        raise NotReadable(printable(f"{where}: {first['msg']}")) from error


def _refusal(raw: Any, *, error: ValueError) -> Refusal:
    found = raw.get("id") if isinstance(raw, dict) else None
    game_id = found if isinstance(found, int) else None
    return Refusal(name=printable(f"game {found}"), reason=printable(str(error)), game_id=game_id)


def _name(game: GameHead) -> str:
    return game_name(game.id, home=game.home_team.abbrev, away=game.away_team.abbrev, day=game.game_date)
