"""Tools of the GraphQL proxy."""

from graphql_proxy.addresses import link_omitted_part
from graphql_proxy.contracts import (
    ASKING_DEADLINE_SECONDS,
    ASKING_ERRORS,
    CHOICE_ERRORS,
    GraphqlAnswer,
    GraphqlEnvelope,
    GraphqlMutation,
    GraphqlQuery,
    GraphqlRequest,
    Validity,
)
from graphql_proxy.operations import figures
from graphql_proxy.operations.hockey_contracts import (
    OPERATION_ERRORS,
    GameLogsQuestion,
    GamesQuestion,
    LeadersQuestion,
    OperationAnswer,
    PlayerQuestion,
    StandingsQuestion,
    TeamQuestion,
)
from graphql_proxy.operations.saved_operations import SavedOperations
from graphql_proxy.operations.slots import SLOTS
from graphql_proxy.schema.contracts import SCHEMA_ERRORS, SchemaAnswer, SchemaQuestion
from toolbox.contract.caller import CallContext
from toolbox.contract.client_channel import ClientChannel
from toolbox.contract.tool import Toolkit

toolkit: Toolkit = Toolkit(
    domain="graphql_proxy",
    summary="Questions put to a remote GraphQL API.",
    envelope=GraphqlEnvelope(),
    dynamic=SavedOperations(lambda: toolkit),
    slots=SLOTS,
)

_STANDINGS = (
    '{ leagueStandings(slug: "nhl", season: "2024-2025", limit: 5) { position team { name } stats { GP W PTS } } }'
)


@toolkit.tool(
    example=GraphqlRequest(query=_STANDINGS),
    errors=ASKING_ERRORS,
    queries=2,
    deadline_seconds=ASKING_DEADLINE_SECONDS,
    live=figures.describe_counts,
    is_open_world=True,
)
async def execute_graphql(ask: GraphqlRequest, call: CallContext) -> GraphqlAnswer:
    """
    Run a GraphQL query against the upstream API and answer what it answered, with help where it reports errors.

    First try a convenience tool, which needs no GraphQL: get_league_standings, get_team, get_games, get_game_logs,
    get_player, get_league_leaders. Use execute_graphql for what they do not cover. The full schema of the hockey API
    has 321 available queries; what the configured upstreams have stands below. Find the right query, its arguments and
    a document that works with the introspect_schema tool instead of guessing names, and check a draft with
    validate_query, which sends nothing. Where an answer has retryWith, send it again with those arguments.

    Names are case-sensitive: stats are upper case (GP, G, A, PTS). Lists of a connection stand under edges; fields that
    are objects need a selection. Example: { leagueStandings(slug: "nhl", season: "2024-2025", limit: 5) { position
    team { name } stats { GP W PTS } } }
    """
    return await _run(ask, call=call, may_write=False)


@toolkit.tool(
    example=GraphqlMutation(query=_STANDINGS),  # a document that writes would be refused by the default upstream
    errors=ASKING_ERRORS,
    queries=2,
    writes=True,
    deadline_seconds=ASKING_DEADLINE_SECONDS,
    is_open_world=True,
)
async def execute_graphql_mutation(ask: GraphqlMutation, call: CallContext) -> GraphqlAnswer:
    """
    Run a GraphQL document that may change something at an upstream which allows mutations; others refuse it.

    It needs a key that may write, and in conversations a person's approval. For reading use execute_graphql. It is sent
    once: after a failure find out by a query whether the change was made.
    """
    return await _run(ask, call=call, may_write=True)


@toolkit.tool(example=GraphqlQuery(query=_STANDINGS), errors=CHOICE_ERRORS, queries=3)
async def validate_query(ask: GraphqlQuery, call: CallContext) -> Validity:
    """
    Tell whether a GraphQL document is valid and what it would cost, without sending it.

    It is held to the stored schema of the upstream and to the limits that execute_graphql keeps; variables and
    operationName are judged too. Use it on a draft that is long or was refused: hints say how to fix what is wrong, and
    retryWith is the corrected request where there is exactly one valid fix.
    """
    from graphql_proxy.execution.execute import Request
    from graphql_proxy.execution.validation import validate_request
    from graphql_proxy.upstreams import upstream_for

    upstream = await upstream_for(call.caller, named=ask.upstream)
    request = Request(query=ask.query, variables=ask.variables or {}, operation_name=ask.operation_name)
    return await validate_request(request, upstream=upstream)


@toolkit.tool(
    example=SchemaQuestion(search="league standings"), errors=SCHEMA_ERRORS, queries=2, links=link_omitted_part
)
async def introspect_schema(ask: SchemaQuestion, call: CallContext) -> SchemaAnswer:
    """
    Look into the upstream's GraphQL schema: find a query, see its arguments and answer, get a document that runs.

    Use it before writing a query for execute_graphql. search finds queries, types and fields by words; queryName shows
    one query or mutation with its arguments, what it returns to the asked depth, and an example that the schema
    accepts; field shows all arguments of a field; typeName the members of a type or enum. Without parameters it counts.
    """
    from graphql_proxy.schema.introspection import describe_schema

    return await describe_schema(ask, caller=call.caller)


@toolkit.tool(
    example=StandingsQuestion(league="nhl", season="2024-2025", limit=8),
    errors=OPERATION_ERRORS,
    queries=3,
    deadline_seconds=ASKING_DEADLINE_SECONDS,
    live=figures.describe_operation("get_league_standings"),
    is_open_world=True,
)
async def get_league_standings(ask: StandingsQuestion, call: CallContext) -> OperationAnswer:
    """
    Show the table of a league's season: position, games, wins, losses, points, goals of every team.

    Use it for who leads a league, how teams compare, or where a team stands. sort orders by one number.
    """
    from graphql_proxy.operations import hockey

    return await hockey.standings(ask, caller=call.caller)


@toolkit.tool(
    example=TeamQuestion(team="Carolina Hurricanes", season="2024-2025"),
    errors=OPERATION_ERRORS,
    queries=3,
    deadline_seconds=ASKING_DEADLINE_SECONDS,
    live=figures.describe_operation("get_team"),
    rarely_asks=True,
    is_open_world=True,
)
async def get_team(ask: TeamQuestion, client: ClientChannel) -> OperationAnswer:
    """
    Show a hockey team: city, arena, league, and its numbers season by season.

    Where a name fits several teams, the answer lists them
    in clarification: ask again with the id.
    """
    from graphql_proxy.operations import hockey

    return await hockey.answer_or_ask(hockey.team, ask=ask, client=client)


@toolkit.tool(
    example=GamesQuestion(team="Carolina Hurricanes", season="2024-2025", limit=5),
    errors=OPERATION_ERRORS,
    queries=3,
    deadline_seconds=ASKING_DEADLINE_SECONDS,
    live=figures.describe_operation("get_games"),
    rarely_asks=True,
    is_open_world=True,
)
async def get_games(ask: GamesQuestion, client: ClientChannel) -> OperationAnswer:
    """
    List games with their scores: of a league, of a team, or of two teams against each other.

    Use it for results, schedules and head-to-head records; bound them by season or days. Teams are ids or names; where
    a name fits several, the answer lists them in clarification.
    """
    from graphql_proxy.operations import hockey

    return await hockey.answer_or_ask(hockey.games, ask=ask, client=client)


@toolkit.tool(
    example=GameLogsQuestion(team="Carolina Hurricanes", season="2024-2025", limit=5),
    errors=OPERATION_ERRORS,
    queries=3,
    deadline_seconds=ASKING_DEADLINE_SECONDS,
    live=figures.describe_operation("get_game_logs"),
    rarely_asks=True,
    is_open_world=True,
)
async def get_game_logs(ask: GameLogsQuestion, client: ClientChannel) -> OperationAnswer:
    """
    List a player's or a team's games as they saw them: opponent, outcome, score, and the player's numbers.

    Use it for form, streaks and single performances. Give player, team or both, by id or name. An upstream without
    players refuses player and says so.
    """
    from graphql_proxy.operations import hockey

    return await hockey.answer_or_ask(hockey.game_logs, ask=ask, client=client)


@toolkit.tool(
    example=PlayerQuestion(player="Sebastian Aho", season="2024-2025"),
    errors=OPERATION_ERRORS,
    queries=3,
    deadline_seconds=ASKING_DEADLINE_SECONDS,
    live=figures.describe_operation("get_player"),
    rarely_asks=True,
    is_open_world=True,
)
async def get_player(ask: PlayerQuestion, client: ClientChannel) -> OperationAnswer:
    """
    Show a hockey player: position, birth, size, team, and the numbers of each season.

    Give an id or a name; where a name fits several players, the answer lists them in clarification: ask again with the
    id. An upstream without players refuses and says so.
    """
    from graphql_proxy.operations import hockey

    return await hockey.answer_or_ask(hockey.player, ask=ask, client=client)


@toolkit.tool(
    example=LeadersQuestion(league="nhl", season="2024-2025", stat="PTS"),
    errors=OPERATION_ERRORS,
    queries=3,
    deadline_seconds=ASKING_DEADLINE_SECONDS,
    live=figures.describe_operation("get_league_leaders"),
    is_open_world=True,
)
async def get_league_leaders(ask: LeadersQuestion, call: CallContext) -> OperationAnswer:
    """
    Show the best players of a league's season by one number, such as points, goals or save percentage.

    Use it for scoring races and rankings of skaters or goalies. An upstream without players refuses and says so.
    """
    from graphql_proxy.operations import hockey

    return await hockey.leaders(ask, caller=call.caller)


async def _run(ask: GraphqlRequest, *, call: CallContext, may_write: bool) -> GraphqlAnswer:
    from graphql_proxy.execution.execute import Request, ask_upstream, explain_outcome
    from graphql_proxy.response_budget import bound_answer
    from graphql_proxy.upstreams import upstream_for

    upstream = await upstream_for(call.caller, named=ask.upstream)
    request = Request(
        query=ask.query,
        variables=ask.variables or {},
        operation_name=ask.operation_name,
        may_write=may_write,
        idempotency_key=call.idempotency_key,
        request_id=call.request_id,
    )
    outcome = await ask_upstream(upstream, request=request)
    answer = await explain_outcome(outcome, request=request, upstream=upstream)
    return bound_answer(
        answer, limits=outcome.limits, upstream=upstream, max_tokens=ask.max_tokens, has_written=may_write
    )
