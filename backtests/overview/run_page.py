"""A run's page in the admin: its parameters and the template's context."""

from dataclasses import dataclass
from datetime import UTC
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest

from backtests.models import Category, EventType, Run, Severity
from backtests.moments import read_moment
from backtests.overview import queries as overview
from backtests.overview.charts import draw_panels, measure_run
from backtests.overview.queries import EventSelection, Page
from backtests.store.lists import entity_lists, severity_list

_DEEPEST_PAGE = 10**9
_MAX_VALUE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFilter:
    """The filter of events; invalid parameters are ignored and reported."""

    show: str = ""
    severity: str = ""
    entity: str = ""
    value: str = ""
    first: str = ""
    last: str = ""
    index: int = 0
    faults: tuple[str, ...] = ()

    @classmethod
    def from_request(cls, request: HttpRequest) -> "EventFilter":
        """Parse the page's parameters."""
        given = {name: request.GET.get(name, "").replace("\x00", "")[:_MAX_VALUE].strip() for name in _NAMES}
        faults = [f"{given[name]!r} is not a time." for name in ("first", "last") if not _is_moment(given[name])]
        if given["show"] not in SHOWN:
            given["show"] = ""
        if given["severity"] not in Severity.labels:
            given["severity"] = ""
        if given["entity"] not in ENTITIES:
            given["entity"] = ""
        page = request.GET.get("page", "")
        index = min(int(page), _DEEPEST_PAGE) if page.isascii() and page.isdigit() and len(page) < 20 else 0  # noqa: PLR2004
        return cls(**given, index=index, faults=tuple(faults))

    @property
    def inputs(self) -> list[tuple[str, str, str]]:
        """Return the text fields of the form: name, label, value."""
        words = {"value": "named", "first": "from", "last": "to"}
        return [(name, word, getattr(self, name)) for name, word in words.items()]

    def select_events(self) -> EventSelection:
        """
        Choose the list that holds the events.

        An entity has its own list; a symbol and an indicator have one per type, by default trades or values. Otherwise
        the list is of a type, with one severity or all; else of events with validation errors; else all events.
        """
        bounds = {"first_moment": read_moment(self.first), "last_moment": read_moment(self.last)}
        name = self._list()
        return EventSelection(
            name=name, **{side: moment for side, moment in bounds.items() if name and moment is not None}
        )

    def query(self, *, index: int) -> str:
        """Build the query string of another page of the same events."""
        given = {name: getattr(self, name) for name in _NAMES if getattr(self, name)}
        return urlencode(given | {"page": index})

    def _list(self) -> str | None:
        if self.entity and self.value:
            usual = "IndicatorCalculation" if self.entity == "IndicatorName" else "TradeExecution"
            picked = self.show if self.show in EventType.labels else usual
            return entity_lists(self.entity, value=self.value, event_types=[picked])[0]
        if self.show == WITH_ERRORS:
            return f"v:{self.severity}" if self.severity in ("Error", "Warning") else "v"
        return severity_list(self.show, severity=self.severity or None) if self.show else None


WITH_ERRORS = "With validation errors"
SHOWN = (*EventType.labels[1:], WITH_ERRORS)
ENTITIES = ("SecuritySymbol", "OrderId", "PositionId", "IndicatorName")
_NAMES = ("show", "severity", "entity", "value", "first", "last")


def context(run: Run, *, request: HttpRequest) -> dict[str, Any]:
    """Build the template's context of a run; it reads a bounded number of rows, whatever the run's size."""
    chosen = EventFilter.from_request(request)
    page = overview.page(run.pk, wanted=chosen.select_events(), index=chosen.index, event_count=run.event_count)
    charts = draw_panels([measure_run(run.pk, symbols=run.symbols)])
    return {"charts": charts, "asked": chosen, "choices": _choices()} | _table(page, asked=chosen)


def _choices() -> dict[str, Any]:
    return {"show": SHOWN, "severity": Severity.labels, "entity": ENTITIES}


def _table(page: Page, *, asked: EventFilter) -> dict[str, Any]:
    rows = [
        {
            "at": f"{row.occurred_at.astimezone(UTC):%Y-%m-%d %H:%M:%S.%f}",
            "type": EventType(row.event_type).label,
            "severity": Severity(row.severity).label,
            "category": Category(row.category).label,
            "properties": row.properties,
            "errors": row.validation_errors,
            "event_id": row.event_id,
            "parent": row.parent_event_id,
        }
        for row in page.rows
    ]
    first = page.index * overview.PAGE_SIZE + 1
    return {
        "rows": rows,
        "shown": f"{first:,} to {first + len(rows) - 1:,} of {page.total:,}" if rows else f"none of {page.total:,}",
        "earlier": asked.query(index=page.index - 1) if page.index else "",
        "later": asked.query(index=page.index + 1) if page.has_more else "",
    }


def _is_moment(text: str) -> bool:
    return not text or read_moment(text) is not None
