"""Filters of runs in the admin: by outcome, duration and tokens."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.db.models import F, QuerySet

from agents.models import Run
from toolbox.admin_pages.curation import PickFilter


class EndingFilter(PickFilter):
    """Filter by state."""

    title = "state"
    parameter_name = "state"

    def values(self) -> Iterable[tuple[str, str]]:
        """Return the states, and failed or timed out together first."""
        return [("wrong", "Failed or timed out"), *((str(value), str(label)) for value, label in Run.State.choices)]

    def keep(self, rows: QuerySet[Any], value: str) -> QuerySet[Any]:
        """Keep the runs in the state."""
        return rows.filter(state__in=["failed", "timed_out"] if value == "wrong" else [value])


class SlowFilter(PickFilter):
    """Filter by the time from the first worker's claim to the end."""

    title = "took longer than"
    parameter_name = "longer"

    def values(self) -> Iterable[tuple[str, str]]:
        """Return some durations in seconds."""
        return [("10", "10 s"), ("60", "1 minute"), ("300", "5 minutes")]

    def keep(self, rows: QuerySet[Any], value: str) -> QuerySet[Any]:
        """Keep the runs that took longer."""
        return rows.filter(finished_at__gt=F("started_at") + timedelta(seconds=int(value)))


class CostlyFilter(PickFilter):
    """Filter by tokens, which cost money if a price is set."""

    title = "tokens"
    parameter_name = "tokens"

    def values(self) -> Iterable[tuple[str, str]]:
        """Return some numbers of tokens."""
        return [("10000", "more than 10,000"), ("100000", "more than 100,000"), ("1000000", "more than a million")]

    def keep(self, rows: QuerySet[Any], value: str) -> QuerySet[Any]:
        """Keep the runs that used more."""
        kept: QuerySet[Any] = rows.alias(tokens=F("prompt_tokens") + F("completion_tokens")).filter(
            tokens__gt=int(value)
        )
        return kept
