"""Ingestion of saved files: one file, or a folder in which other files may lie too."""

import os
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path

from linescore.ingest.load import LoadRules, TeamRules, load_games, load_teams
from linescore.ingest.parse import read_records
from linescore.ingest.record import GameScore, NotReadable, Record, Refusal, SkippedGame, printable
from linescore.ingest.report import LoadReport
from linescore.ingest.survey import Survey

KIND_WORDS = {"PRE": "a preseason game", "REG": "a regular-season game", "POST": "a playoff game"}
RECORDS_BETWEEN_STEPS = 1000
OnStep = Callable[[str, int, int], None]


def ignore_progress(*_: object) -> None:
    """Ignore progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOptions:
    """Options for a source: today's date, the kinds of games to load, and whether to add mentioned teams."""

    today: date
    kinds: Collection[str] = ("REG", "POST")
    adds_teams: bool = False


def ingest_files(path: Path, *, wanted: SourceOptions, on_step: OnStep = ignore_progress) -> LoadReport:
    """
    Store the games in a file or below a folder; recognise each file by its content.

    Every file is read twice: first to check that the files are complete and agree, then to store. A file of an unknown
    format or a truncated file is reported, and nothing of it is stored.
    """
    report, survey, readable = LoadReport(), Survey(), []
    found = files_below(path)
    bytes_in_all, bytes_done = sum(map(_size, found)), 0
    for file in found:
        on_read = partial(_tell, on_step=on_step, bytes_before=bytes_done, bytes_in_all=bytes_in_all)
        try:
            survey.merge(Survey.from_records(_records(file, on_read=on_read)))
            readable.append(file)
        except NotReadable as error:
            report.unreadable.append(Refusal(name=_display_name(file, below=path), reason=str(error)))
        bytes_done += _size(file)
        on_step("reading kilobytes", bytes_done >> 10, bytes_in_all >> 10)
    report.expected = len(survey.games)
    rules = TeamRules(adds_mentioned=wanted.adds_teams)
    load_teams(survey.teams.values(), rules=rules, report=report)
    report.left_out += survey.not_to_be_stored()
    return load_games(
        _games(readable, wanted=wanted, report=report, below=path),
        rules=load_rules(survey, wanted=wanted), report=report,
        on_progress=lambda report: on_step("storing games", report.total, report.expected),
    )  # fmt: skip


def files_below(path: Path) -> list[Path]:
    """Find the files below a folder, sorted by name; links to folders are not followed."""
    if not path.is_dir():
        return [path]
    return sorted(Path(folder) / name for folder, _, names in os.walk(path) for name in names)


def load_rules(survey: Survey, *, wanted: SourceOptions, batch_games: int = 200) -> LoadRules:
    """Build the load rules from the survey."""
    return LoadRules(
        today=wanted.today, finals=survey.final_goals(), contradicted=frozenset(survey.contradicted),
        batch_games=batch_games,
    )  # fmt: skip


def skip_other_kinds(game: GameScore, *, kinds: Collection[str]) -> GameScore | SkippedGame:
    """Turn a game of a kind that is not to be loaded into a SkippedGame."""
    if game.game_kind in kinds:
        return game
    reason = f"{KIND_WORDS[game.game_kind]}, which --kinds does not ask for"
    return SkippedGame(game_id=game.game_id, name=game.name, reason=reason)


def _games(
    files: list[Path], *, wanted: SourceOptions, report: LoadReport, below: Path
) -> Iterator[GameScore | Refusal | SkippedGame]:
    for file in files:
        try:
            for record in _records(file):
                if isinstance(record, GameScore):
                    yield skip_other_kinds(record, kinds=wanted.kinds)
                elif isinstance(record, Refusal):
                    yield record
        except NotReadable as error:
            report.unreadable.append(
                Refusal(name=_display_name(file, below=below), reason=f"changed meanwhile: {error}")
            )


def _records(file: Path, *, on_read: Callable[[int], None] = ignore_progress) -> Iterator[Record]:
    if not file.is_file():
        raise NotReadable("not a regular file")
    try:
        with file.open("rb") as stream:
            for number, record in enumerate(read_records(stream)):
                if number % RECORDS_BETWEEN_STEPS == 0:
                    on_read(stream.tell())
                yield record
    except OSError as error:
        raise NotReadable(f"cannot be read: {error.strerror or error}") from error


def _tell(bytes_read: int, *, on_step: OnStep, bytes_before: int, bytes_in_all: int) -> None:
    on_step("reading kilobytes", bytes_before + bytes_read >> 10, bytes_in_all >> 10)


def _size(file: Path) -> int:
    return file.stat().st_size if file.is_file() else 0


def _display_name(file: Path, *, below: Path) -> str:
    name = file.relative_to(below) if file != below else Path(file.name)
    return printable(os.fsencode(name).decode("utf-8", "replace"))
