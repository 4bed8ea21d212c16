"""The steps for every client, and the expected results in the protocol's form."""

import csv
import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from toolbox.catalogue.registry import registry

Told = dict[str, Any]
"""What came of a step: `result` or `error`, what the person was `asked`, which `progress` was heard."""

FEBRUARY = {"teamCode": "CAR", "startDate": "2025-02-01", "endDate": "2025-02-28"}
PAIRS = 7
"""More pairs than `evaluate_sql_questions` does at once: a task, for those who know tasks."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """A step, and the function that checks its result."""

    do: str
    params: dict[str, Any] = field(default_factory=dict)
    judge: Callable[[Told], bool]

    def to_json(self) -> dict[str, Any]:
        """Return it as the programs read it."""
        return {"do": self.do, **self.params}


def _call(name: str, arguments: dict[str, Any], *, do: str = "call") -> dict[str, Any]:
    return {"do": do, "params": {"name": name, "arguments": arguments}}


def _lists_tools(told: Told) -> bool:
    listed = {tool["name"]: tool for tool in told["result"]["tools"]}
    return listed.keys() == {tool.name for tool in registry.tools()} and all(
        listed[tool.name]["inputSchema"] == tool.input_schema
        and listed[tool.name]["outputSchema"]["type"] == "object"
        and listed[tool.name]["annotations"]["readOnlyHint"] is not tool.writes
        and listed[tool.name]["title"]
        for tool in registry.tools()
    )


def _content(told: Told) -> Any:
    """Return the structured content, which the text must repeat."""
    result = told["result"]
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    return result["structuredContent"]


def _games_of_february() -> set[tuple[str, str]]:
    """Read from the shipped season the day and home team of each of Carolina's games that month."""
    shipped = (files("linescore") / "samples" / "periods_2024_2025.csv.gz").read_bytes()
    rows = csv.DictReader(gzip.decompress(shipped).decode().splitlines())
    return {
        (row["date"], row["home"])
        for row in rows
        if "CAR" in (row["home"], row["away"]) and row["date"].startswith("2025-02")
    }


def _answers_from_the_season(told: Told) -> bool:
    rows = _content(told)["data"]["results"]
    found = {(row["game_date"], row["home_team_code"]) for row in rows}
    return not told["result"].get("isError") and len(found) > 0 and found == _games_of_february()


def _teaches(told: Told) -> bool:
    error = _content(told)["error"]
    return told["result"]["isError"] is True and bool(error["suggestion"]) and (
        error["details"]["retryWith"] == {"teamCode": "CAR"}
    )  # fmt: skip


def _is_of_new_york(told: Told) -> bool:
    rows = _content(told)["data"]["results"]
    of_new_york = all({row["home_team_code"], row["away_team_code"]} & {"NYR", "NYI"} for row in rows)
    return told["asked"] == ["Which team is 'New York'?"] and len(rows) > 0 and of_new_york


def _is_evaluated(told: Told, *, pairs: int) -> bool:
    return [score["questions"] for score in _content(told)["scores"] if score["category"] == "all"] == [pairs]


STEPS = {
    "its tools, with schemas and hints": Step(do="tools", judge=_lists_tools),
    "an answer": Step(**_call("query_linescore_data", FEBRUARY), judge=_answers_from_the_season),
    "a refusal that teaches": Step(**_call("query_linescore_data", {"teamCode": "carolina"}), judge=_teaches),
    "its documents": Step(
        do="resources",
        judge=lambda told: "toolroom://guides/linescore" in {one["uri"] for one in told["result"]["resources"]},
    ),
    "its templates": Step(
        do="templates",
        judge=lambda told: (
            "linescore://seasons/{season}" in {one["uriTemplate"] for one in told["result"]["resourceTemplates"]}
        ),
    ),
    "a guide": Step(
        do="read",
        params={"uri": "toolroom://guides/linescore"},
        judge=lambda told: "query_linescore_data" in told["result"]["contents"][0]["text"],
    ),
    "a document of a template": Step(
        do="read",
        params={"uri": "linescore://seasons/2024-2025/teams/CAR"},
        judge=lambda told: len(json.loads(told["result"]["contents"][0]["text"])["games"]) == 82,
    ),
    "a document that is not there": Step(
        do="read",
        params={"uri": "linescore://seasons/1900-1901"},
        judge=lambda told: "no such resource" in told["error"],
    ),
    "its prompts": Step(
        do="prompts", judge=lambda told: "team_form" in {one["name"] for one in told["result"]["prompts"]}
    ),
    "a prompt": Step(
        do="prompt",
        params={"name": "team_form", "arguments": {"team": "CAR"}},
        judge=lambda told: "How does CAR do" in told["result"]["messages"][0]["content"]["text"],
    ),
    "an argument completed": Step(
        do="complete",
        params={"ref": {"type": "ref/prompt", "name": "team_form"}, "argument": {"name": "team", "value": "CAR"}},
        judge=lambda told: "CAR" in told["result"]["completion"]["values"],
    ),
    "a question to the person": Step(
        **_call("query_linescore_data", {"teamCode": "New York", "limit": 3}), judge=_is_of_new_york
    ),
    "progress": Step(
        **_call("evaluate_sql_questions", {"most": 2}, do="progress"),
        # The TypeScript SDK ends a request as it reads the answer, and hands on progress one microtask later: progress
        # that arrives in one read with the answer is lost in it, over stdio now and then.
        judge=lambda told: told["progress"] in ([0, 1], [0]) and _is_evaluated(told, pairs=2),
    ),
    "a call that is cancelled": Step(
        **_call("evaluate_sql_questions", {"most": 4}, do="cancelled"),
        judge=lambda told: "error" in told and 0 in told["progress"],
    ),
    "a call after that": Step(**_call("query_linescore_data", FEBRUARY), judge=_answers_from_the_season),
}  # fmt: skip

TASK = {
    "a task": Step(
        **_call("evaluate_sql_questions", {"most": PAIRS}, do="task"),
        judge=lambda told: _is_evaluated(told, pairs=PAIRS),
    )
}
"""For clients that know the extension."""
