"""Each shape of the NHL's documents, and our CSV, beside what it must be read into."""

import gzip
from io import BytesIO
from pathlib import Path

import pytest

from linescore.ingest.parse import read_records
from linescore.ingest.record import FinalScore, GameScore, PeriodScore, Record, TeamRecord

DATA = Path(__file__).parent / "data"
DOCUMENTS = sorted(path for path in DATA.iterdir() if path.suffix in (".json", ".csv"))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_a_document_is_read_into_the_records_beside_it(document: Path) -> None:
    records = read_records(BytesIO(document.read_bytes()))

    assert [_line(record) for record in records] == document.with_suffix(".expected").read_text().splitlines()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_compressed_with_a_byte_order_mark_and_other_line_ends_it_is_the_same(document: Path) -> None:
    dressed = gzip.compress(b"\xef\xbb\xbf" + document.read_bytes().replace(b"\n", b"\r\n"))

    records = list(read_records(BytesIO(dressed)))

    assert records == list(read_records(BytesIO(document.read_bytes())))


def _line(record: Record) -> str:
    if isinstance(record, TeamRecord):
        return f"team {record.team_code} {record.team_name}"
    if isinstance(record, FinalScore):
        return f"final {record.name}: {record.goals[0]}-{record.goals[1]}"
    if isinstance(record, GameScore):
        return _game_line(record)
    return f"{type(record).__name__.lower()} {record.name}: {record.reason}"


def _game_line(game: GameScore) -> str:
    ended = f", ended {game.final_score[0]}-{game.final_score[1]}" if game.final_score else ""
    teams = f"{game.away_team_code} at {game.home_team_code}"
    periods = ", ".join(map(_period_text, game.periods))
    return f"game {game.game_id} {game.season} {game.game_date} {game.game_kind} {teams}{ended}: {periods}"


def _period_text(period: PeriodScore) -> str:
    text = f"{period.period_kind} {period.home_goals}-{period.away_goals}"
    empty_net = period.home_empty_net_goals, period.away_empty_net_goals
    return f"{text} (empty net {empty_net[0]}-{empty_net[1]})" if any(empty_net) else text
