"""
Do a task with the raw data only: list, search and read the sample files, and query them in SQL.

This is what an agent would have without Toolroom. Tables of CSV files have the file's columns; those of JSON Lines have
one column, `line`, for SQLite's JSON functions. Nothing is written.
"""

import asyncio
import csv
import gzip
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import aclosing
from importlib.resources import files
from pathlib import Path

from pydantic import Field, TypeAdapter

from agents.evaluation.tasks import Outcome, Task
from agents.runs.run_caller import usable_toolkits
from toolbox.contract.encoding import encode
from toolbox.contract.errors import KERNEL_ENVELOPE, Refusal, ToolError
from toolbox.contract.models import ToolInput, WholeNumber
from toolbox.contract.tool import Tool, ToolFunction
from toolbox.dispatch.arguments import parse_arguments
from toolbox.model import (
    CallRequested,
    Message,
    Model,
    ModelFailure,
    RetryNotice,
    StepEnd,
    TextDelta,
    ToolRequest,
    Used,
)

MAX_STEPS = 24
MAX_ANSWER_BYTES = 20_000
MAX_STEPS_OF_SQLITE = 50_000_000
DATA_FILES = ("*.csv.gz", "*.csv", "*.jsonl.gz", "*.jsonl", "*.graphql")
_READS = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
_PROMPT = """
You answer questions with the files you are given, through the tools. Find facts in the files; do not answer from memory
what they can tell. If they do not answer the question, say so. Answer briefly, with the figures that you found.
"""


class _NoArguments(ToolInput):
    """Nothing."""


class _Search(ToolInput):
    file: str = Field(description="A file that list_files named.")
    text: str = Field(min_length=1, max_length=200, description="Words to look for, in any case.")
    limit: WholeNumber = Field(20, ge=1, le=200, description="Lines to give at most.")


class _Read(ToolInput):
    file: str = Field(description="A file that list_files named.")
    first: WholeNumber = Field(1, ge=1, description="The first line, from 1.")
    count: WholeNumber = Field(50, ge=1, le=500, description="How many lines.")


class _Sql(ToolInput):
    sql: str = Field(min_length=1, max_length=10_000, description="One SELECT of SQLite; list_files names the tables.")


class RawData:
    """The sample files of all domains, and the tools over them."""

    def __init__(self, folders: Sequence[Path]) -> None:
        found = sorted(path for folder in folders for pattern in DATA_FILES for path in folder.glob(pattern))
        self._files = {f"{path.parent.parent.name}/{path.name}": path for path in found}
        self._database: sqlite3.Connection | None = None
        self.tools = [
            self._make_tool(self.list_files, question=_NoArguments, example={}),
            self._make_tool(self.search_file, question=_Search, example={"file": "a", "text": "b"}),
            self._make_tool(self.read_lines, question=_Read, example={"file": "a"}),
            self._make_tool(self.query_sql, question=_Sql, example={"sql": "SELECT 1"}),
        ]

    async def list_files(self, _: _NoArguments) -> object:
        """List the files, and the tables of SQL with their columns."""
        tables = self._connect().execute("SELECT sql FROM sqlite_master WHERE type = 'table' LIMIT 100").fetchall()
        return {"files": list(self._files), "tables": [row[0] for row in tables]}

    async def search_file(self, question: _Search) -> object:
        """Give the lines of a file that hold a text, with their numbers."""
        wanted = question.text.casefold()
        found = (
            f"{number}: {line}" for number, line in enumerate(self._read(question.file), 1) if wanted in line.casefold()
        )
        return {"lines": [line for line, _ in zip(found, range(question.limit), strict=False)]}

    async def read_lines(self, question: _Read) -> object:
        """Give lines of a file."""
        last = question.first + question.count
        return {
            "lines": [
                line for number, line in enumerate(self._read(question.file), 1) if question.first <= number < last
            ]
        }

    async def query_sql(self, question: _Sql) -> object:
        """Run a SELECT over the tables."""
        try:
            rows = self._connect().execute(question.sql)
            names = [column[0] for column in rows.description or ()]
            return {"rows": [dict(zip(names, row, strict=True)) for row in rows.fetchmany(500)]}
        except sqlite3.Error as error:
            raise Refusal(KERNEL_ENVELOPE.bad_input, f"SQLite: {error}", suggestion="Correct the statement.") from error

    async def call(self, request: ToolRequest) -> tuple[str, bool]:
        """Answer a model's request; returns the answer, at most 20,000 bytes, and whether it is a refusal."""
        tool = next((tool for tool in self.tools if tool.name == request.name), None)
        try:
            if tool is None:
                listed = ", ".join(tool.name for tool in self.tools)
                message = f"There is no tool {request.name[:80]!r}."
                raise Refusal(KERNEL_ENVELOPE.bad_input, message, suggestion=f"Use one of: {listed}.")
            question = parse_arguments(tool, request.arguments.encode())
            answer = encode(await tool.function(question))
            return answer[:MAX_ANSWER_BYTES].decode("utf-8", "ignore"), False
        except ToolError as refused:
            return encode({"error": {"message": str(refused)}}).decode(), True

    def _read(self, name: str) -> Iterator[str]:
        path = self._files.get(name)
        if path is None:
            raise Refusal(KERNEL_ENVELOPE.bad_input, f"There is no file {name[:80]!r}.", suggestion="Call list_files.")
        with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as lines:
            yield from (line.rstrip("\n") for line in lines)

    def _connect(self) -> sqlite3.Connection:
        if self._database is None:
            self._database = sqlite3.connect(":memory:", check_same_thread=False)
            for name in self._files:
                self._load(name, database=self._database)
            self._database.set_authorizer(
                lambda action, *_: sqlite3.SQLITE_OK if action in _READS else sqlite3.SQLITE_DENY
            )
        steps = iter(range(MAX_STEPS_OF_SQLITE // 100_000))
        self._database.set_progress_handler(lambda: next(steps, None) is None, 100_000)
        return self._database

    def _load(self, name: str, *, database: sqlite3.Connection) -> None:
        table = re.sub(r"\W", "_", name.partition(".")[0])
        lines = self._read(name)
        if ".csv" in name:
            rows: Iterator[list[str]] = csv.reader(lines)
            columns = next(rows)
        elif ".jsonl" in name:
            rows, columns = ([line] for line in lines), ["line"]
        else:
            return
        named = ", ".join(f'"{column}"' for column in columns)
        database.execute(f'CREATE TABLE "{table}" ({named})')
        places = ", ".join("?" * len(columns))
        database.executemany(f'INSERT INTO "{table}" VALUES ({places})', rows)  # noqa: S608 - our own files' names

    @staticmethod
    def _make_tool(function: ToolFunction, *, question: type[ToolInput], example: dict[str, object]) -> Tool:
        return Tool(
            domain="raw", function=function, question=question, answer=TypeAdapter(object),
            example=question.model_validate(example), envelope=KERNEL_ENVELOPE,
        )  # fmt: skip


def find_sample_files() -> RawData:
    """Return the sample files of all domains."""
    return RawData([Path(str(files(domain))) / "samples" for domain in usable_toolkits()])


async def do_task(task: Task, *, data: RawData, model: Model) -> Outcome:
    """Ask a model with only the raw data the task's question."""
    messages = [Message.system(_PROMPT.strip()), Message.user(task.question)]
    used, calls, answered, started = Used(prompt_tokens=0, completion_tokens=0), 0, 0, asyncio.get_running_loop().time()
    text, state = "", "failed"
    for _ in range(MAX_STEPS):
        try:
            said, requests, took = await _take_turn(messages, model=model, tools=data.tools)
        except ModelFailure as failure:
            text = str(failure)
            break
        used += took
        if not requests:
            text, state = said, "succeeded"
            break
        messages.append(Message.assistant(said, calls=tuple(requests)))
        for request in requests:
            answer, is_refusal = await data.call(request)
            calls, answered = calls + 1, answered + (not is_refusal)
            messages.append(Message.tool_answer(answer, request=request, is_refusal=is_refusal))
    return Outcome(
        text=text, state=state, calls=calls, answered=answered, tokens=used.prompt_tokens + used.completion_tokens,
        milliseconds=(asyncio.get_running_loop().time() - started) * 1000,
    )  # fmt: skip


async def _take_turn(
    messages: Sequence[Message], *, model: Model, tools: Sequence[Tool]
) -> tuple[str, list[ToolRequest], Used]:
    text, requests, used = "", [], Used(prompt_tokens=0, completion_tokens=0)
    async with aclosing(model.turn(messages, tools=tools)) as events:
        async for event in events:
            match event:
                case TextDelta(text=piece):
                    text += piece
                case CallRequested(request=request):
                    requests.append(request)
                case RetryNotice():
                    text, requests = "", []
                case Used():
                    used = event
                case StepEnd():
                    break
    return text, requests, used
