"""Tools of sprints."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import Field

from sprints.boards.forecast_tool import NO_FORECAST, UNKNOWN_TEAM, ForecastQuestion, ForecastResult
from sprints.contracts import (
    AskSprintsQuestion,
    ExecuteQueryQuestion,
    ExplainResultsQuestion,
    GenerateSqlQuestion,
    GenerateSqlResult,
    PlainAnswer,
    QueryResult,
    RepairSqlQuestion,
    RepairSqlResult,
    SchemaInfo,
    SchemaQuestion,
)
from sprints.envelopes import (
    QUERY_FAILED,
    QUERY_REFUSED,
    TOO_LARGE,
    ExecuteQueryEnvelope,
    GenerateSqlEnvelope,
    SprintsEnvelope,
)
from sprints.evaluation.contracts import Evaluation, EvaluationQuestion
from sprints.ingest_tool import INGESTION_FAILED, NO_SUCH_SITE, IngestedIssues, IngestIssuesQuestion, ingest
from sprints.semantics.metric_contracts import (
    UNFIT_TERM,
    UNKNOWN_TERM,
    UNKNOWN_VALUE,
    ListMetricsQuestion,
    MetricFilter,
    MetricList,
    MetricRows,
    QueryMetricQuestion,
)
from sprints.slots import SLOTS
from toolbox.contract.answerer import Answerer
from toolbox.contract.client_channel import ClientChannel
from toolbox.contract.tool import Toolkit
from toolbox.database.pools import reader
from toolbox.model import configured_model

MODEL_DEADLINE_SECONDS = 60.0


def load_answerer() -> Answerer:
    """Make the answerer of questions about sprints."""
    from sprints.asking.answerer import SprintsAnswerer

    return SprintsAnswerer(clock=lambda: datetime.now(UTC))


toolkit = Toolkit(
    domain="sprints",
    summary="Questions in plain language over issues, sprints and teams.",
    envelope=SprintsEnvelope(),
    slots=SLOTS,
    answerer=load_answerer,
)


@toolkit.tool(example=SchemaQuestion(), works_offline=True)
async def get_schema(ask: SchemaQuestion) -> SchemaInfo:
    """
    List the views that SQL may read: columns with types and meanings, and how the views join.

    Use it before writing SQL for execute_query, and when a statement failed because a column does not exist. Velocity,
    burndown and carry-over are views of their own; ages of open work are counted to snapshot.as_of, not to now().
    """
    from sprints.schema.reading import load_schema

    return await load_schema()


@toolkit.tool(
    example=GenerateSqlQuestion(natural_language_query="Show all issues in QA status for Team ACCEL"),
    envelope=GenerateSqlEnvelope(),
    queries=5,
    deadline_seconds=MODEL_DEADLINE_SECONDS,
    rarely_asks=True,
)
async def generate_sql(ask: GenerateSqlQuestion, client: ClientChannel) -> GenerateSqlResult:
    """
    Turn a question in plain language into one SELECT for execute_query, with the assumptions made.

    Names of people, teams, sprints and statuses are looked up in the data, misspelt ones too. When the question can
    mean several things, isAmbiguous is true and clarification is what to ask the user; ask it, do not guess.
    """
    from sprints.asking.clarification import generate_with_clarification

    drafted = await generate_with_clarification(
        ask.natural_language_query,
        client=client,
        now=datetime.now(UTC),
        reader=reader,
        model=configured_model(),
        schema=ask.schema_context,
    )
    return GenerateSqlResult(
        sql=drafted.sql,
        clarification=None if drafted.sql else drafted.clarification,
        is_ambiguous=drafted.sql is None,
        assumptions=list(drafted.statements) if drafted.sql else [],
    )


@toolkit.tool(
    example=AskSprintsQuestion(question="How many issues are blocked?"),
    queries=6,
    deadline_seconds=MODEL_DEADLINE_SECONDS,
)
async def ask_sprints(ask: AskSprintsQuestion) -> PlainAnswer:
    """
    Answer a question about sprints, issues, teams and people in one call: words, rows, SQL, assumptions, a chart.

    Use it where the user's own words are the question; use query_metric or SQL for anything else. When isAmbiguous is
    true, answer is what to ask the user.
    """
    from sprints.asking.chat import chat, read_context

    now = datetime.now(UTC)
    before = await read_context(ask.previous, now=now, reader=reader)
    answer = await chat(
        ask.question, now=now, reader=reader, model=configured_model(), context=before.query,
        lost=before.lost,
    )  # fmt: skip
    return PlainAnswer(**{name: getattr(answer, name) for name in PlainAnswer.model_fields})


@toolkit.tool(
    example=ExecuteQueryQuestion(
        sql="SELECT t.team_key, count(*) AS open_issues FROM issues i JOIN teams t ON t.team_id = i.team_id "
        "WHERE i.status_category <> 'Done' GROUP BY t.team_key ORDER BY open_issues DESC LIMIT 10"
    ),
    errors=(QUERY_REFUSED, QUERY_FAILED),
    envelope=ExecuteQueryEnvelope(),
    queries=1,
)
async def execute_query(ask: ExecuteQueryQuestion) -> QueryResult:
    """
    Run one PostgreSQL SELECT over the views of get_schema and give its rows.

    Everything analytical works: joins, WITH, window functions, grouping sets, lateral joins, JSON, regular expressions,
    percentiles. Nothing can be changed, and catalogues cannot be read. Without a LIMIT 50 rows come, at most 1000.
    When it fails, error says why and suggestion what to write instead: fix the statement once and run it again.
    """
    from sprints.sql_sandbox.execution import execute

    return await execute(ask.sql)


@toolkit.tool(
    example=RepairSqlQuestion(
        failed_sql="SELECT s.name FROM sprints s LIMIT 50", error_message="column s.name does not exist"
    ),
    queries=3,
    deadline_seconds=MODEL_DEADLINE_SECONDS,
)
async def repair_sql(ask: RepairSqlQuestion) -> RepairSqlResult:
    """
    Repair a statement that execute_query refused, from its error.

    Misspelt and misplaced columns, views, aliases and values without quotes are repaired from the schema. Run the
    repaired statement once; if it is the same as the failed one, no repair was found and assumptions say why.
    """
    from sprints.asking.sql_repair import repair

    return await repair(
        ask.failed_sql,
        error=ask.error_message,
        reader=reader,
        model=configured_model(),
        schema=ask.schema_context,
    )


@toolkit.tool(
    example=ExplainResultsQuestion(
        query_results=QueryResult(rows=[{"team_key": "ACCEL", "average_points": 41.5}], count=1, runtime_ms=4.2),
        original_query="How many points does ACCEL usually get through per sprint?",
        sql="SELECT t.team_key, round(avg(s.completed_points), 1) AS average_points FROM sprint_summary AS s "
        "JOIN teams AS t USING (team_id) WHERE s.state = 'closed' AND t.team_key = 'ACCEL' "
        "GROUP BY t.team_key LIMIT 10",
    ),
    queries=5,
    deadline_seconds=MODEL_DEADLINE_SECONDS,
)
async def explain_results(
    ask: ExplainResultsQuestion,
) -> Annotated[str, Field(description="Plain text, or a JSON object with explanation and suggestions, as text.")]:
    """
    Put the rows of execute_query into words, as an answer to the user's question.

    The answer is plain text, or a JSON string with `explanation` and `suggestions` (questions to ask next).
    """
    from sprints.asking.explanations import explain
    from sprints.asking.reading import suggest_questions

    said = await explain(
        ask.query_results,
        question=ask.original_query,
        sql=ask.sql,
        model=configured_model(),
        suggestions=await suggest_questions(ask.original_query, now=datetime.now(UTC), reader=reader),
    )
    return said.as_contract()


@toolkit.tool(example=ListMetricsQuestion(search="velocity"), queries=0)
async def list_metrics(ask: ListMetricsQuestion) -> MetricList:
    """
    List the metrics that are defined, and the dimensions, named filters and times that each goes with.

    Use it before query_metric. A metric is defined once, for every tool and page: what counts as done, committed or
    carried over need not be written in SQL again.
    """
    from sprints.semantics import metrics
    from sprints.semantics.model import shipped_model

    return metrics.list_metrics(ask, model=shipped_model())


@toolkit.tool(
    example=QueryMetricQuestion(
        metric="velocity",
        dimensions=["sprint"],
        filters=[MetricFilter(field="team", op="eq", values=["ACCEL"])],
    ),
    errors=(UNKNOWN_TERM, UNFIT_TERM, UNKNOWN_VALUE, TOO_LARGE),
    version=2,
    queries=1,
)
async def query_metric(ask: QueryMetricQuestion) -> MetricRows:
    """
    Compute a metric by dimensions, filtered, over a period of days.

    Prefer it to SQL where list_metrics has the metric: definitions, units and joins are right by construction. The
    answer says in words what was computed; doubts says where two ways to compute it disagree. A term that does not
    exist or does not fit is refused with the nearest ones that do.
    """
    from sprints.semantics import metrics
    from sprints.semantics.model import shipped_model
    from sprints.sql_sandbox.execution import execute_own

    return await metrics.query_metric(ask, model=shipped_model(), run=execute_own)


@toolkit.tool(example=ForecastQuestion(team="ACCEL", points=30), errors=(UNKNOWN_TEAM, NO_FORECAST), queries=2)
async def forecast_completion(ask: ForecastQuestion) -> ForecastResult:
    """
    Forecast when so many story points or issues of a team will be done: the dates for 50, 85 and 95 % likelihood.

    The dates follow from simulated draws of the team's past weeks or sprints, and count from the latest data. Give the
    range, not one date. A team whose history is too short is refused.
    """
    from sprints.boards import forecast_tool

    return await forecast_tool.forecast_completion(ask, reader=reader)


@toolkit.tool(example=EvaluationQuestion(most=2), queries=6, deadline_seconds=1_800)
async def evaluate_sql_questions(ask: EvaluationQuestion, client: ClientChannel) -> Evaluation:
    """
    Measure how well questions are turned into SQL, on the shipped set of questions with gold statements.

    Use it after verified queries, names or the model have changed. The whole set takes a while and goes on as a task
    where the client knows tasks.
    """
    from sprints.evaluation.evaluation_tool import evaluate

    return await evaluate(ask, client=client, now=datetime.now(UTC), reader=reader)


@toolkit.tool(
    example=IngestIssuesQuestion(source="shipped"),
    errors=(INGESTION_FAILED, NO_SUCH_SITE),
    queries=0,
    writes=True,
    deadline_seconds=3_900,
    is_open_world=True,
    is_idempotent=True,
)
async def ingest_jira_issues(ask: IngestIssuesQuestion, client: ClientChannel) -> IngestedIssues:
    """
    Bring in the issues, sprints and history of an organisation's Jira, as far as they changed since the last load.

    Use it when answers are older than the Jira. Done twice it changes nothing; it stops after an hour and goes on where
    it was. It goes on as a task where the client knows tasks.
    """
    return await ingest(ask, client=client)
