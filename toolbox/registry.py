"""The catalogue: every domain's tools, gathered once at start, then closed."""

from collections.abc import Iterable, Iterator
from difflib import get_close_matches

from toolbox.callers import Caller
from toolbox.tool import Tool, Toolkit, ToolMistake


class Registry:
    """Tools by name. Names are unique across domains; nothing can be added once it is closed."""

    def __init__(self) -> None:
        self._toolkits: dict[str, Toolkit] = {}
        self._tools: dict[str, Tool] = {}
        self._closed = False

    def take_in(self, toolkit: Toolkit) -> None:
        """Add a domain's tools, all or none; raises ToolMistake on a clash, or when closed."""
        if self._closed:
            raise ToolMistake(f"{toolkit.domain} came too late: tools are gathered in toolbox.apps, at start")
        if toolkit.domain in self._toolkits:
            raise ToolMistake(f"two toolkits call themselves {toolkit.domain}")
        names = [tool.name for tool in toolkit.tools]
        for name in names:
            if name in self._tools or names.count(name) > 1:
                raise ToolMistake(f"{toolkit.domain}.{name}: another tool has that name")
        self._toolkits[toolkit.domain] = toolkit
        self._tools |= {tool.name: tool for tool in toolkit.tools}

    def close(self) -> None:
        """Refuse what comes from now on."""
        self._closed = True

    def toolkits(self) -> Iterable[Toolkit]:
        """Give the toolkits, in the order of INSTALLED_APPS."""
        return self._toolkits.values()

    def find(self, name: str, *, domain: str | None = None) -> Tool | None:
        """Give the tool of that name, in that domain where one is named."""
        tool = self._tools.get(name)
        return tool if tool and domain in (None, tool.domain) else None

    def tools(self, *, domain: str | None = None) -> Iterator[Tool]:
        """Give the tools, all or a domain's."""
        return (tool for tool in self._tools.values() if domain in (None, tool.domain))

    def visible_to(self, caller: Caller, *, domain: str | None = None) -> list[Tool]:
        """Give the tools that the caller may use."""
        return [tool for tool in self.tools(domain=domain) if caller.has(tool.scope)]

    def nearest(self, name: str, *, caller: Caller) -> list[str]:
        """Name the caller's tools, those most like `name` first."""
        names = [tool.name for tool in self.visible_to(caller)]
        near = get_close_matches(name[:64], names, n=3, cutoff=0.3)
        return near + [other for other in names if other not in near]


registry = Registry()
