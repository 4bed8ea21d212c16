"""
The registry of every domain's tools, filled once at start and then closed.

Dynamic tools (rows) are kept beside them. `tools()` leaves these out, because documentation, schema snapshot and routes
are built from what the code declares.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import get_close_matches
from itertools import chain

from django.apps import apps

from toolbox.catalogue.documentation import make_guide
from toolbox.contract.caller import Caller
from toolbox.contract.resources import Prompt, Resource
from toolbox.contract.tool import InvalidTool, SkippedRow, Tool, Toolkit


class Registry:
    """Tools by name. Names are unique across domains; nothing can be registered once it is closed."""

    def __init__(self) -> None:
        self._toolkits: dict[str, Toolkit] = {}
        self._tools: dict[str, Tool] = {}
        self._guides: dict[str, Resource] = {}
        self._dynamic: dict[str, Tool] = {}
        self._row_prompts: dict[str, Prompt] = {}
        self._has_loaded_prompts = False
        self._skipped: dict[str, list[SkippedRow]] = {}
        self._described: dict[str, dict[str, tuple[object, ...]]] = {}
        self._listeners: dict[object, Callable[[str], None]] = {}
        self._closed = False

    def register(self, toolkit: Toolkit) -> None:
        """Add a domain's tools, all or none; raises InvalidTool on a name clash or when closed."""
        if self._closed:
            raise InvalidTool(f"{toolkit.domain} came too late: tools are gathered in toolbox.apps, at start")
        if toolkit.domain in self._toolkits:
            raise InvalidTool(f"two toolkits call themselves {toolkit.domain}")
        names = [tool.name for tool in toolkit.tools]
        for name in names:
            if name in self._tools or names.count(name) > 1:
                raise InvalidTool(f"{toolkit.domain}.{name}: another tool has that name")
        slots = [slot.name for slot in toolkit.slots]
        if mistaken := [name for name in slots if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or slots.count(name) > 1]:
            raise InvalidTool(f"{toolkit.domain}: slots have names of their own, in snake_case, not {mistaken[0]!r}")
        self._check_resources(toolkit)
        self._toolkits[toolkit.domain] = toolkit
        self._guides[toolkit.domain] = make_guide(toolkit)
        self._tools |= {tool.name: tool for tool in toolkit.tools}

    def _check_resources(self, toolkit: Toolkit) -> None:
        prompts = [prompt.name for prompt in chain(toolkit.prompts, self.prompts())]
        uris = [resource.uri for resource in chain(toolkit.resources, self.resources())]
        for name in (*prompts, *uris):
            if prompts.count(name) > 1 or uris.count(name) > 1:
                raise InvalidTool(f"{toolkit.domain}: another prompt or document is called {name}")

    def prompts(self, *, domain: str | None = None) -> Iterator[Prompt]:
        """Return the prompts of all domains or of one; declared prompts come before rows."""
        kits = (kit for kit in self._toolkits.values() if domain in (None, kit.domain))
        rows = (prompt for prompt in self._row_prompts.values() if domain in (None, prompt.domain))
        return chain(chain.from_iterable(kit.prompts for kit in kits), rows)

    def replace_prompts(self, written: Iterable[Prompt]) -> None:
        """Replace the prompts that are rows; rows with a taken name or an unknown domain are left out."""
        taken = {prompt.name for kit in self._toolkits.values() for prompt in kit.prompts}
        free = [one for one in written if one.name not in taken and one.domain in self._toolkits]
        before, self._row_prompts = self._row_prompts, {one.name: one for one in free}
        is_change = self._has_loaded_prompts and list(before.values()) != list(self._row_prompts.values())
        self._has_loaded_prompts = True
        if is_change:  # the first load changes nothing that a client has seen
            self.notify("prompts")

    def resources(self, *, domain: str | None = None) -> Iterator[Resource]:
        """Return the resources of all domains or of one; each domain's guide comes first."""
        kits = (kit for kit in self._toolkits.values() if domain in (None, kit.domain))
        return chain.from_iterable((self._guides[kit.domain], *kit.resources) for kit in kits)

    def close(self) -> None:
        """Refuse further registrations."""
        self._closed = True

    def toolkits(self) -> Iterable[Toolkit]:
        """Return the toolkits in the order of INSTALLED_APPS."""
        return self._toolkits.values()

    def replace_dynamic_tools(self, rows: Sequence[Tool | SkippedRow], *, domain: str) -> None:
        """Replace a domain's dynamic tools; a tool whose name is taken is skipped."""
        others = {name: tool for name, tool in self._dynamic.items() if tool.domain != domain}
        kept: dict[str, Tool] = {}
        skipped = [row for row in rows if isinstance(row, SkippedRow)]
        for tool in rows:
            if isinstance(tool, SkippedRow):
                continue
            if tool.name in self._tools or tool.name in others or tool.name in kept:
                skipped.append(SkippedRow(name=tool.name, reason="another tool has that name"))
            else:
                kept[tool.name] = tool
        self._dynamic = others | kept
        self._skipped[domain] = skipped
        self._notify_of_changes(domain)

    def subscribe(self, listener: Callable[[str], None]) -> Callable[[], None]:
        """Call the listener on every change (see `notify`); returns the function that unsubscribes it."""
        token = object()
        self._listeners[token] = listener
        return lambda: self._listeners.pop(token, None) and None

    def _notify_of_changes(self, domain: str) -> None:
        """Notify listeners if what the catalogue shows of a domain differs from the last replacement."""
        every = chain(self.tools(domain=domain), self.dynamic_tools(domain=domain))
        now = {tool.name: _describe_listing(tool) for tool in every}
        before = self._described.get(domain)
        self._described[domain] = now
        if before is not None and before != now:
            self.notify("tools")

    def notify(self, what: str) -> None:
        """Tell this process's listeners what changed: `tools`, `prompts`, or the URI of a resource."""
        for listener in list(self._listeners.values()):
            listener(what)

    def dynamic_tools(self, *, domain: str | None = None) -> Iterator[Tool]:
        """Return the dynamic tools that this process knows now, of all domains or of one."""
        return (tool for tool in self._dynamic.values() if domain in (None, tool.domain))

    def find_skipped(self, *, domain: str) -> list[SkippedRow]:
        """Return a domain's rows that are not offered as tools, with the reasons."""
        return self._skipped.get(domain, [])

    def find(self, name: str, *, domain: str | None = None) -> Tool | None:
        """Return the tool of that name, in that domain if one is given; None if there is none."""
        tool = self._tools.get(name) or self._dynamic.get(name)
        return tool if tool and domain in (None, tool.domain) else None

    def tools(self, *, domain: str | None = None) -> Iterator[Tool]:
        """Return the tools that the code declares, of all domains or of one."""
        return (tool for tool in self._tools.values() if domain in (None, tool.domain))

    def visible_to(self, caller: Caller, *, domain: str | None = None) -> list[Tool]:
        """Return the tools that the caller may use; declared tools come before dynamic ones."""
        every = chain(self.tools(domain=domain), self.dynamic_tools(domain=domain))
        return [tool for tool in every if tool.is_listed_for(caller)]

    def find_nearest(self, name: str, *, caller: Caller) -> list[str]:
        """Return the names of all the caller's tools, those most like `name` first."""
        names = [tool.name for tool in self.visible_to(caller)]
        near = get_close_matches(name[:64], names, n=3, cutoff=0.3)
        return near + [other for other in names if other not in near]


def _describe_listing(tool: Tool) -> tuple[object, ...]:
    """Return what the catalogue shows of a tool."""
    return tool.description, tool.input_schema, tool.output_schema


registry = Registry()


def domain_title(domain: str) -> str:
    """Return a domain's name for people: its app's verbose name."""
    return str(apps.get_app_config(domain).verbose_name) if apps.is_installed(domain) else domain
