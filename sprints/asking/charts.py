"""Charts of rows as Vega-Lite specifications: data that a page may draw, never code. Pure."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import regex

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_DAY = regex.compile(r"\d{4}-\d\d-\d\d(?:T.*)?")
_YEAR = regex.compile(r"\d{4}")
_NAME = regex.compile(r"\w{1,60}")
MIN_ROWS, MAX_BARS, MAX_SERIES = 2, 40, 12
_PREFERRED = ("points", "issues", "days", "percent", "count")

Rows = Sequence[Mapping[str, Any]]


def make_chart(rows: Rows, *, title: str = "") -> dict[str, Any] | None:
    """Return a line chart over days, or bars by name, if the rows have numbers for it; else None."""
    if len(rows) < MIN_ROWS:
        return None
    columns = [name for name in rows[0] if _NAME.fullmatch(name)]
    numbers = [name for name in columns if _holds_only(rows, name, is_number)]
    years = [name for name in columns if name == "year" and _holds_only(rows, name, _is_year)]
    words = [name for name in columns if name not in years and _holds_only(rows, name, _is_word)]
    days = [name for name in columns if name in years or _holds_only(rows, name, _is_day)]
    if not numbers:
        return None
    value = min(numbers, key=_rank_number)
    if days and len({row[days[0]] for row in rows}) >= MIN_ROWS:
        return _make_line(rows, day=days[0], value=value, words=words, title=title)
    names = [name for name in words if name not in days]
    return _make_bars(rows, names=names, value=value, title=title) if names else None


def is_number(value: object) -> bool:
    """Return whether a value is a number. True and False are not."""
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def _make_line(rows: Rows, *, day: str, value: str, words: Sequence[str], title: str) -> dict[str, Any] | None:
    series = [name for name in words if name != day and 1 < len({row[name] for row in rows}) <= MAX_SERIES]
    if not series and len({row[day] for row in rows}) < len(rows):
        return None
    encoding: dict[str, Any] = {"x": _make_field(day, "temporal"), "y": _make_field(value, "quantitative")}
    if series:
        encoding["color"] = _make_field(series[-1], "nominal")
    used = [day, value, *series[-1:]]
    return _specify(rows, mark={"type": "line", "point": True}, encoding=encoding, used=used, title=title)


def _make_bars(rows: Rows, *, names: Sequence[str], value: str, title: str) -> dict[str, Any] | None:
    distinct = [name for name in names if len({row[name] for row in rows}) == len(rows)]
    if not distinct or len(rows) > MAX_BARS:
        return None
    name, others = distinct[0], [other for other in names if other != distinct[0]]
    grouped = [other for other in others if 1 < len({row[other] for row in rows}) < len(rows)]
    encoding: dict[str, Any] = {
        "x": _make_field(name, "nominal") | {"sort": None},
        "y": _make_field(value, "quantitative"),
    }
    if grouped:
        encoding["color"] = _make_field(grouped[0], "nominal")
    return _specify(rows, mark={"type": "bar"}, encoding=encoding, used=[name, value, *grouped[:1]], title=title)


def _specify(
    rows: Rows, *, mark: dict[str, Any], encoding: dict[str, Any], used: Sequence[str], title: str
) -> dict[str, Any]:
    values = [{name: row[name] for name in dict.fromkeys(used)} for row in rows]
    titled = {"title": title[:200]} if title else {}
    return {"$schema": SCHEMA, **titled, "data": {"values": values}, "mark": mark, "encoding": encoding}


def _make_field(name: str, kind: str) -> dict[str, Any]:
    return {"field": name, "type": kind, "title": name.replace("_", " ")}


def _holds_only(rows: Rows, name: str, test: Any) -> bool:
    values = [row.get(name) for row in rows]
    return any(value is not None for value in values) and all(value is None or test(value) for value in values)


def _is_word(value: object) -> bool:
    return isinstance(value, str) and not _DAY.fullmatch(value)


def _is_day(value: object) -> bool:
    return isinstance(value, str) and bool(_DAY.fullmatch(value))


def _is_year(value: object) -> bool:
    return isinstance(value, str) and bool(_YEAR.fullmatch(value))


def _rank_number(name: str) -> int:
    """Return the rank of a number column: frequently requested ones first, then in order."""
    return next((place for place, word in enumerate(_PREFERRED) if word in name), len(_PREFERRED))
