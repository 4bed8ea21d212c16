"""The first divergence of two runs on a page: the decisions, their causes, and the profit that followed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import msgspec
import orjson
from django.urls import reverse

from backtests.moments import moment_of
from backtests.pages.event_words import describe_event
from backtests.pages.number_text import plain, write_signed
from backtests.performance.comparison import compare
from backtests.performance.contracts import CompareQuestion, DivergentSide, RunComparison, Trade
from toolbox.admin_pages.panels import Figures
from toolbox.contract.errors import ToolError
from toolbox.database.pools import reader

MAX_WORDS = 200
_DECODER = msgspec.json.Decoder(dict[str, msgspec.Raw])


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """The answer of compare_runs or its refusal; neither unless there are two runs."""

    found: RunComparison | None = None
    refusal: str = ""

    @property
    def moment(self) -> int | None:
        """Return the moment of the first decision that differs."""
        divergence = self.found.divergence if self.found else None
        return moment_of(divergence.timestamp) if divergence else None


async def find_divergence(run_ids: Sequence[UUID]) -> Divergence:
    """Compare two runs; return an empty divergence for more or fewer."""
    if len(run_ids) != 2:  # noqa: PLR2004 - as said
        return Divergence()
    try:
        query = CompareQuestion(first_run_id=run_ids[0], second_run_id=run_ids[1])
        return Divergence(found=await compare(query, reader=reader))
    except ToolError as error:
        return Divergence(refusal=f"{error.message} {error.suggestion}")


def build_divergence_context(comparison: Divergence) -> dict[str, Any]:
    """Build the template's context."""
    found = comparison.found
    context: dict[str, Any] = {"divergence_refusal": comparison.refusal, "comparison": found}
    if found is None:
        return context
    differing = [[name, *map(_format_value, both)] for name, both in found.parameter_differences.items()]
    context["parameters"] = Figures(title="Parameters that differ", head=["", "A", "B"], rows=differing)
    if found.divergence is None:
        return context
    divergence = found.divergence
    followed = [
        [str(one.day), *(write_signed(value) for value in (one.first, one.second, one.difference))]
        for one in found.profit_since
    ]
    signals = [[one.name, _format_value(one.first), _format_value(one.second)] for one in divergence.signals]
    runs = (found.first.run_id, found.second.run_id)
    sides = zip("AB", runs, (divergence.first, divergence.second), strict=True)
    return context | {
        "when": f"{divergence.timestamp:%Y-%m-%d %H:%M:%S.%f}"[:-3],
        "sides": [_describe_side(letter, run_id=run_id, side=side) for letter, run_id, side in sides],
        "signals": Figures(title="Indicators that differed", head=["", "A", "B"], rows=signals),
        "more_signals": divergence.signal_count - len(signals),
        "followed": Figures(title="Profit since", head=["Day", "A", "B", "B less A"], rows=followed),
    }  # fmt: skip


def _describe_side(letter: str, *, run_id: UUID, side: DivergentSide) -> dict[str, Any]:
    chosen = side.decisions or ([side.next_decision] if side.next_decision is not None else [])
    trades = [_make_trade_row(one) for one in side.trades]
    head = ["Entry (UTC)", "Symbol", "Side", "Exit (UTC)", "Net profit", "Exit reason"]
    title = f"Round trips that end then or later: {len(trades)} of {side.trade_count:,}"
    return {
        "letter": letter, "decisions": [_describe_event(one, run_id=run_id) for one in chosen],
        "is_next": not side.decisions, "more": side.decision_count - len(side.decisions),
        "causes": [_describe_event(one, run_id=run_id) for one in side.causes], "has_more_causes": side.has_more_causes,
        "trades": Figures(title=title, head=head, rows=trades),
    }  # fmt: skip


def _describe_event(fragment: Any, *, run_id: UUID) -> dict[str, Any]:
    """Format an event of the answer, with its numbers as logged."""
    raw = _DECODER.decode(orjson.dumps(fragment))
    event_id, when, kind = (msgspec.json.decode(raw[name]) for name in ("eventId", "timestamp", "eventType"))
    words = describe_event(kind, properties=bytes(raw["properties"]).decode())
    address = reverse("backtests:event", args=[run_id, UUID(event_id)])
    return {"address": address, "when": when, "type": kind, "words": words[:MAX_WORDS]}


def _make_trade_row(trade: Trade) -> list[str]:
    end = f"{trade.exit_time:%Y-%m-%d %H:%M}" if trade.exit_time else "not closed"
    return [
        f"{trade.entry_time:%Y-%m-%d %H:%M}", trade.security_symbol, f"{trade.side} {plain(trade.quantity)}", end,
        write_signed(trade.net_profit), trade.exit_reason or "",
    ]  # fmt: skip


def _format_value(value: Any) -> str:
    """Format a value as JSON, but a text as it is."""
    return value if isinstance(value, str) else orjson.dumps(value, default=str).decode()
