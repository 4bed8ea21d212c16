"""
Calls as models get them wrong the first time, and a model that only does what the refusal says.

The mistakes are those of the contracts' error tables and of language models in use: a team's name for its code, a date
in another order, a parameter in another spelling, a number as text, a value outside the list, a reversed range. Each
has the intended call, by which a recovery is judged: answering another question does not count.
"""

import re
from dataclasses import dataclass
from typing import Any

RUN = "079cbad8-9e31-5383-8c7a-3f85849b9439"
Arguments = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class FirstTry:
    """A call as first written, and the intended call."""

    tool: str
    said: Arguments
    meant: Arguments


def _try(tool: str, said: Arguments, **meant: Any) -> FirstTry:
    """Describe a first try; `meant` has the intended values, None for parameters that should be absent."""
    right = {name: value for name, value in (said | meant).items() if value is not None}
    return FirstTry(tool=tool, said=said, meant=right)


def _linescore(said: Arguments, **meant: Any) -> FirstTry:
    return _try("query_linescore_data", said, **meant)


def _of_run(tool: str, said: Arguments, **meant: Any) -> FirstTry:
    return _try(tool, {"runId": RUN, **said}, **meant)


FIRST_TRIES = [
    _linescore({"teamCode": "Carolina"}, teamCode="CAR"),
    _linescore({"teamCode": "car"}, teamCode="CAR"),
    _linescore({"teamCode": "Carolina Hurricanes", "season": "2024-2025"}, teamCode="CAR"),
    _linescore({"teamCode": "hurricanes"}, teamCode="CAR"),
    _linescore({"teamCode": "CAN", "startDate": "2025-02-01"}, teamCode="VAN"),
    _linescore(
        {"teamCode": "CAR", "startDate": "2025-02-28", "endDate": "2025-02-01"},
        startDate="2025-02-01",
        endDate="2025-02-28",
    ),
    _linescore({"teamCode": "CAR", "startDate": "2025-02-01", "endDate": "2025-02-30"}, endDate="2025-02-28"),
    _linescore(
        {"teamCode": "CAR", "startDate": "2025/02/01", "endDate": "2025/02/28"},
        startDate="2025-02-01",
        endDate="2025-02-28",
    ),
    _linescore({"teamCode": "CAR", "startDate": "February 1, 2025"}, startDate="2025-02-01"),
    _linescore({"teamCode": "CAR", "startDate": "02/01/2025"}, startDate="2025-02-01"),
    _linescore({"teamCode": "CAR", "season": "2024"}, season="2024-2025"),
    _linescore({"teamCode": "CAR", "season": "2024-25"}, season="2024-2025"),
    _linescore({"teamCode": "CAR", "season": "20242025"}, season="2024-2025"),
    _linescore(
        {"teamCode": "CAR", "startDate": "2025-07-01", "endDate": "2025-07-31"},
        startDate="2024-10-04",
        endDate="2025-04-17",
    ),
    _linescore({"team_code": "CAR"}, team_code=None, teamCode="CAR"),
    _linescore({"team": "CAR"}, team=None, teamCode="CAR"),
    _linescore(
        {"teamCode": "CAR", "start_date": "2025-02-01", "end_date": "2025-02-28"},
        start_date=None, end_date=None, startDate="2025-02-01", endDate="2025-02-28",
    ),
    _linescore({"teamCode": "CAR", "periodOutcome": "win"}, periodOutcome="WIN"),
    _linescore({"teamCode": "CAR", "periodOutcome": "WON"}, periodOutcome="WIN"),
    _linescore({"teamCode": "CAR", "wonTwoPlusRegPeriods": "true"}, wonTwoPlusRegPeriods=True),
    _linescore({"teamCode": "CAR", "limit": "10"}, limit=10),
    _linescore({"teamCode": "CAR", "rival": "TBL"}, rival=None),
    _of_run("get_events_by_type", {"eventType": "trade_execution"}, eventType="TradeExecution"),
    _of_run("get_events_by_type", {"eventType": "OrderPlaced"}, eventType="StateChange"),
    _try(
        "get_events_by_type", {"run_id": RUN, "eventType": "TradeExecution"}, run_id=None, runId=RUN
    ),
    _of_run("get_events_by_type", {"eventType": "TradeExecution", "pageSize": 5000}, pageSize=1000),
    _of_run("get_events_by_type", {"eventType": "TradeExecution", "severity": "info"}, severity="Info"),
    _of_run(
        "get_events_by_type",
        {"eventType": "TradeExecution", "startTime": "2011-12-31T00:00:00Z", "endTime": "2011-06-01T00:00:00Z"},
        startTime="2011-06-01T00:00:00.000Z", endTime="2011-12-31T00:00:00.000Z",
    ),
    _of_run("get_events_by_entity", {"entityType": "Symbol", "entityValue": "AAPL"}, entityType="SecuritySymbol"),
    _of_run(
        "get_events_by_entity", {"entityType": "security_symbol", "entityValue": "AAPL"}, entityType="SecuritySymbol"
    ),
    _of_run(
        "aggregate_metrics", {"eventType": "TradeExecution", "propertyPath": "Price"}, propertyPath="$.Price"
    ),
    _of_run(
        "aggregate_metrics", {"eventType": "TradeExecution", "propertyPath": "$['Price']"}, propertyPath="$.Price"
    ),
    _of_run(
        "aggregate_metrics",
        {"eventType": "TradeExecution", "propertyPath": "$.Price", "aggregations": ["mean"]},
        aggregations=["avg"],
    ),
    _of_run("get_state_snapshot", {"timestamp": "2099-01-01T00:00:00Z"}, timestamp="2012-12-31T23:59:59.999Z"),
    _of_run(
        "get_state_snapshot", {"time": "2011-12-30T22:00:00Z"}, time=None, timestamp="2011-12-30T22:00:00Z"
    ),
    _try("list_backtest_runs", {"symbol": "AAPL.NASDAQ"}, symbol=None, securitySymbol="AAPL.NASDAQ"),
    _try(
        "get_games", {"dateFrom": "2025-02-28", "dateTo": "2025-02-01"}, dateFrom="2025-02-01", dateTo="2025-02-28"
    ),
    _try("get_games", {"season": "2024-25"}, season="2024-2025"),
    _try("get_games", {"status": "completed"}, status="COMPLETED"),
    _try("get_games", {"from": "2025-02-01"}, **{"from": None}, dateFrom="2025-02-01"),
]  # fmt: skip


def fix_arguments(said: Arguments, refusal: dict[str, Any]) -> Arguments | None:
    """
    Do what the refusal says, as a reader who knows nothing else; None if it does not say enough.

    `retryWith` is merged. Otherwise a parameter is renamed if another name is offered, and a value is put where the
    mistake is said to be, if the suggestion names one.
    """
    error = refusal.get("error", refusal)
    details = error.get("details") or {}
    if patch := details.get("retryWith"):
        return {name: value for name, value in (said | patch).items() if value is not None}
    field = str(error.get("field") or details.get("field") or "")
    suggestion = str(error.get("suggestion") or details.get("suggestion") or "")
    if field in said and (named := re.match(r"Use (\w+)\. The parameters are", suggestion)):
        return {named[1] if name == field else name: value for name, value in said.items()}
    if bound := re.search(r"at (?:most|least) (\d+)", suggestion):
        return said | {field: int(bound[1])}
    choices = re.search(r"one of: ([^,.]+)|'([^']+)'", suggestion)
    value = next((found for found in choices.groups() if found), None) if choices else None
    return said | {field: value} if field in said and value is not None else None
