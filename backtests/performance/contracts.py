"""What may be asked about what runs came to, and what is answered. Imports no Django."""

from datetime import date, datetime
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import Field, WithJsonSchema, model_validator

from backtests.contracts.answers import INCOMPLETE, CamelAnswer, Incomplete, IncompleteRun, Number, PageMetadata
from backtests.contracts.error_envelope import INVALID_PARAMETER
from backtests.contracts.questions import PAGE_INDEX, Guid, PageIndex, PropertyPath, RangeQuestion, RunQuestion
from backtests.vocabulary import EventType, Severity
from toolbox.contract.errors import ToolError
from toolbox.contract.models import NullMeans, ToolInput, WholeNumber

Side = Literal["Long", "Short"]
Outcome = Literal["Won", "Lost", "BreakEven", "Open"]
TradeOrder = Literal["entryTime", "exitTime", "netProfit", "maxFavorable", "maxAdverse", "holdingSeconds"]
Attribution = Literal["symbol", "side", "entryHour", "entryWeekday", "entryMonth", "holdingTime", "exitReason"]
CURRENCY = "Currency of profits where the run has several; without it, that of the run's one account."


class TradesQuestion(RangeQuestion):
    """Round trips of a run; times are those of their entries."""

    security_symbol: str | None = Field(None, max_length=10_000, description="Only round trips in this security.")
    side: Side | None = Field(None, description="Only long or only short ones.")
    outcome: Outcome | None = Field(None, description="By net profit of closed ones; Open for those not closed.")
    sort_by: Annotated[TradeOrder, NullMeans("entryTime")] = Field("entryTime", description="What they are sorted by.")
    descending: Annotated[bool, NullMeans(False)] = Field(  # noqa: FBT003
        default=False, description="The greatest first."
    )
    page_size: Annotated[WholeNumber, NullMeans(100)] = Field(
        100, ge=1, le=1000, description="Number of round trips per page."
    )
    page_index: PageIndex = PAGE_INDEX


class SummaryQuestion(RunQuestion):
    """What a run came to, measured."""

    currency: str | None = Field(None, max_length=20, description=CURRENCY)
    initial_capital: float | None = Field(
        None, gt=0, le=1e15, description="Capital at the start, where the log does not say it or another one is meant."
    )
    periods_per_year: Annotated[WholeNumber, NullMeans(252)] = Field(
        252, ge=1, le=366, description="Days with returns in a year, for annualisation: 252 for shares, 365 for crypto."
    )
    risk_free_rate: Annotated[float, NullMeans(0.0)] = Field(
        0.0, ge=-0.5, le=1, description="Risk-free return a year, such as 0.03."
    )
    benchmark_run_id: Guid | None = Field(None, description="Another run to measure against.")
    benchmark_symbol: str | None = Field(
        None, max_length=10_000, description="A security of this run's market data to measure against, bought and held."
    )

    @model_validator(mode="after")
    def _one_benchmark(self) -> Self:
        if self.benchmark_run_id is not None and self.benchmark_symbol is not None:
            raise ToolError(
                INVALID_PARAMETER,
                "benchmarkRunId and benchmarkSymbol are both given.",
                suggestion="Give one of them.",
                field="benchmarkSymbol",
                retry_with={"benchmarkSymbol": None},
            )
        return self


class PropertyFilter(ToolInput):
    """A property that events must have."""

    path: PropertyPath = Field(description="JSON path to the property, such as '$.SecuritySymbol'.")
    value: str = Field(max_length=1_000, description="Its value as text, exactly.")


class GroupQuestion(RangeQuestion):
    """Events counted and summed by a property."""

    event_type: EventType = Field(description="Type of events to group.")
    group_by: PropertyPath = Field(description="JSON path to the property to group by, such as '$.RejectionReason'.")
    value_path: PropertyPath | None = Field(
        None, description="JSON path to a number to sum, average and take quantiles of, such as '$.Commission'."
    )
    filters: Annotated[list[PropertyFilter], NullMeans([])] = Field(
        default=[], max_length=10, description="Keep events whose properties have these values."
    )
    severity: Severity | None = Field(None, description="Keep events of this severity.")
    without_figures: Annotated[bool, NullMeans(False)] = Field(  # noqa: FBT003
        default=False, description="Put # in place of words with digits, so that reasons that differ in figures meet."
    )
    max_groups: Annotated[WholeNumber, NullMeans(50)] = Field(
        50, ge=1, le=200, description="How many groups to give, those of most events first."
    )


class AttributionQuestion(RunQuestion):
    """Net profit by what round trips have in common."""

    by: Attribution = Field(description="What to divide profit by; hours, weekdays and months are UTC.")
    currency: str | None = Field(None, max_length=20, description=CURRENCY)


class Trade(CamelAnswer):
    """A round trip: a position from flat to flat."""

    trade: int = Field(description="Its number within the run, by entry.")
    security_symbol: str = Field(description="The security.")
    side: Side = Field(description="Long or Short.")
    quantity: Number = Field(description="The most that was held.")
    entry_time: datetime = Field(description="When it was opened.")
    entry_price: Number = Field(description="Average price of the executions that opened or enlarged it.")
    exit_time: datetime | None = Field(description="When it was closed; null while open.")
    exit_price: Number | None = Field(description="Average price of the executions that reduced or closed it.")
    exit_reason: str | None = Field(
        description="Why it was closed, as the last execution or its order says; cut with an ellipsis at 200 letters."
    )
    profit: Number = Field(description="Profit without commissions; what is held counts at the last price seen.")
    commission: Number = Field(description="Commissions paid.")
    commission_currency: str = Field(description="Currency of the commissions; empty where not logged.")
    net_profit: Number = Field(description="Profit less commissions, if these are in the same currency.")
    currency: str = Field(description="Currency of the profits; empty where not logged.")
    max_favorable: Number = Field(description="MFE: its highest profit at prices seen while open, at least 0.")
    max_adverse: Number = Field(description="MAE: its lowest profit at prices seen while open, at most 0.")
    holding_seconds: Number = Field(description="From entry to exit, or to the run's last event.")
    executions: int = Field(description="How many executions it is made of.")
    entry_event_id: UUID = Field(description="The execution that opened it.")
    exit_event_id: UUID | None = Field(description="The execution that closed it.")


class TradePage(CamelAnswer):
    """A page of round trips."""

    trades: list[Trade] = Field(description="The round trips.")
    metadata: PageMetadata = Field(description="Which part of how much this is.")

    def row_count(self) -> int:
        """Count the round trips."""
        return self.metadata.returned_count


class ReturnMeasures(CamelAnswer):
    """Measures of daily returns; null where not defined."""

    total_return: float | None = Field(description="Return over the whole run.")
    cagr: float | None = Field(description="Return a year, compounded.")
    volatility: float | None = Field(description="Sample standard deviation of daily returns, annualised.")
    sharpe: float | None = Field(description="Mean excess return over its standard deviation, annualised.")
    sortino: float | None = Field(description="Mean excess return over downside deviation, annualised.")
    calmar: float | None = Field(description="CAGR over the deepest drawdown.")
    max_drawdown: float | None = Field(description="Deepest fall below the highest equity, negative.")
    best_day: float | None = Field(description="Best daily return.")
    worst_day: float | None = Field(description="Worst daily return.")


class DrawdownAnswer(CamelAnswer):
    """A fall of equity below its highest."""

    depth: float = Field(description="How deep, negative.")
    start_date: date = Field(description="Day of the highest equity before it.")
    bottom_date: date = Field(description="Its deepest day.")
    end_date: date | None = Field(description="Day on which equity was back; null if it was not.")
    days: int = Field(description="Calendar days from start to end, or to the run's last day.")


class TradeMeasures(CamelAnswer):
    """Measures of closed round trips by net profit; null where not defined."""

    closed: int = Field(description="Closed round trips.")
    open: int = Field(description="Round trips that are not closed; in no measure here but netProfit.")
    net_profit: Number = Field(description="Net profit of all round trips, open ones at the last price seen.")
    commission: Number = Field(description="Commissions of all round trips.")
    win_rate: float | None = Field(description="Share of closed ones that earned more than 0.")
    profit_factor: float | None = Field(description="What winners earned over what losers lost.")
    expectancy: float | None = Field(description="Average net profit.")
    average_win: float | None = Field(description="Average of winners.")
    average_loss: float | None = Field(description="Average of losers, negative.")
    payoff_ratio: float | None = Field(description="Average win over average loss.")
    best_trade: float | None = Field(description="Highest net profit.")
    worst_trade: float | None = Field(description="Lowest net profit.")
    average_holding_hours: float | None = Field(description="Average time from entry to exit.")


class ExposureMeasures(CamelAnswer):
    """How much was at risk."""

    time_in_market: float | None = Field(description="Share of the run's time during which anything was held.")
    average_held: float | None = Field(description="Average worth held at days' ends over equity; 1 is fully invested.")
    turnover: float | None = Field(description="Worth bought and sold over average equity, a year.")


class BenchmarkMeasures(CamelAnswer):
    """Measures against a benchmark, over the days that both have; null where not defined."""

    name: str = Field(description="The benchmark.")
    days: int = Field(description="Returns compared.")
    alpha: float | None = Field(description="Return a year that beta does not explain.")
    beta: float | None = Field(description="Covariance with the benchmark over its variance.")
    information_ratio: float | None = Field(description="Mean difference over its standard deviation, annualised.")
    tracking_error: float | None = Field(description="Standard deviation of the differences, annualised.")
    correlation: float | None = Field(description="Correlation of daily returns.")
    benchmark_return: float | None = Field(description="The benchmark's return over these days.")


class SummaryMetadata(CamelAnswer):
    """What the measures were taken from."""

    currency: str = Field(description="Currency of the profits; empty where not logged.")
    profit_source: str = Field(
        description="accounts: PnL events; positions: their updates summed; trips: round trips at prices seen."
    )
    initial_capital: Number | None = Field(description="Capital at the start; null if unknown: returns are undefined.")
    total_profit: Number = Field(description="Profit at the end.")
    first_day: date | None = Field(description="First day with events, UTC.")
    last_day: date | None = Field(description="Last day with events, UTC.")
    days: int = Field(description="Days with events: each has one return.")
    longest_gap_days: int = Field(description="Most calendar days from one day with events to the next.")
    periods_per_year: int = Field(description="What measures were annualised with.")
    years: float = Field(description="Days over periodsPerYear.")
    risk_free_rate: float = Field(description="Risk-free return a year.")
    executions_left_out: int = Field(description="Executions without symbol, direction, quantity or price.")
    notes: list[str] = Field(description="What is surprising about these figures.")
    query_time_ms: int = Field(description="Milliseconds that the question took.")
    incomplete: Incomplete = INCOMPLETE


class Summary(CamelAnswer):
    """What a run came to."""

    run_id: UUID = Field(description="The run's GUID.")
    returns: ReturnMeasures = Field(description="Measures of daily returns.")
    drawdowns: list[DrawdownAnswer] = Field(description="The five deepest, deepest first.")
    drawdown_count: int | None = Field(description="How many there are in all; null where returns are not defined.")
    trades: TradeMeasures = Field(description="Measures of round trips.")
    exposure: ExposureMeasures = Field(description="How much was at risk.")
    benchmark: BenchmarkMeasures | None = Field(description="Measures against a benchmark; null without one.")
    undefined: dict[str, str] = Field(description="Why a measure is null, by its name.")
    metadata: SummaryMetadata = Field(description="What it was measured from.")


class EventGroup(CamelAnswer):
    """Events that share a value."""

    value: str | None = Field(
        description="The property as text, the first 500 letters of a longer one; null for events that do not have it."
    )
    value_length: int | None = Field(description="Letters of the whole text where value is cut; null where it is not.")
    count: int = Field(description="How many events.")
    numbers: int | None = Field(description="How many of them have a number at valuePath; null without a path.")
    sum: Number | None = Field(description="Sum of the numbers, exact.")
    avg: Number | None = Field(description="Their mean.")
    min: Number | None = Field(description="The least.")
    max: Number | None = Field(description="The greatest.")
    quantiles: dict[str, Number] | None = Field(
        description="p05, p25, p50, p75, p95: the least number that so many are at or below."
    )


class GroupMetadata(CamelAnswer):
    """How many groups there are."""

    total_events: int = Field(description="Events that were grouped.")
    total_groups: int = Field(description="Groups there are.")
    other_events: int = Field(description="Events of the groups that are not given.")
    unreadable_events: int = Field(description="Events left out because their text cannot be compared.")
    query_time_ms: int = Field(description="Milliseconds that the question took.")
    incomplete: Incomplete = INCOMPLETE


class EventGroups(CamelAnswer):
    """Events by a property, the most frequent value first."""

    groups: list[EventGroup] = Field(description="The groups.")
    metadata: GroupMetadata = Field(description="How many there are.")

    def row_count(self) -> int:
        """Count the groups."""
        return len(self.groups)


class ProfitGroup(CamelAnswer):
    """Round trips that have something in common."""

    group: str = Field(description="What they have in common.")
    trades: int = Field(description="How many round trips.")
    won: int = Field(description="How many of them earned more than 0.")
    net_profit: Number = Field(description="Their net profit, exact.")
    commission: Number = Field(description="Their commissions.")
    average_net_profit: Number = Field(description="Average net profit.")


class AttributionMetadata(CamelAnswer):
    """What the groups add up to."""

    currency: str = Field(description="Currency of the profits; empty where not logged.")
    total_net_profit: Number = Field(description="Net profit of all round trips, open ones included.")
    total_trades: int = Field(description="Round trips of all groups.")
    total_groups: int = Field(description="Groups there are; the 200 of most profit or loss are given.")
    other_groups: int = Field(description="Groups that are not given.")
    other_trades: int = Field(description="Round trips of the groups that are not given.")
    other_net_profit: Number = Field(description="Net profit of the groups that are not given.")
    query_time_ms: int = Field(description="Milliseconds that the question took.")
    incomplete: Incomplete = INCOMPLETE


class ProfitAttribution(CamelAnswer):
    """Net profit by group."""

    groups: list[ProfitGroup] = Field(description="The groups; hours, weekdays and months in order, others by profit.")
    metadata: AttributionMetadata = Field(description="What they add up to.")

    def row_count(self) -> int:
        """Count the groups."""
        return len(self.groups)


Metric = Literal[
    "sharpe", "sortino", "calmar", "totalReturn", "cagr", "maxDrawdown", "winRate", "profitFactor", "expectancy",
]  # fmt: skip


class RankQuestion(ToolInput):
    """Runs of a sweep, the best first."""

    sweep: str = Field(min_length=1, max_length=200, description="The sweep; list_backtest_runs names each run's.")
    metric: Annotated[Metric, NullMeans("sharpe")] = Field("sharpe", description="What runs are ranked by.")
    trials: WholeNumber | None = Field(
        None, ge=1, le=10**9, description="How many variants were tried in all, if more than the sweep has runs."
    )
    partitions: Annotated[Literal[4, 6, 8, 10, 12], NullMeans(10)] = Field(
        10, description="Parts of the days for the probability of overfitting; half of them choose, the others judge."
    )
    page_size: Annotated[WholeNumber, NullMeans(20)] = Field(20, ge=1, le=1000, description="Number of runs per page.")
    page_index: PageIndex = PAGE_INDEX


class NeighbourMeasures(CamelAnswer):
    """Runs whose parameters differ in one number, by one step of the sweep."""

    count: int = Field(description="How many there are with a value.")
    mean: float | None = Field(description="Mean of their values.")
    worst: float | None = Field(description="The least of their values.")
    stability: float | None = Field(description="Mean over the run's own value, if that is above 0; near 1 is stable.")


class RankedRun(CamelAnswer):
    """A run and its place."""

    rank: int = Field(description="1 is the best.")
    run_id: UUID = Field(description="The run's GUID.")
    name: str = Field(description="Its name, if the log gave one.")
    parameters: dict[str, Any] = Field(description="What the strategy was run with.")
    value: float | None = Field(description="Its value of the metric; null, and last, where not defined.")
    sharpe: float | None = Field(description="Its Sharpe ratio, annualised.")
    total_return: float | None = Field(description="Its return over the whole run.")
    max_drawdown: float | None = Field(description="Its deepest drawdown, negative.")
    closed_trades: int = Field(description="Its closed round trips.")
    deflated_sharpe: float | None = Field(
        description="Probability that its Sharpe ratio is above what the best of so many worthless trials would have."
    )
    neighbours: NeighbourMeasures = Field(description="How neighbouring parameters do.")


class OverfittingMeasures(CamelAnswer):
    """How the best run by Sharpe ratio of half of the days does on the other half, over all halvings of the parts."""

    probability: float = Field(description="PBO: share of halvings where it is not in the better half of the runs.")
    median_rank: float = Field(description="Its median relative rank there; 1 is the best, 0.5 the middle.")
    splits: int = Field(description="Halvings looked at.")
    partitions: int = Field(description="Parts of the days.")
    days: int = Field(description="Days used; those that do not fill the last part are left out.")
    runs: int = Field(description="Runs compared: those with returns that vary.")


class RankingMetadata(CamelAnswer):
    """What was ranked."""

    sweep: str = Field(description="The sweep.")
    metric: str = Field(description="What runs were ranked by.")
    total_count: int = Field(description="Runs that are ranked.")
    trials: int = Field(description="Trials that deflated Sharpe ratios take for granted.")
    expected_best_sharpe: float | None = Field(
        description="Sharpe ratio that the best of so many worthless trials would have; null where fewer than two runs "
        "have different ones, and no Sharpe ratio is deflated then."
    )
    periods_per_year: int = Field(description="What ratios are annualised with; the risk-free rate is 0.")
    overfitting_undefined: str | None = Field(description="Why there is no probability of overfitting.")
    not_built: int = Field(description="Runs left out: not stored whole, not built, or in several currencies.")
    query_time_ms: int = Field(description="Milliseconds that the question took.")


class RunRanking(CamelAnswer):
    """Runs of a sweep, the best first."""

    runs: list[RankedRun] = Field(description="The runs.")
    overfitting: OverfittingMeasures | None = Field(description="How much choosing the best means; null if undefined.")
    metadata: RankingMetadata = Field(description="What was ranked.")

    def row_count(self) -> int:
        """Count the runs."""
        return len(self.runs)


class CompareQuestion(ToolInput):
    """Two runs to compare."""

    first_run_id: Guid = Field(description="A run, a GUID; list_backtest_runs has them.")
    second_run_id: Guid = Field(description="Another run.")


class ComparedRun(CamelAnswer):
    """One of the runs."""

    run_id: UUID = Field(description="The run's GUID.")
    name: str = Field(description="Its name, if the log gave one.")
    decisions: int = Field(description="Its decisions: order states, executions, rejections, risk events.")
    total_profit: Number = Field(description="Its profit at the end.")
    currency: str = Field(description="Currency of its profits; empty where not logged.")
    total_return: float | None = Field(description="Its return; null where not defined.")
    sharpe: float | None = Field(description="Its Sharpe ratio, annualised with 252; null where not defined.")
    max_drawdown: float | None = Field(description="Its deepest drawdown, negative; null where not defined.")


class DivergentSide(CamelAnswer):
    """What one run did where the runs part."""

    decisions: list[Any] = Field(description="Decisions of that moment that only this run made; five at most.")
    decision_count: int = Field(description="How many such decisions there are.")
    next_decision: Any = Field(description="Its next decision, where it made none at that moment; null otherwise.")
    causes: list[Any] = Field(
        description="The chain of events that led to the first of these decisions (or the next decision), by "
        "parentEventId, the decision last; the nearest 20 at most."
    )
    has_more_causes: bool = Field(
        description="True if the first of causes has a parent in the run that is not given: get_events_by_entity or "
        "query_event_sequence have it."
    )
    trades: list[Trade] = Field(description="The first three round trips that end then or later, or are open.")
    trade_count: int = Field(description="How many such round trips there are.")


class SignalDifference(CamelAnswer):
    """An indicator of the security at that moment whose value is not the same in both runs; null where not logged."""

    name: str = Field(description="The indicator.")
    first: Any = Field(description="Its last value in the first run.")
    second: Any = Field(description="Its last value in the second run.")


class Divergence(CamelAnswer):
    """The first decision that differs."""

    timestamp: datetime = Field(description="When it was made.")
    security_symbol: str | None = Field(description="The security, if the decision names one.")
    first: DivergentSide = Field(description="What the first run did.")
    second: DivergentSide = Field(description="What the second run did.")
    signals: list[SignalDifference] = Field(
        description="Indicators of that security that differed then, by name; 50 at most."
    )
    signal_count: int = Field(description="How many such indicators there are.")


class ProfitSince(CamelAnswer):
    """Profit since the end of the day before the runs part."""

    day: date = Field(description="A day that both runs have.")
    first: float = Field(description="Profit of the first run since.")
    second: float = Field(description="Profit of the second run since.")
    difference: float = Field(description="Second less first.")


class ComparisonMetadata(CamelAnswer):
    """What was compared."""

    compared_from: datetime = Field(description="Start of the time that both runs cover.")
    compared_to: datetime = Field(description="End of the time that both runs cover.")
    identical_decisions: int = Field(description="Decisions that both made before they part.")
    notes: list[str] = Field(description="What is surprising about the comparison.")
    query_time_ms: int = Field(description="Milliseconds that the question took.")
    incomplete_runs: Annotated[
        list[IncompleteRun] | None, WithJsonSchema({"type": ["array", "null"], "items": {"type": "object"}})
    ] = Field(
        None,
        description="The runs that are not stored whole, as list_backtest_runs tells it: the answer is of what is "
        "stored of them so far.",
    )


class RunComparison(CamelAnswer):
    """Two runs, and where they part."""

    first: ComparedRun = Field(description="The first run.")
    second: ComparedRun = Field(description="The second run.")
    parameter_differences: dict[str, list[Any]] = Field(description="Parameters that differ: first and second value.")
    divergence: Divergence | None = Field(description="The first decision that differs; null if none does.")
    profit_since: list[ProfitSince] = Field(description="Profit since, 0, 1, 5, 20 and 60 days on, and at the end.")
    metadata: ComparisonMetadata = Field(description="What was compared.")
