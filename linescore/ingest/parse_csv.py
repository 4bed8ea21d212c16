"""
Parsing of CSV into records; the header selects one of four tables.

The tables have one row per period (like the shipped samples), per team and period (like linescore_period_results), per
game with its final score, or per team. Other columns are ignored.
"""

import csv
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from itertools import groupby, islice

from linescore.ingest.record import (
    FinalScore,
    GameScore,
    NotReadable,
    PeriodScore,
    Record,
    Refusal,
    TeamRecord,
    game_name,
    is_short_line,
    is_team_code,
    printable,
)

Row = dict[str, str]

GAME_COLUMNS = ("game_id", "date", "season", "game_type", "home", "away")
PERIOD_COLUMNS = (
    *GAME_COLUMNS, "period_number", "period_type", "home_goals", "away_goals", "home_empty_net_goals",
    "away_empty_net_goals",
)  # fmt: skip
FINAL_COLUMNS = ("game_id", "date", "home", "away", "home_score", "away_score")
SIDE_COLUMNS = (
    "game_id", "game_date", "season", "home_team_code", "away_team_code", "team_code", "period_number", "goals_for",
    "goals_against", "empty_net_goals",
)  # fmt: skip
TEAM_COLUMNS = ("tricode", "team")
GAME_KINDS = {
    "1": "PRE", "PR": "PRE", "PRE": "PRE", "2": "REG", "R": "REG", "REG": "REG", "3": "POST", "P": "POST",
    "PO": "POST", "POST": "POST",
}  # fmt: skip
MAX_ROWS_OF_A_GAME = 40
REGULATION = 3


def read_csv(lines: Iterable[str]) -> Iterator[Record]:
    """Read one of the four tables; the rows of a game must be adjacent."""
    reader = csv.DictReader(lines)
    try:
        columns = set(reader.fieldnames or ())
        for needed, read in _TABLES:
            if columns.issuperset(needed):
                yield from read(reader)
                return
    except csv.Error as error:
        raise NotReadable(f"line {reader.line_num} is not CSV: {error}") from error
    raise NotReadable("neither the NHL's JSON nor CSV with the columns of linescore/samples/README.md")


def _games(rows: Iterable[Row], *, build: Callable[[list[Row]], GameScore]) -> Iterator[Record]:
    for game_id, group in groupby(rows, key=lambda row: row["game_id"]):
        own = list(islice(group, MAX_ROWS_OF_A_GAME + 1))
        try:
            yield build(own)
        except ValueError as error:
            known = int(game_id) if re.fullmatch("[0-9]{1,18}", game_id or "") else None
            yield Refusal(
                name=printable(game_id or "a row without game_id"), reason=printable(str(error)), game_id=known
            )


def _period_games(rows: Iterable[Row]) -> Iterator[Record]:
    return _games(rows, build=_period_game)


def _side_games(rows: Iterable[Row]) -> Iterator[Record]:
    return _games(rows, build=_side_game)


def _period_game(rows: list[Row]) -> GameScore:
    game = _same_in_all(rows, columns=GAME_COLUMNS)
    return GameScore(
        game_id=_read_integer(game, column="game_id"), season=_season(game), game_date=_day(game, column="date"),
        game_kind=_kind(game),
        home_team_code=_text(game, column="home"), away_team_code=_text(game, column="away"),
        periods=tuple(sorted(map(_period, rows), key=lambda period: period.period_number)),
    )  # fmt: skip


def _period(row: Row) -> PeriodScore:
    return PeriodScore(
        period_number=_read_integer(row, column="period_number"), period_kind=_text(row, column="period_type"),
        home_goals=_read_integer(row, column="home_goals"), away_goals=_read_integer(row, column="away_goals"),
        home_empty_net_goals=_read_integer(row, column="home_empty_net_goals"),
        away_empty_net_goals=_read_integer(row, column="away_empty_net_goals"),
    )  # fmt: skip


def _side_game(rows: list[Row]) -> GameScore:
    game = _same_in_all(rows, columns=("game_id", "game_date", "season", "home_team_code", "away_team_code"))
    home, away = _text(game, column="home_team_code"), _text(game, column="away_team_code")
    sides = {(_read_integer(row, column="period_number"), _text(row, column="team_code")): row for row in rows}
    if len(sides) != len(rows):
        raise ValueError("a team's period is there twice")
    if strangers := {code for _, code in sides} - {home, away}:
        raise ValueError(f"rows of {min(strangers)}, which does not play")
    kind = _kind({"game_type": game.get("game_type") or "R"})
    return GameScore(
        game_id=_read_integer(game, column="game_id"), season=_season(game), game_date=_day(game, column="game_date"),
        game_kind=kind,
        home_team_code=home, away_team_code=away,
        periods=tuple(
            _join_sides(number, home=sides.get((number, home)), away=sides.get((number, away)), game_kind=kind)
            for number in sorted({number for number, _ in sides})
        ),
    )  # fmt: skip


def _join_sides(number: int, *, home: Row | None, away: Row | None, game_kind: str) -> PeriodScore:
    """Join two teams' rows of a period, which must mirror each other."""
    if home is None or away is None:
        raise ValueError(f"period {number} is there for one team only")
    goals = _read_integer(home, column="goals_for"), _read_integer(home, column="goals_against")
    if goals != (_read_integer(away, column="goals_against"), _read_integer(away, column="goals_for")):
        raise ValueError(f"the two teams' goals in period {number} are not mirrored")
    return PeriodScore(
        period_number=number, period_kind=home.get("period_type") or _usual_kind(number, game_kind=game_kind),
        home_goals=goals[0], away_goals=goals[1], home_empty_net_goals=_read_integer(home, column="empty_net_goals"),
        away_empty_net_goals=_read_integer(away, column="empty_net_goals"),
    )  # fmt: skip


def _usual_kind(number: int, *, game_kind: str) -> str:
    if number <= REGULATION:
        return "REG"
    return "SO" if game_kind != "POST" and number > REGULATION + 1 else "OT"


def _finals(rows: Iterable[Row]) -> Iterator[Record]:
    for row in rows:
        name = game_name(row["game_id"] or "?", home=row["home"] or "?", away=row["away"] or "?", day=row["date"])
        try:
            goals = _read_integer(row, column="home_score"), _read_integer(row, column="away_score")
            yield FinalScore(game_id=_read_integer(row, column="game_id"), name=name, goals=goals)
        except ValueError as error:
            yield Refusal(name=name, reason=printable(str(error)))


def _teams(rows: Iterable[Row]) -> Iterator[Record]:
    for row in rows:
        code, name = (row["tricode"] or "").strip(), (row["team"] or "").strip()
        details = {column: (row.get(column) or "").strip() for column in ("city", "arena")}
        if not is_team_code(code):
            yield Refusal(name=f"team {printable(code)!r}", reason="a team's code is three capital letters")
        elif not name or not all(map(is_short_line, (name, *details.values()))):
            yield Refusal(name=f"team {code}", reason="its name, city or arena is missing or not one short line")
        else:
            yield TeamRecord(team_code=code, team_name=name, is_listed=True, **details)


_TABLES: tuple[tuple[tuple[str, ...], Callable[[Iterable[Row]], Iterator[Record]]], ...] = (
    (PERIOD_COLUMNS, _period_games),
    (SIDE_COLUMNS, _side_games),
    (FINAL_COLUMNS, _finals),
    (TEAM_COLUMNS, _teams),
)


def _same_in_all(rows: list[Row], *, columns: tuple[str, ...]) -> Row:
    if len(rows) > MAX_ROWS_OF_A_GAME:
        raise ValueError("more rows than a game can have")
    for column in columns:
        if len({row[column] for row in rows}) > 1:
            raise ValueError(f"its rows disagree on {column}")
    return rows[0]


def _text(row: Row, *, column: str) -> str:
    if not row.get(column):
        raise ValueError(f"{column} is missing")
    return row[column]


def _read_integer(row: Row, *, column: str) -> int:
    text = _text(row, column=column)
    if not re.fullmatch(r"-?[0-9]{1,18}", text):
        raise ValueError(f"{column} is {text!r}, not a whole number")
    return int(text)


def _day(row: Row, *, column: str) -> date:
    text = _text(row, column=column)
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise ValueError(f"{column} is {text!r}, not a day as 2025-02-01") from error


def _season(row: Row) -> str:
    found = re.fullmatch("([0-9]{4})-?([0-9]{4})", _text(row, column="season"))
    if not found:
        raise ValueError(f"season is {row['season']!r}, not as 2024-2025 or 20242025")
    return f"{found[1]}-{found[2]}"


def _kind(row: Row) -> str:
    kind = GAME_KINDS.get(_text(row, column="game_type"))
    if not kind:
        raise ValueError(f"game_type is {row['game_type']!r}, none of {', '.join(GAME_KINDS)}")
    return kind
