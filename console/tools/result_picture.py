"""What a page shows of an answer's rows: a table, and a chart if a specification or the figures allow one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from console.tools.line_chart import LineChart, draw_lines
from console.tools.result_chart import Chart, draw_chart
from console.tools.result_table import Table, find_rows, find_table
from toolbox.contract.tool import Tool


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """The rows as a table, and as lines over days or as bars."""

    table: Table | None = None
    lines: LineChart | None = None
    drawing: Chart | None = None


def draw_answer(answer: Any, *, tool: Tool | None, arguments: Any) -> Picture:
    """
    Draw the answer's own Vega-Lite specification, else its tool's, else bars of the rows' figures.

    If a tool specifies charts, rows for which it returns no specification have no chart.
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
    """Return an answer's own specification; `$schema` tells it from an upstream's field that is also named `chart`."""
    chart = answer.get("chart") if isinstance(answer, dict) else None
    return chart if isinstance(chart, dict) and "$schema" in chart else None


def _read_values(specification: Any) -> Any:
    """Return the rows that a Vega-Lite specification draws; they have only the drawn columns."""
    data = specification.get("data") if isinstance(specification, Mapping) else None
    return data.get("values") if isinstance(data, Mapping) else None
