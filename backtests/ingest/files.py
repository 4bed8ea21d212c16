"""Loading a file of any format: which run it is, whether that run may take it, and storing what is in it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import IO
from uuid import NAMESPACE_URL, UUID, uuid5

from backtests.ingest.batch import source_of
from backtests.ingest.engine_layouts import Given
from backtests.ingest.format_choice import CONTRACT, LoadRefused, choose_format
from backtests.ingest.from_engine import read_engine
from backtests.ingest.load import OnProgress, load_entries, load_lines, unseen
from backtests.ingest.record import RunFacts, SourceDigest
from backtests.ingest.report import LoadReport
from backtests.ingest.source import open_unpacked, read_lines

PIECE_BYTES = 1_048_576


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadOptions:
    """
    What is known of a source beside its lines.

    Without `run_id` a log in the contract's words goes into the runs that it names; an engine's stream gets an id made
    from its content and its sweep. `sweep` groups runs of one experiment. `columns` and `symbol` say what a table does
    not: what its columns mean, as `meaning=column,...`, and which security it is of.
    """

    format_name: str = CONTRACT
    run_id: UUID | None = None
    sweep: str = ""
    columns: str = ""
    symbol: str = ""
    overlaps: bool = False


def load_file(
    path: Path,
    *,
    options: LoadOptions,
    report: LoadReport,
    on_bytes: Callable[[int], None] | None = None,
    on_progress: OnProgress = unseen,
) -> LoadReport:
    """
    Store a file's events. Raises LoadRefused, and OSError where the file cannot be read.

    A file in which no event is found makes no run and is refused.
    """
    with path.open("rb") as stream:
        name, given = choose_format(stream, name=options.format_name, columns=options.columns, symbol=options.symbol)
    options = replace(options, format_name=name)
    with path.open("rb") as stream:
        if name == CONTRACT:
            lines = read_lines(stream, report=report, on_bytes=on_bytes)
            load_lines(
                lines, run_id=options.run_id, report=report, on_progress=on_progress, overlaps=options.overlaps,
                facts=RunFacts(sweep=options.sweep or None), name_run=lambda: _derive_run_id(path, options=options),
            )  # fmt: skip
        else:
            _load_engine_file(
                path, stream, options=options, given=given, report=report, on_bytes=on_bytes, on_progress=on_progress
            )
    require_events(report)
    return report


def require_events(report: LoadReport) -> None:
    """Refuse a source of which nothing went into a run. Raises LoadRefused."""
    if not report.run_ids:
        reasons = "; ".join(report.reasons[:3])
        raise LoadRefused(f"There is no event in it, so no run is made{': ' + reasons if reasons else ''}.")


def digest_content(stream: IO[bytes], *, prefix_bytes: int = 0) -> tuple[SourceDigest, str, str]:
    """Give the digest of a stream's content, unpacked; that of its first `prefix_bytes`; and where it ended early."""
    content = open_unpacked(stream)
    whole, size, prefix = sha256(), 0, ""
    while piece := content.stream.read(PIECE_BYTES):
        if size < prefix_bytes <= size + len(piece):
            head = whole.copy()
            head.update(piece[: prefix_bytes - size])
            prefix = head.hexdigest()
        whole.update(piece)
        size += len(piece)
    return SourceDigest(size_bytes=size, sha256=whole.hexdigest()), prefix, str(content.fault or "")


def _load_engine_file(
    path: Path,
    stream: IO[bytes],
    *,
    options: LoadOptions,
    given: Given,
    report: LoadReport,
    on_bytes: Callable[[int], None] | None,
    on_progress: OnProgress,
) -> None:
    run_id = options.run_id or _derive_run_id(path, options=options)
    digest = _check_source(path, run_id=run_id)
    facts = RunFacts(run_id=run_id, engine=options.format_name, sweep=options.sweep or None, source=digest)
    lines = read_lines(stream, report=report, on_bytes=on_bytes)
    entries = read_engine(lines, name=options.format_name, run_id=run_id, given=given)
    load_entries(entries, run_id=run_id, report=report, on_progress=on_progress, overlaps=options.overlaps, facts=facts)


def _derive_run_id(path: Path, *, options: LoadOptions) -> UUID:
    """Make a run's id from what the file holds: the same file, packed or not, is the same run."""
    with path.open("rb") as stream:
        digest, _, ended_early = digest_content(stream)
    if ended_early:
        raise LoadRefused(
            f"It ends early ({ended_early}), and its run's id would be made from its content. Load it when it is "
            "whole, or name its run with --run."
        )
    said = f"toolroom:{options.format_name}:{options.sweep}:{digest.sha256}"
    told = f":{options.columns}:{options.symbol}" if options.columns or options.symbol else ""
    return uuid5(NAMESPACE_URL, said + told)


def _check_source(path: Path, *, run_id: UUID) -> SourceDigest:
    """Give the file's digest. Raises LoadRefused where the run was loaded from another file."""
    known = source_of(run_id)
    with path.open("rb") as stream:
        digest, prefix, _ = digest_content(stream, prefix_bytes=known.size_bytes if known else 0)
    if known is None or prefix == known.sha256:
        return digest
    raise LoadRefused(
        f"Run {run_id} was loaded from another file: this one does not begin with the {known.size_bytes:,} bytes that "
        "are stored. Name another run with --run, or none: its id is then made from its content."
    )
