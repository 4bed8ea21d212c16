"""What a page shows of an answer's rows: a table, and a chart where something says what to draw."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from console.tools.line_chart import LineChart, draw_lines
from console.tools.result_chart import Chart, draw_chart
from console.tools.result_table import Table, find_rows, find_table
from toolbox.contract.tool import Tool


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """The rows as a table; as lines over days, or as bars."""

    table: Table | None = None
    lines: LineChart | None = None
    drawing: Chart | None = None


def draw_answer(answer: Any, *, tool: Tool | None, arguments: Any) -> Picture:
    """
    Draw what the answer's own Vega-Lite specification says, else its tool's, else bars of the figures of its rows.

    A tool that specifies charts decides alone: rows for which it specifies none have no chart.
    """
    rows = answer.get("rows") if isinstance(answer, dict) else None
    shown = rows if isinstance(rows, list) and rows else answer
    table = find_table(shown)
    specified: Mapping[str, Any] | None = _read_specification(answer)
    charted = (find_table(_read_values(specified)) or table) if specified else table
    if not specified and tool is not None and tool.chart is not None:
        specified = tool.chart(arguments if isinstance(arguments, dict) else {}, rows=find_rows(shown))
        charted = find_table(_read_values(specified))
    return Picture(table=table, lines=draw_lines(specified), drawing=draw_chart(charted) if charted else None)


def _read_specification(answer: Any) -> dict[str, Any] | None:
    """Give an answer's own specification; a field of an upstream that is called chart too has no such key."""
    chart = answer.get("chart") if isinstance(answer, dict) else None
    return chart if isinstance(chart, dict) and "$schema" in chart else None


def _read_values(specification: Any) -> Any:
    """Give the rows that a Vega-Lite specification draws: those columns alone."""
    data = specification.get("data") if isinstance(specification, Mapping) else None
    return data.get("values") if isinstance(data, Mapping) else None
