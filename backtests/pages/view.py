"""Parameters of a run's page: time range, moment, symbol, event type."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from backtests.moments import format_exactly, moment_of, read_moment, time_of
from backtests.runs.queries import Row
from backtests.vocabulary import EVENT_TYPES

MAX_VALUE, MAX_DIGITS, MILLISECOND = 500, 9, 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """
    The range from `first` to `last` and the moment `at` whose state is shown, all within the run's events.

    `faults` has a message for each invalid parameter.
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
    def from_parameters(cls, asked: Mapping[str, str], *, run: Row) -> "View":
        """Parse a page's parameters; the run must have events."""
        given = {name: asked.get(name, "").replace("\x00", "")[:MAX_VALUE].strip() for name in _NAMES}
        begin, end = moment_of(run["first_event_at"]), moment_of(run["last_event_at"])
        faults = [
            f"“{given[name][:40]}” is no time: write it as 2011-06-01T14:30:00, in UTC."
            for name in ("from", "to", "at")
            if given[name] and read_moment(given[name]) is None
        ]
        first = _clamp_moment(given["from"], begin=begin, end=end, usual=begin)
        last = _clamp_moment(given["to"], begin=begin, end=end, usual=end)
        if first > last:
            faults.append("The stretch ends before it begins: the whole run is shown.")
            first, last = begin, end
        at = _clamp_moment(given["at"], begin=begin, end=end, usual=last)
        asked_at = read_moment(given["at"]) if given["at"] else None
        if asked_at is not None and abs(at - asked_at) >= MILLISECOND:
            faults.append(
                f"Events are from {format_exactly(begin)} to {format_exactly(end)}: the nearest moment is shown."
            )
        symbol = given["symbol"] if given["symbol"] in run["symbols"] else ""
        if given["symbol"] != symbol:
            faults.append(f"The run has no symbol “{given['symbol'][:40]}”: all are shown.")
        show = given["show"] if given["show"] in EVENT_TYPES else ""
        return cls(
            first=first, last=last, at=at, is_whole=(first, last) == (begin, end), symbol=symbol, show=show,
            page=page_index(given["page"]), faults=tuple(faults),
        )  # fmt: skip

    def query(self, **changes: Any) -> str:
        """Build the query string of the same page with some parameters replaced."""
        other = replace(self, **({"page": 0} | changes))
        stretch = {} if other.is_whole else {"from": format_exactly(other.first), "to": format_exactly(other.last)}
        named = {"symbol": other.symbol, "show": other.show, "page": other.page}
        return urlencode(
            stretch | {"at": format_exactly(other.at)} | {name: value for name, value in named.items() if value}
        )

    def narrow_query(self, *, first: int, last: int) -> str:
        """Build the query string of the same moment in a shorter range."""
        return self.query(first=first, last=last, is_whole=False)

    @property
    def moment(self) -> str:
        """Format the moment for a form's field, in milliseconds; it then includes all events of its millisecond."""
        return time_of(self.at).replace(tzinfo=None).isoformat(timespec="milliseconds")

    @property
    def moment_text(self) -> str:
        """Format the moment for people."""
        return format_exactly(self.at).replace("T", " ")

    @property
    def stretch(self) -> tuple[str, str]:
        """Format both ends for a form's fields."""
        return format_exactly(self.first), format_exactly(self.last)


def page_index(text: str) -> int:
    """Parse a page index, counted from zero; an invalid one is 0."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS else 0


_NAMES = ("from", "to", "at", "symbol", "show", "page")


def _clamp_moment(text: str, *, begin: int, end: int, usual: int) -> int:
    read = read_moment(text) if text else None
    return usual if read is None else min(max(read, begin), end)
