"""Implementation of the tool `ingest_backtest`, which loads uploaded files."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib.resources import files as resources
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID

from backtests.contracts.answers import IngestedBacktest
from backtests.contracts.error_envelope import FILE_NOT_FOUND, FILE_REFUSED
from backtests.contracts.questions import GUID, SHIPPED_FILES, UPLOAD, FileToLoad, IngestBacktestQuestion
from backtests.ingest.files import LoadOptions, SourceFile, inspect_file, load_files
from backtests.ingest.format_choice import ColumnsGuessed, LoadRefused
from backtests.ingest.report import LoadReport
from backtests.uploads.file_queries import write_file
from toolbox.contract.client_channel import ClientChannel
from toolbox.contract.errors import ToolError
from toolbox.work.job_kinds import Assignment, JobRefused, Outcome
from toolbox.work.jobs import run_in_call

YES, NO = "Load it so", "Do not load it"


async def ingest(ask: IngestBacktestQuestion, *, client: ClientChannel) -> IngestedBacktest:
    """Load the files, by a worker as a task if the client supports tasks."""
    ask = await _confirm_columns(ask, client=client)
    if any(GUID(file.file_id) for file in ask.files):
        await client.continue_as_task()
    report = LoadReport()
    await _run(partial(_load, ask=ask, client=client, report=report), client=client)
    return IngestedBacktest(
        run_ids=report.run_ids,
        stored=report.stored,
        duplicate=report.duplicate,
        malformed=report.malformed,
        quarantined=report.quarantined,
        ended_early=report.ended_early or None,
        reasons=report.reasons,
    )


async def _confirm_columns(ask: IngestBacktestQuestion, *, client: ClientChannel) -> IngestBacktestQuestion:
    """Have guessed columns confirmed: by a person if the client has forms, else by a second call."""
    guesses: list[tuple[FileToLoad, ColumnsGuessed | None]] = []
    await _run(partial(_inspect, ask=ask, client=client, guesses=guesses), client=client)
    confirmed = [
        file if guess is None else file.model_copy(update={"columns": guess.columns}) for file, guess in guesses
    ]
    if confirmed == ask.files:
        return ask
    message = " ".join(guess.guess for _, guess in guesses if guess)
    if await client.pick("columns", message=f"{message} Load it so?", options=[YES, NO]) != YES:
        raise ToolError(
            FILE_REFUSED,
            message,
            suggestion="If that is right, call again with these columns; else name others.",
            field="files",
            retry_with={"files": [file.model_dump(by_alias=True) for file in confirmed]},
        )
    return ask.model_copy(update={"files": confirmed})


async def _run(work: Callable[[Assignment], Outcome], *, client: ClientChannel) -> None:
    """Run a function that reads the files in a thread. Raises ToolError."""
    try:
        await run_in_call(
            client, work=work, values={}, refused=FILE_REFUSED,
            suggestion="Say what the message asks for, or upload another file.",
        )  # fmt: skip
    except ToolError as refusal:
        missing = refusal.__cause__
        if isinstance(missing, FileMissing):
            raise ToolError(
                FILE_NOT_FOUND,
                str(missing),
                suggestion=f"Upload it again: {UPLOAD}. Files are kept for a day, your last 50.",
                field="files",
            ) from missing
        raise


class FileMissing(JobRefused):
    """The caller has no file with this id."""


def _inspect(
    _: Assignment,
    *,
    ask: IngestBacktestQuestion,
    client: ClientChannel,
    guesses: list[tuple[FileToLoad, ColumnsGuessed | None]],
) -> Outcome:
    with _open_files(ask, client=client) as sources:
        for file, source in zip(ask.files, sources, strict=True):
            guess = None
            try:
                inspect_file(source, options=_options(ask))
            except ColumnsGuessed as guessed:
                guess = guessed
            except LoadRefused as refused:
                raise JobRefused(str(refused)) from refused
            guesses.append((file, guess))
    return Outcome(summary="")


def _load(given: Assignment, *, ask: IngestBacktestQuestion, client: ClientChannel, report: LoadReport) -> Outcome:
    with _open_files(ask, client=client) as sources:
        size = sum(source.path.stat().st_size for source in sources)
        try:
            load_files(
                sources, options=_options(ask), report=report,
                on_bytes=lambda place: given.on_step("reading bytes", place, size),
            )  # fmt: skip
        except LoadRefused as refused:
            raise JobRefused(str(refused)) from refused
    return Outcome(summary=report.summary())


def _options(ask: IngestBacktestQuestion) -> LoadOptions:
    return LoadOptions(format_name=ask.format, run_id=ask.run_id, sweep=ask.sweep, symbol=ask.symbol)


@contextmanager
def _open_files(ask: IngestBacktestQuestion, *, client: ClientChannel) -> Iterator[Sequence[SourceFile]]:
    """Write the files to disk for the time of the block. Raises FileMissing."""
    with TemporaryDirectory(prefix="backtest_") as folder:
        found: list[SourceFile] = []
        for file in ask.files:
            path: Path | None = None
            if file.file_id in SHIPPED_FILES:
                path = Path(str(resources("backtests") / file.file_id))
            elif GUID(file.file_id):
                path = write_file(UUID(file.file_id), owner_id=client.caller.owner_id, folder=Path(folder))
            if path is None:
                raise FileMissing(f"You have no uploaded file {file.file_id!r}.")
            found.append(SourceFile(path=path, columns=file.columns))
        yield found
