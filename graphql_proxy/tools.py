"""What an agent may ask of a GraphQL API."""

from graphql_proxy.asking import Request, ask_upstream, explained
from graphql_proxy.checking import checked
from graphql_proxy.contracts import (
    ASKING_DEADLINE_SECONDS,
    ASKING_ERRORS,
    CHOICE_ERRORS,
    GraphqlAnswer,
    GraphqlDialect,
    GraphqlMutation,
    GraphqlQuery,
    Validity,
)
from graphql_proxy.upstreams import upstream_named
from toolbox.tool import Toolkit

toolkit = Toolkit(domain="graphql_proxy", summary="Questions put to a remote GraphQL API.", dialect=GraphqlDialect())

_STANDINGS = (
    '{ leagueStandings(slug: "nhl", season: "2024-2025", limit: 5) { position team { name } stats { GP W PTS } } }'
)


@toolkit.tool(
    example=GraphqlQuery(query=_STANDINGS), errors=ASKING_ERRORS, queries=4, deadline_seconds=ASKING_DEADLINE_SECONDS
)
async def execute_graphql(ask: GraphqlQuery) -> GraphqlAnswer:
    """
    Run a GraphQL query against the upstream API and answer what it answered, with help where it reports errors.

    First try a convenience tool, which needs no GraphQL: get_player, get_team, get_league_standings,
    get_league_leaders, get_games, get_game_logs. Use execute_graphql for what they do not cover. The full schema of the
    hockey API has 321 available queries: find the right one, its arguments and a query that works with the
    introspect_schema tool instead of guessing names, and check a draft with validate_query, which sends nothing.

    Names are case-sensitive: stats are upper case (GP, G, A, PTS). Lists of a connection stand under edges; fields that
    are objects need a selection. Example: { leagueStandings(slug: "nhl", season: "2024-2025", limit: 5) { position
    team { name } stats { GP W PTS } } }
    """
    return await _run(ask, may_write=False)


@toolkit.tool(
    example=GraphqlMutation(query=_STANDINGS),  # a document that writes would be refused by the default upstream
    errors=ASKING_ERRORS,
    queries=4,
    writes=True,
    deadline_seconds=ASKING_DEADLINE_SECONDS,
)
async def execute_graphql_mutation(ask: GraphqlMutation) -> GraphqlAnswer:
    """
    Run a GraphQL document that may change something at an upstream which allows mutations; others refuse it.

    It needs a key that may write, and in conversations a person's approval. For reading use execute_graphql. It is sent
    once: after a failure find out by a query whether the change was made.
    """
    return await _run(ask, may_write=True)


@toolkit.tool(example=GraphqlQuery(query=_STANDINGS), errors=CHOICE_ERRORS, queries=3)
async def validate_query(ask: GraphqlQuery) -> Validity:
    """
    Tell whether a GraphQL document is valid and what it would cost, without sending it.

    It is held to the stored schema of the upstream and to the limits that execute_graphql keeps. Use it on a draft that
    is long or was refused; hints say how to mend what is wrong.
    """
    upstream = await upstream_named(ask.upstream)
    return await checked(_request(ask), upstream=upstream)


async def _run(ask: GraphqlQuery, *, may_write: bool) -> GraphqlAnswer:
    upstream = await upstream_named(ask.upstream)
    request = _request(ask, may_write=may_write)
    return await explained(await ask_upstream(upstream, request), request, upstream=upstream)


def _request(ask: GraphqlQuery, *, may_write: bool = False) -> Request:
    return Request(
        query=ask.query, variables=ask.variables or {}, operation_name=ask.operation_name, may_write=may_write
    )
