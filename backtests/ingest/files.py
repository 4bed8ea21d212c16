"""Loading of files of any format: determine their run, check that it may take them, and store their events."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO
from uuid import NAMESPACE_URL, UUID, uuid5

from backtests.ingest.batch import source_of
from backtests.ingest.engine_layouts import find_disorder
from backtests.ingest.engines import find_engine
from backtests.ingest.format_choice import CONTRACT, ColumnsGuessed, FormatChoice, LoadRefused, choose_format
from backtests.ingest.from_engine import read_engine
from backtests.ingest.load import OnProgress, ignore_progress, load_entries, load_lines
from backtests.ingest.parquet import ParquetUnreadable, is_parquet, write_as_csv
from backtests.ingest.record import Entry, RunFacts, SourceDigest, Unreadable
from backtests.ingest.report import LoadReport
from backtests.ingest.source import open_unpacked, read_lines

PIECE_BYTES = 1_048_576
TELLS = {"trades": "fills", "executions": "fills", "equity": "profit", "returns": "profit"}
"""What a kind of table says of its run; two tables that say the same would count it twice."""
OnBytes = Callable[[int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadOptions:
    """
    What the caller specifies of a run beside its files.

    Without `run_id` a log of the contract's format goes into the runs that it names, and an engine's run gets an id
    derived from its content and its sweep. `sweep` groups the runs of one experiment. `symbol` is the security of
    tables that do not name it.
    """

    format_name: str = CONTRACT
    run_id: UUID | None = None
    sweep: str = ""
    symbol: str = ""
    overlaps: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A file and, for a table of no known engine, the meaning of its columns as `meaning=column,...`."""

    path: Path
    columns: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A file of a run as text; Parquet is converted to CSV."""

    file: SourceFile
    text: Path
    choice: FormatChoice


def load_files(
    files: Sequence[SourceFile],
    *,
    options: LoadOptions,
    report: LoadReport,
    on_bytes: OnBytes | None = None,
    on_progress: OnProgress = ignore_progress,
) -> LoadReport:
    """
    Store the events of one file, or of two tables of one run: its trades or executions, and its equity or returns.

    Raises LoadRefused, and OSError if a file cannot be read. Files without an event are refused and make no run.
    """
    with ExitStack() as opened:
        parts = [_open_part(file, options=options, opened=opened, is_named=len(files) > 1) for file in files]
        _check_together(parts)
        for part in parts:
            _check_order(part)
        if parts[0].choice.name == CONTRACT:
            lines = read_lines(opened.enter_context(parts[0].text.open("rb")), report=report, on_bytes=on_bytes)
            load_lines(
                lines, run_id=options.run_id, report=report, on_progress=on_progress, overlaps=options.overlaps,
                facts=RunFacts(sweep=options.sweep or None), name_run=lambda: _derive_run_id(parts, options=options),
            )  # fmt: skip
        else:
            run_id = options.run_id or _derive_run_id(parts, options=options)
            engine = "+".join(dict.fromkeys(part.choice.name for part in parts))
            digest = _check_source(parts, run_id=run_id)
            facts = RunFacts(run_id=run_id, engine=engine, sweep=options.sweep or None, source=digest)
            entries = _read_parts(parts, run_id=run_id, report=report, on_bytes=on_bytes)
            load_entries(
                entries, run_id=run_id, report=report, on_progress=on_progress, overlaps=options.overlaps, facts=facts
            )
    require_events(report)
    return report


def inspect_file(file: SourceFile, *, options: LoadOptions) -> FormatChoice:
    """Determine a file's format without loading it. Raises LoadRefused like loading, and OSError."""
    with ExitStack() as opened:
        return _open_part(file, options=options, opened=opened, is_named=False).choice


def require_events(report: LoadReport) -> None:
    """Check that a source gave at least one event. Raises LoadRefused."""
    if not report.run_ids:
        reasons = "; ".join(report.reasons[:3])
        raise LoadRefused(f"There is no event in it, so no run is made{': ' + reasons if reasons else ''}.")


def digest_content(streams: Sequence[IO[bytes]], *, prefix_bytes: int = 0) -> tuple[SourceDigest, str, str]:
    """
    Return the digest of the streams' concatenated, unpacked content, that of its first `prefix_bytes`, and a fault.

    The fault says where a stream is truncated.
    """
    contents = [open_unpacked(stream) for stream in streams]
    whole, size, prefix = sha256(), 0, ""
    for piece in chain.from_iterable(iter(lambda: one.stream.read(PIECE_BYTES), b"") for one in contents):  # noqa: B023
        if size < prefix_bytes <= size + len(piece):
            head = whole.copy()
            head.update(piece[: prefix_bytes - size])
            prefix = head.hexdigest()
        whole.update(piece)
        size += len(piece)
    faults = [str(content.fault) for content in contents if content.fault]
    return SourceDigest(size_bytes=size, sha256=whole.hexdigest()), prefix, "; ".join(faults)


def _open_part(file: SourceFile, *, options: LoadOptions, opened: ExitStack, is_named: bool) -> _Part:
    """Determine a file's format; convert Parquet to a temporary text, which lives as long as `opened`."""
    try:
        text = _read_as_text(file.path, opened=opened)
        with text.open("rb") as stream:
            choice = choose_format(stream, name=options.format_name, columns=file.columns, symbol=options.symbol)
    except LoadRefused as refused:
        if isinstance(refused, ColumnsGuessed):
            refused.path = file.path
        if is_named:
            refused.args = (f"{file.path.name}: {refused}",)
        raise
    return _Part(file=file, text=text, choice=choice)


def _read_as_text(path: Path, *, opened: ExitStack) -> Path:
    if not is_parquet(path):
        return path
    converted = opened.enter_context(NamedTemporaryFile())  # noqa: SIM115 - entered here
    try:
        write_as_csv(path, to=converted.file)
    except ParquetUnreadable as error:
        raise LoadRefused(str(error)) from error
    return Path(converted.name)


def _check_together(parts: Sequence[_Part]) -> None:
    """Check that the files are of one run and say nothing twice. Raises LoadRefused."""
    if len(parts) == 1:
        return
    told: dict[str, str] = {}
    for part in parts:
        name, what = part.file.path.name, TELLS.get(part.choice.kind)
        if what is None:
            raise LoadRefused(f"{name} ({part.choice.name}) is a whole run: load it alone.")
        if what in told:
            raise LoadRefused(
                f"{told[what]} and {name} both tell the {what} of a run, which would count twice: give one table of "
                "trades or executions, and one of equity or returns."
            )
        told[what] = name


def _check_order(part: _Part) -> None:
    """Check that a table of equity or returns is in order of time. Raises LoadRefused."""
    layout = part.choice.layout
    if layout is None or layout.kind not in ("equity", "returns"):
        return
    with part.text.open("rb") as stream:
        records = find_engine(part.choice.name).read_records(read_lines(stream, report=LoadReport()))
        found = find_disorder(records, layout=layout)
    if found:
        line, time, before = found
        raise LoadRefused(
            f"{part.file.path.name}, line {line:,}: {time} comes after {before}. A table of {layout.kind} is measured "
            "against its first row: sort it by time, the oldest row first."
        )


def _read_parts(
    parts: Sequence[_Part], *, run_id: UUID, report: LoadReport, on_bytes: OnBytes | None
) -> Iterator[Entry]:
    """Yield the entries of all files; of several files, reasons name the file."""
    passed = 0
    for part in parts:
        with part.text.open("rb") as stream:
            shown = None if on_bytes is None else lambda place, passed=passed: on_bytes(passed + place)
            lines = read_lines(stream, report=report, on_bytes=shown)
            entries = read_engine(lines, name=part.choice.name, run_id=run_id, given=part.choice.given)
            for entry in entries:
                if len(parts) > 1 and isinstance(entry, Unreadable):
                    entry.reason = f"{part.file.path.name}: {entry.reason}"
                yield entry
            passed += stream.tell()


def _derive_run_id(parts: Sequence[_Part], *, options: LoadOptions) -> UUID:
    """Derive a run's id from the content of its files: the same files, packed or not, are the same run."""
    digest, _, ended_early = _digest_parts(parts)
    if ended_early:
        raise LoadRefused(
            f"It ends early ({ended_early}), and its run's id would be made from its content. Load it when it is "
            "whole, or name its run with --run."
        )
    name = f"toolroom:{'+'.join(part.choice.name for part in parts)}:{options.sweep}:{digest.sha256}"
    columns = "|".join(part.file.columns for part in parts).strip("|")
    return uuid5(NAMESPACE_URL, name + (f":{columns}:{options.symbol}" if columns or options.symbol else ""))


def _check_source(parts: Sequence[_Part], *, run_id: UUID) -> SourceDigest:
    """Return the files' digest. Raises LoadRefused if the run was loaded from other files."""
    known = source_of(run_id)
    digest, prefix, _ = _digest_parts(parts, prefix_bytes=known.size_bytes if known else 0)
    if known is None or prefix == known.sha256:
        return digest
    raise LoadRefused(
        f"Run {run_id} was loaded from another file: this one does not begin with the {known.size_bytes:,} bytes that "
        "are stored. Name another run with --run, or none: its id is then made from its content."
    )


def _digest_parts(parts: Sequence[_Part], *, prefix_bytes: int = 0) -> tuple[SourceDigest, str, str]:
    with ExitStack() as opened:
        streams = [opened.enter_context(part.text.open("rb")) for part in parts]
        return digest_content(streams, prefix_bytes=prefix_bytes)
