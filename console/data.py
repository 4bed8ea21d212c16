"""The page that lists the domains: what each holds, its page, its tools."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from console.navigation import find_domains
from toolbox.access.people import require_person
from toolbox.catalogue.dynamic_tools import dynamic_tools
from toolbox.catalogue.registry import registry
from toolbox.database import event_loop
from toolbox.http.pages import page


@require_GET
@page(domain="console")
def list_domains(request: HttpRequest) -> HttpResponse:
    """List the domains that this person may read."""
    event_loop.run(dynamic_tools.wait_until_loaded())
    caller = require_person(request)
    toolkits = {toolkit.domain: toolkit for toolkit in registry.toolkits()}
    visible = [tool.domain for tool in registry.visible_to(caller)]
    domains = [
        {
            "entry": entry,
            "summary": toolkits[entry.domain].summary if entry.domain in toolkits else "",
            "tools": visible.count(entry.domain),
        }
        for entry in find_domains(caller)
    ]
    return render(request, "console/data.html", {"domains": domains})
