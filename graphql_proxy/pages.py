"""Console pages of the schema explorer: upstreams, schemas, types, queries."""

from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_safe

from graphql_proxy import queries
from graphql_proxy.schema import explorer
from graphql_proxy.schema.store import KnownSchema, schemas
from graphql_proxy.upstreams import KnownUpstream, upstreams_of
from toolbox.access.people import require_person
from toolbox.catalogue.dynamic_tools import dynamic_tools
from toolbox.catalogue.registry import registry
from toolbox.contract.caller import Caller
from toolbox.database import event_loop
from toolbox.database.pools import reader
from toolbox.http.pages import require_scope

SCOPE = "graphql_proxy:read"
PAGE, MAX_FOUND, MAX_WORDS, MAX_NEAR = 50, 50, 200, 8
PLURALS = {
    "query": "queries", "mutation": "mutations", "object": "types", "interface": "interfaces", "union": "unions",
    "input": "inputs", "enum": "enums", "scalar": "scalars",
}  # fmt: skip
Row = TypeVar("Row")


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """The position in a paginated list."""

    number: int
    last: int

    @property
    def previous_number(self) -> int:
        """The previous page, 0 if there is none."""
        return self.number - 1

    @property
    def next_number(self) -> int:
        """The next page, 0 if there is none."""
        return self.number + 1 if self.number < self.last else 0


@require_scope(scope=SCOPE)
@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """List the upstreams that the user may query. Redirect to the only one."""
    known = event_loop.run(upstreams_of(require_person(request)))
    if len(known) == 1:
        return redirect("graphql_proxy:schema", slug=known[0].slug)
    newest = event_loop.run(queries.newest_schemas([one.id for one in known], reader=reader)) if known else {}
    return render(request, "graphql_proxy/upstreams.html", {"upstreams": [(one, newest.get(one.id)) for one in known]})


@require_scope(scope=SCOPE)
@require_safe
def schema(request: HttpRequest, *, slug: str) -> HttpResponse:
    """Show the contents of a schema by kind, or the results of a search."""
    caller = require_person(request)
    upstream, known = _open_upstream(caller, slug=slug)
    if known is None:
        return render(request, "graphql_proxy/no_schema.html", {"upstream": upstream})
    words = request.GET.get("q", "").strip()[:MAX_WORDS]
    shown = {"upstream": upstream, "version": known.version, "words": words}
    shown |= _search_schema(known, words=words) if words else _list_kind(request, known=known)
    if request.headers.get("HX-Request"):
        return render(request, "graphql_proxy/schema_list.html", shown)
    return render(request, "graphql_proxy/schema.html", shown | {"tools": _tools_of(upstream, caller=caller)})


@require_scope(scope=SCOPE)
@require_safe
def type_(request: HttpRequest, *, slug: str, name: str) -> HttpResponse:
    """Show a type: its fields or values by page, and what returns or accepts it."""
    upstream, known = _open_upstream(require_person(request), slug=slug)
    of = known.schema.type_map.get(name) if known else None
    if known is None or of is None or name.startswith("__"):
        raise Http404(f"The schema has no type {name}.")
    members = explorer.members(of, root=known.schema.query_type)
    names = [member.name for member in members]
    at = request.GET.get("at", "")
    number = names.index(at) // PAGE + 1 if at in names else _number(request)
    shown, leaf = _cut(members, number=number)
    giving, taking = (
        explorer.list_queries_giving(known.schema, of=of),
        explorer.list_queries_taking(known.schema, of=of),
    )
    context = {
        "upstream": upstream, "type": of, "kind": explorer.kind_of(of), "members": shown, "leaf": leaf, "at": at,
        "count": len(members), "implements": explorer.list_interfaces(of), "giving": giving, "taking": taking,
        "possible": explorer.possible(known.schema, of=of)[: explorer.MAX_RELATED],
    }  # fmt: skip
    return render(request, "graphql_proxy/type.html", context)


@require_scope(scope=SCOPE)
@require_safe
def query(request: HttpRequest, *, slug: str, name: str) -> HttpResponse:
    """Show a query: its arguments, its return type, and a document that runs."""
    upstream, known = _open_upstream(require_person(request), slug=slug)
    root = known.schema.query_type if known else None
    about = root.fields.get(name) if root else None
    if known is None or about is None:
        raise Http404(f"The schema has no query {name}.")
    example = explorer.document(known.schema, name=name)
    arguments = {"query": example["query"], "variables": example["variables"], "upstream": upstream.slug}
    context = {
        "upstream": upstream,
        "query": explorer.member(name, about=about, is_query=True),
        "example": example,
        "try_address": _address("execute_graphql", arguments=arguments),
        "check_address": _address("validate_query", arguments=arguments),
    }
    return render(request, "graphql_proxy/query.html", context)


def _open_upstream(caller: Caller, *, slug: str) -> tuple[KnownUpstream, KnownSchema | None]:
    """Return an upstream with its schema, if one is stored. One that the user may not query is not found."""
    upstream = next((one for one in event_loop.run(upstreams_of(caller)) if one.slug == slug), None)
    if upstream is None:
        raise Http404(f"There is no upstream {slug}.")
    return upstream, event_loop.run(schemas.find(slug))


def _search_schema(known: KnownSchema, *, words: str) -> dict[str, Any]:
    entries = known.index.search(words, limit=MAX_FOUND)
    near = [] if entries else known.index.nearest(words, limit=MAX_NEAR)
    return {
        "found": explorer.list_found(entries, schema=known.schema),
        "is_cut": len(entries) == MAX_FOUND,
        "near": near,
        "strangers": known.index.strangers(words),
    }


def _list_kind(request: HttpRequest, *, known: KnownSchema) -> dict[str, Any]:
    kinds = explorer.kinds_of(known.schema)
    wanted = request.GET.get("kind", "")
    kind = wanted if wanted in kinds else next(iter(kinds), "object")
    rows, leaf = _cut(explorer.list_rows(known.schema, kind=kind), number=_number(request))
    tabs = [(one, PLURALS[one], number) for one, number in kinds.items()]
    return {"tabs": tabs, "kind": kind, "rows": rows, "leaf": leaf, "plural": PLURALS[kind]}


def _tools_of(upstream: KnownUpstream, *, caller: Caller) -> list[Any]:
    """Return the tools whose documents query this upstream: by its name, or without one if it is the default."""
    event_loop.run(dynamic_tools.wait_until_loaded())
    rows = event_loop.run(queries.operations(reader=reader))
    names = [row["name"] for row in rows if row["slug"] == upstream.slug or (upstream.is_default and not row["slug"])]
    found = [tool for name in names if (tool := registry.find(name, domain="graphql_proxy"))]
    return [tool for tool in found if tool.is_listed_for(caller)]


def _cut(rows: list[Row], *, number: int) -> tuple[list[Row], Leaf]:
    last = max(1, -(-len(rows) // PAGE))
    number = min(max(1, number), last)
    return rows[(number - 1) * PAGE : number * PAGE], Leaf(number=number, last=last)


def _number(request: HttpRequest) -> int:
    sent = request.GET.get("page", "")
    return int(sent) if sent.isascii() and sent.isdigit() and len(sent) < 7 else 1  # noqa: PLR2004 - no list is longer


def _address(tool: str, *, arguments: dict[str, Any]) -> str:
    """Return the address of the tool's page with its form filled in. The kernel names tool pages this way."""
    return f"{reverse('console:tool', args=[tool])}?{urlencode({'arguments': explorer.arguments_address(arguments)})}"


app_name = "graphql_proxy"
urlpatterns = [
    path("", index, name="schemas"),
    path("<str:slug>/", schema, name="schema"),
    path("<str:slug>/types/<str:name>/", type_, name="type"),
    path("<str:slug>/queries/<str:name>/", query, name="query"),
]
