"""Resource URIs of schema parts, and links to what a shortened answer left out."""

from graphql_proxy.schema.contracts import SchemaAnswer, SchemaQuestion
from toolbox.contract.models import Link
from toolbox.contract.resources import fill_uri

TYPE = "graphql://upstreams/{upstream}/types/{type}"
QUERY = "graphql://upstreams/{upstream}/queries/{query}"
SDL = "application/graphql"


def link_omitted_part(ask: SchemaQuestion, *, answer: SchemaAnswer) -> list[Link]:
    """Link to the type or query that lost parts when the answer was shortened."""
    links = []
    if answer.left_out and ask.type_name:
        uri = fill_uri(TYPE, upstream=answer.upstream, type=ask.type_name)
        links.append(_link(uri, name=f"type {ask.type_name}"))
    if answer.left_out and ask.query_name:
        uri = fill_uri(QUERY, upstream=answer.upstream, query=ask.query_name)
        links.append(_link(uri, name=f"query {ask.query_name}"))
    return links


def _link(uri: str, *, name: str) -> Link:
    return Link(uri=uri, name=name[:100], description="All of it, as the schema writes it.", mime_type=SDL)
