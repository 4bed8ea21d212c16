"""What runs are picked by in the admin: those that went wrong, were slow, or cost much."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.db.models import F, QuerySet

from agents.models import Run
from toolbox.admin_pages.curation import PickFilter


class EndingFilter(PickFilter):
    """Runs by how they ended, or where they stand."""

    title = "state"
    parameter_name = "state"

    def values(self) -> Iterable[tuple[str, str]]:
        """Name the states, those that went wrong together first."""
        return [("wrong", "Failed or timed out"), *((str(value), str(label)) for value, label in Run.State.choices)]

    def keep(self, rows: QuerySet[Any], value: str) -> QuerySet[Any]:
        """Keep what is in the state."""
        return rows.filter(state__in=["failed", "timed_out"] if value == "wrong" else [value])


class SlowFilter(PickFilter):
    """Runs by how long they took, from the first worker to the end."""

    title = "took longer than"
    parameter_name = "longer"

    def values(self) -> Iterable[tuple[str, str]]:
        """Give some durations."""
        return [("10", "10 s"), ("60", "1 minute"), ("300", "5 minutes")]

    def keep(self, rows: QuerySet[Any], value: str) -> QuerySet[Any]:
        """Keep what took longer."""
        return rows.filter(finished_at__gt=F("started_at") + timedelta(seconds=int(value)))


class CostlyFilter(PickFilter):
    """Runs by the tokens they took, which cost money where a price is set."""

    title = "tokens"
    parameter_name = "tokens"

    def values(self) -> Iterable[tuple[str, str]]:
        """Give some numbers."""
        return [("10000", "more than 10,000"), ("100000", "more than 100,000"), ("1000000", "more than a million")]

    def keep(self, rows: QuerySet[Any], value: str) -> QuerySet[Any]:
        """Keep what took more."""
        kept: QuerySet[Any] = rows.alias(tokens=F("prompt_tokens") + F("completion_tokens")).filter(
            tokens__gt=int(value)
        )
        return kept
