"""Tools of the linescore domain."""

from datetime import date

from linescore import queries
from linescore.addresses import more
from linescore.charts import chart_goals
from linescore.contracts import (
    INVALID_DATE,
    INVALID_DATE_RANGE,
    INVALID_SEASON,
    INVALID_TEAM_CODE,
    NO_RESULTS,
    GameResults,
    GamesQuery,
    LinescoreErrorEnvelope,
    LinescoreQuery,
    LinescoreRows,
    QueryMetadata,
    TeamRecord,
)
from linescore.ingest_tool import INGESTION_FAILED, IngestQuestion, IngestResult, ingest
from linescore.refusals import no_results
from linescore.slots import SLOTS
from linescore.team_clarification import clarify_team
from toolbox.contract.answerer import Answerer
from toolbox.contract.client_channel import ClientChannel
from toolbox.contract.tool import Toolkit
from toolbox.database.pools import FetchedRows, reader


def load_answerer() -> Answerer:
    """Make the answerer of questions about games."""
    from linescore.asking.answerer import LinescoreAnswerer

    return LinescoreAnswerer()


toolkit = Toolkit(
    domain="linescore",
    summary="NHL games, scored period by period.",
    envelope=LinescoreErrorEnvelope(),
    slots=SLOTS,
    answerer=load_answerer,
)

_OUTCOMES = "goals decide a period; in period 3, goals into an empty net do not count"
COUNTED = {
    "ranking": f"Periods of regulation, overtime and shootout; {_OUTCOMES}.",
    "two_plus_games": f"Regulation periods only; {_OUTCOMES}.",
    "record": f"Games by final score, a shootout counting one goal. Periods with overtime and shootout; {_OUTCOMES}.",
}


@toolkit.tool(
    example=LinescoreQuery(team_code="CAR", start_date=date(2025, 2, 1), end_date=date(2025, 2, 28)),
    errors=(INVALID_TEAM_CODE, INVALID_DATE, INVALID_DATE_RANGE, INVALID_SEASON, NO_RESULTS),
    deadline_seconds=5,
    links=more,
    rarely_asks=True,
)
async def query_linescore_data(ask: LinescoreQuery, client: ClientChannel) -> LinescoreRows:
    """
    Answer questions about NHL games period by period: results, period-win rankings, two-plus-period games.

    Use it for how a team did in its periods over some days, which teams win (or lose, or tie) the most periods, or how
    often a team wins two or more regulation periods. Which rows come back depends on the filters: wonTwoPlusRegPeriods
    gives games, periodOutcome without teamCode gives a ranking of teams, anything else gives single periods. Periods
    4 and 5 are overtime and shootout. In period 3, goals into an empty net do not count for the outcome.
    """
    found = await queries.period_results(ask, reader=reader)
    if not found.rows and (meant := await clarify_team(ask, client=client, reader=reader)):
        ask, found = meant, await queries.period_results(meant, reader=reader)
    if not found.rows:
        raise await no_results(ask, reader=reader)
    rows, missing = queries.split_missing(found.rows[: ask.limit])
    return LinescoreRows(results=rows, count=len(rows), query_metadata=_metadata(ask, found=found, missing=missing))


@toolkit.tool(
    example=GamesQuery(team_code="CAR", start_date=date(2025, 1, 1), end_date=date(2025, 1, 31), limit=20),
    errors=(INVALID_TEAM_CODE, INVALID_DATE, INVALID_DATE_RANGE, INVALID_SEASON, NO_RESULTS),
    queries=2,
    deadline_seconds=5,
    chart=chart_goals,
)
async def list_game_results(ask: GamesQuery) -> GameResults:
    """
    List NHL games with their final scores, and a team's wins and losses over them.

    Use it for who won, a team's record, home against away, or one team against another. Single periods are in
    query_linescore_data.
    """
    found = await queries.game_rows(ask, reader=reader)
    if not found.rows:
        raise await no_results(ask, reader=reader)
    record = TeamRecord(**await queries.record(ask, reader=reader)) if ask.team_code else None
    rows, missing = queries.split_missing(found.rows[: ask.limit])
    metadata = _metadata(ask, found=found, missing=missing)
    return GameResults(record=record, results=rows, count=len(rows), query_metadata=metadata)


def _metadata(ask: LinescoreQuery | GamesQuery, *, found: FetchedRows, missing: dict[str, int] | None) -> QueryMetadata:
    return QueryMetadata(
        execution_time_ms=round(found.milliseconds, 3),
        was_limited=len(found.rows) > ask.limit,
        filters_applied=ask.filters(),
        counted=COUNTED.get("record" if isinstance(ask, GamesQuery) else queries.pattern_of(ask)),
        missing_games=missing,
    )


@toolkit.tool(
    example=IngestQuestion(start_date=date(2025, 2, 1), end_date=date(2025, 2, 1), source="shipped"),
    errors=(INVALID_DATE, INVALID_DATE_RANGE, INGESTION_FAILED),
    queries=0,
    writes=True,
    deadline_seconds=900,
    is_open_world=True,
    is_idempotent=True,
)
async def ingest_linescore_games(ask: IngestQuestion, client: ClientChannel) -> IngestResult:
    """
    Bring in the games of some days, period by period, so that query_linescore_data knows them.

    Use it when days are missing that were played. Games that are stored and the same are left alone; done twice it
    changes nothing. A month takes a minute or so, and goes on as a task where the client knows tasks.
    """
    return await ingest(ask, client=client)
