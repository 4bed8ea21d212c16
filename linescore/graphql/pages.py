"""Parsing and validation of list arguments: page, order, league, season, day, id."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from graphql import GraphQLError

from linescore.graphql.vocabulary import NHL, PageInfo

DEFAULT_LIMIT, MAX_ROWS, MAX_SKIPPED = 20, 100, 1_000_000


class NotAsked(GraphQLError):
    """An invalid query; the message is shown to the caller."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """At most `limit` rows from `offset`; `order` is the SQL of ORDER BY."""

    limit: int
    offset: int
    sorting: str
    order: str

    @classmethod
    def from_arguments(
        cls,
        *,
        limit: int | None,
        offset: int | None,
        sort: str | None,
        orders: Mapping[str, str],
        most: int = MAX_ROWS,
    ) -> "Page":
        """Parse the arguments; lower a limit above the maximum, refuse an unknown order."""
        size, skipped = DEFAULT_LIMIT if limit is None else limit, offset or 0
        if size < 1 or not 0 <= skipped <= MAX_SKIPPED:
            raise NotAsked(f"limit goes from 1 to {most}, offset from 0 to {MAX_SKIPPED}.")
        sorting = sort or next(iter(orders))
        if sorting not in orders:
            raise NotAsked(f"There is no order {sorting[:40]!r}; sort can be {', '.join(orders)}.")
        return cls(limit=min(size, most), offset=skipped, sorting=sorting, order=orders[sorting])

    def info(self, total: int) -> PageInfo:
        """Describe this page of `total` rows."""
        return PageInfo(
            has_next_page=self.offset + self.limit < total,
            has_previous_page=self.offset > 0,
            limit=self.limit,
            offset=self.offset,
            sorting=self.sorting,
        )


def known_league(slug: str | None) -> None:
    """Refuse any league but the NHL."""
    if slug is not None and slug.lower() != NHL:
        raise NotAsked(f"There is no league {slug[:40]!r}; there is only {NHL!r}.")


def known_season(slug: str | None) -> str | None:
    """Refuse a text that is not a season."""
    if slug is not None and not re.fullmatch(r"[0-9]{4}-[0-9]{4}", slug):
        raise NotAsked(f"A season is written as 2024-2025, not {slug[:40]!r}.")
    return slug


def day(text: str | None) -> date | None:
    """Parse a date such as 2025-02-28. Raises NotAsked."""
    if text is None:
        return None
    try:
        return date.fromisoformat(text[:10])
    except ValueError as wrong:
        raise NotAsked(f"A day is written as 2025-02-28, not {text[:40]!r}.") from wrong


def game_number(text: str | None) -> int | None:
    """Parse a game's id. Raises NotAsked."""
    if text is None:
        return None
    if not re.fullmatch(r"[0-9]{1,18}", text):
        raise NotAsked(f"A game's id is a number, not {text[:40]!r}.")
    return int(text)
