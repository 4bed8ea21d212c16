"""What somebody looks at in a run: a stretch of time, a moment in it, a symbol, a type of event."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from backtests.moments import moment_of, read_moment, time_of, written
from backtests.queries import Row
from backtests.vocabulary import EVENT_TYPES

MAX_VALUE, MAX_DIGITS, MILLISECOND = 500, 9, 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Looking:
    """
    The stretch from `first` to `last`, and the moment `at` whose state is shown, all within the run's events.

    `faults` says what was asked and cannot be, in sentences.
    """

    first: int
    last: int
    at: int
    is_whole: bool
    symbol: str = ""
    show: str = ""
    page: int = 0
    faults: tuple[str, ...] = ()

    @classmethod
    def of(cls, asked: Mapping[str, str], *, run: Row) -> "Looking":
        """Read a page's parameters; the run has events."""
        given = {name: asked.get(name, "").replace("\x00", "")[:MAX_VALUE].strip() for name in _NAMES}
        begin, end = moment_of(run["first_event_at"]), moment_of(run["last_event_at"])
        faults = [
            f"“{given[name][:40]}” is no time: write it as 2011-06-01T14:30:00, in UTC."
            for name in ("from", "to", "at")
            if given[name] and read_moment(given[name]) is None
        ]
        first = _within(given["from"], begin=begin, end=end, usual=begin)
        last = _within(given["to"], begin=begin, end=end, usual=end)
        if first > last:
            faults.append("The stretch ends before it begins: the whole run is shown.")
            first, last = begin, end
        at = _within(given["at"], begin=begin, end=end, usual=last)
        asked_at = read_moment(given["at"]) if given["at"] else None
        if asked_at is not None and abs(at - asked_at) >= MILLISECOND:
            faults.append(f"Events are from {written(begin)} to {written(end)}: the nearest moment is shown.")
        symbol = given["symbol"] if given["symbol"] in run["symbols"] else ""
        if given["symbol"] != symbol:
            faults.append(f"The run has no symbol “{given['symbol'][:40]}”: all are shown.")
        show = given["show"] if given["show"] in EVENT_TYPES else ""
        return cls(
            first=first, last=last, at=at, is_whole=(first, last) == (begin, end), symbol=symbol, show=show,
            page=page_index(given["page"]), faults=tuple(faults),
        )  # fmt: skip

    def query(self, **changes: Any) -> str:
        """Write the parameters of the same page with something else in it."""
        other = replace(self, **({"page": 0} | changes))
        stretch = {} if other.is_whole else {"from": written(other.first), "to": written(other.last)}
        named = {"symbol": other.symbol, "show": other.show, "page": other.page}
        return urlencode(stretch | {"at": written(other.at)} | {name: value for name, value in named.items() if value})

    def narrowed(self, *, first: int, last: int) -> str:
        """Write the parameters of the same moment in a shorter stretch."""
        return self.query(first=first, last=last, is_whole=False)

    @property
    def moment(self) -> str:
        """Write the moment for a form's field, which takes milliseconds; such a one stands for all of its events."""
        return time_of(self.at).replace(tzinfo=None).isoformat(timespec="milliseconds")

    @property
    def moment_shown(self) -> str:
        """Write the moment for people."""
        return written(self.at).replace("T", " ")

    @property
    def stretch(self) -> tuple[str, str]:
        """Write both ends for a form's fields."""
        return written(self.first), written(self.last)


def page_index(text: str) -> int:
    """Read a page's number, counted from zero; what is none is the first."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS else 0


_NAMES = ("from", "to", "at", "symbol", "show", "page")


def _within(text: str, *, begin: int, end: int, usual: int) -> int:
    read = read_moment(text) if text else None
    return usual if read is None else min(max(read, begin), end)
