"""Print what the catalogue costs a model: `manage.py catalogue_cost`."""

from typing import Any

from django.core.management.base import BaseCommand
from rich.console import Console
from rich.table import Table

from toolbox.catalogue.registry import registry
from toolbox.mcp.tool_listing import BYTES_PER_TOKEN, CatalogueCost, measure_compact_cost, measure_cost


class Command(BaseCommand):
    """Bytes and tokens of every tool, and of every address, by transport."""

    help = "Print what each tool, and each address, costs a model that is shown it; a token is taken as four bytes."

    def handle(self, *args: Any, **options: Any) -> None:
        """Print one table: tools, then addresses."""
        table = Table("", "name, description, input", "whole over MCP", "OpenAI function", title="bytes (tokens)")
        for tool in registry.tools():
            table.add_row(tool.name, *_cells(measure_cost([tool])))
        table.add_section()
        for toolkit in registry.toolkits():
            table.add_row(f"/mcp/{toolkit.domain}", *_cells(measure_cost(toolkit.tools)))
        table.add_row("/mcp", *_cells(measure_cost(registry.tools())))
        compact = measure_compact_cost()
        table.add_row("/mcp/compact", *_cells(CatalogueCost(request=compact, mcp=compact, function=compact)))
        console = Console(width=120)
        with console.capture() as drawn:
            console.print(table)
        self.stdout.write(drawn.get())


def _cells(cost: CatalogueCost) -> list[str]:
    return [f"{size:,} ({size // BYTES_PER_TOKEN:,})" for size in (cost.request, cost.mcp, cost.function)]
