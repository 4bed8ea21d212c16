"""The six hockey tools: parameters to variables of stored documents, names to ids."""

from collections.abc import Awaitable, Callable, Mapping

from graphql_proxy.operations import refusals
from graphql_proxy.operations.hockey_contracts import (
    Clarification,
    GameLogsQuestion,
    GamesQuestion,
    LeadersQuestion,
    OperationAnswer,
    PlayerQuestion,
    StandingsQuestion,
    TeamQuestion,
)
from graphql_proxy.operations.name_resolution import Several, resolve_name
from graphql_proxy.operations.operation import operation_named, run, sort_of
from graphql_proxy.upstreams import KnownUpstream, upstream_for
from toolbox.contract.caller import Caller
from toolbox.contract.client_channel import ClientChannel

Looked = PlayerQuestion | TeamQuestion | GamesQuestion | GameLogsQuestion
LookUp = Callable[..., Awaitable[OperationAnswer]]
"""Answers a question of its kind, by `ask` and `caller`. Raises Several for an ambiguous name."""
MAX_OPTION = 120
ANSWER, HEAD_TO_HEAD = "Answer", "HeadToHead"
LOWEST_IS_BEST = ("GAA",)


async def answer_or_ask(look_up: LookUp, *, ask: Looked, client: ClientChannel) -> OperationAnswer:
    """Return the answer. If a name is ambiguous, elicit a choice, else return the clarification."""
    while True:
        try:
            return await look_up(ask, caller=client.caller)
        except Several as several:
            parameter = several.clarification.parameter
            meant = await _pick_candidate(several.clarification, client=client)
            if meant is None or meant == getattr(ask, parameter):
                return several.answer()
            ask = ask.model_copy(update={parameter: meant})


async def _pick_candidate(clarification: Clarification, *, client: ClientChannel) -> str | None:
    """Elicit the choice of a candidate and return its id."""
    options = {_describe_candidate(row): str(row["id"]) for row in clarification.candidates}
    picked = await client.pick(clarification.parameter, message=clarification.question, options=list(options))
    return options[picked] if picked else None


def _describe_candidate(row: Mapping[str, object]) -> str:
    """Describe a candidate by all known fields, to tell namesakes apart."""
    known = [str(value) for name, value in row.items() if name not in ("id", "name") and value is not None]
    about = f" ({', '.join(known)})"[:MAX_OPTION] if known else ""
    return f"{row.get('name', '')}{about}, id {row['id']}"


async def player(ask: PlayerQuestion, *, caller: Caller) -> OperationAnswer:
    """Return a player with the seasons played."""
    upstream = await upstream_for(caller, named=ask.upstream)
    found = await resolve_name(ask.player, kind="player", upstream=upstream)
    variables = {"id": found, "season": ask.season, "league": ask.league, "limit": ask.limit}
    return await _one("player", ask.player, variables, upstream=upstream, limit=ask.limit)


async def team(ask: TeamQuestion, *, caller: Caller) -> OperationAnswer:
    """Return a team with its seasons."""
    upstream = await upstream_for(caller, named=ask.upstream)
    found = await resolve_name(ask.team, kind="team", upstream=upstream, league=ask.league)
    variables = {"id": found, "season": ask.season, "league": ask.league, "limit": ask.limit}
    return await _one("team", ask.team, variables, upstream=upstream, limit=ask.limit)


async def standings(ask: StandingsQuestion, *, caller: Caller) -> OperationAnswer:
    """Return the standings of a league."""
    upstream = await upstream_for(caller, named=ask.upstream)
    operation = await operation_named("get_league_standings")
    sort = sort_of(operation, step=ANSWER, order="stat", stat=ask.sort) if ask.sort else None
    variables = {"league": ask.league, "season": ask.season, "sort": sort, "limit": ask.limit}
    return (await run(operation, step=ANSWER, variables=variables, upstream=upstream, limit=ask.limit)).answer(upstream)


async def leaders(ask: LeadersQuestion, *, caller: Caller) -> OperationAnswer:
    """Return the leaders of a league."""
    upstream = await upstream_for(caller, named=ask.upstream)
    operation = await operation_named("get_league_leaders")
    step = ask.position.capitalize()
    stat = ask.chosen_stat()
    sort = sort_of(operation, step=step, order="rising" if stat in LOWEST_IS_BEST else "stat", stat=stat)
    variables = {"league": ask.league, "season": ask.season, "sort": sort, "limit": ask.limit}
    return (await run(operation, step=step, variables=variables, upstream=upstream, limit=ask.limit)).answer(upstream)


async def games(ask: GamesQuestion, *, caller: Caller) -> OperationAnswer:
    """Return games: of all teams, of one team, or of two against each other."""
    upstream = await upstream_for(caller, named=ask.upstream)
    operation = await operation_named("get_games")
    step = HEAD_TO_HEAD if ask.opponent else ANSWER
    variables = {
        "team": await _team_id(ask.team, upstream=upstream, parameter="team", league=ask.league),
        "opponent": await _team_id(ask.opponent, upstream=upstream, parameter="opponent", league=ask.league),
        "season": ask.season,
        "league": ask.league,
        "dateFrom": ask.date_from,
        "dateTo": ask.date_to,
        "status": ask.status,
        "sort": sort_of(operation, step=step, order=ask.sort),
        "limit": ask.limit,
    }
    is_oldest_first = ask.sort == "oldest"
    ran = await run(
        operation, step=step, variables=variables, upstream=upstream, limit=ask.limit, is_oldest_first=is_oldest_first
    )
    return ran.answer(upstream)


async def game_logs(ask: GameLogsQuestion, *, caller: Caller) -> OperationAnswer:
    """Return the game logs of a player or a team."""
    upstream = await upstream_for(caller, named=ask.upstream)
    operation = await operation_named("get_game_logs")
    player_id = await resolve_name(ask.player, kind="player", upstream=upstream) if ask.player else None
    variables = {
        "player": player_id,
        "team": await _team_id(ask.team, upstream=upstream, parameter="team", league=ask.league),
        "opponent": await _team_id(ask.opponent, upstream=upstream, parameter="opponent", league=ask.league),
        "season": ask.season,
        "league": ask.league,
        "dateFrom": ask.date_from,
        "dateTo": ask.date_to,
        "sort": sort_of(operation, step=ANSWER, order=ask.sort),
        "limit": ask.limit,
    }
    return (await run(operation, step=ANSWER, variables=variables, upstream=upstream, limit=ask.limit)).answer(upstream)


async def _one(
    kind: str, given: str, variables: Mapping[str, object], *, upstream: KnownUpstream, limit: int
) -> OperationAnswer:
    operation = await operation_named(f"get_{kind}")
    ran = await run(operation, step=ANSWER, variables=variables, upstream=upstream, limit=limit)
    if ran.flat.record is None:
        raise refusals.not_found(kind, given=given, upstream=upstream)
    return ran.answer(upstream)


async def _team_id(given: str | None, *, upstream: KnownUpstream, parameter: str, league: str | None) -> str | None:
    if given is None:
        return None
    return await resolve_name(given, kind="team", upstream=upstream, parameter=parameter, league=league)
