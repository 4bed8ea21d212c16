"""Bytes that nobody prepared for end in NotReadable, or in records; never in another error."""

import gzip
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linescore.ingest.parse import read_records
from linescore.ingest.record import NotReadable, Record
from tests.linescore.ingest.games import csv_of, day_game, game, score_of

DATA = Path(__file__).parent / "data"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)
KEYS = st.sampled_from(["id", "season", "gameType", "gameState", "homeTeam", "goals", "gameOutcome", "gameDate"])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        (gzip.compress(b""), "empty"),
        (b"   \n\n", "neither"),
        (score_of(day_game(game()))[:-20], "not one whole JSON document"),
        (gzip.compress(csv_of(game()) * 50)[:-30], "gzip that ends early or is damaged"),
        (gzip.compress(csv_of(game()))[:12] + b"garbage", "gzip that ends early or is damaged"),
        (b"\x1f\x8b", "gzip that ends early or is damaged"),
        (b"\x89PNG\r\n\x1a\n" + bytes(500), "line 1 is not UTF-8"),
        ("tricode,team\nMTL,Montréal".encode("latin-1"), "line 2 is not UTF-8"),
        (csv_of(game()).decode().encode("utf-16"), "line 1 is not UTF-8"),
        (b"game_id,date\n1,2", "neither the NHL's JSON nor CSV"),
        (b"x" * 70_000, "line 1 is over 64 KB"),
        (csv_of(game()) + b'1,"' + b"x\n" * 100_000, "is not CSV: field larger"),
        (b"[" * 100_000, "not one whole JSON document"),
        (b"[1, 2]", "not a document of the NHL's"),
        (b'{"standings": []}', "none of the NHL's schedule, score, landing and play-by-play"),
        (b'{"gameWeek": 5}', "gameWeek: "),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_file_that_is_not_ours_is_named_for_what_it_is(content: bytes, reason: str) -> None:
    with pytest.raises(NotReadable, match=reason):
        _read(content)


@given(st.binary(max_size=2000))
def test_any_bytes_end_in_records_or_in_the_planned_error(content: bytes) -> None:
    with suppress(NotReadable):
        _read(content)


@given(st.binary(max_size=300), st.integers(0, 400))
def test_a_damaged_file_ends_in_records_or_in_the_planned_error(damage: bytes, at: int) -> None:
    for whole in (csv_of(game()), gzip.compress(csv_of(game())), score_of(day_game(game()))):
        with suppress(NotReadable):
            _read(whole[:at] + damage + whole[at + len(damage) :])


@given(st.dictionaries(KEYS, JSON))
def test_a_game_with_anything_in_its_fields_ends_in_records(change: dict[str, Any]) -> None:
    written = day_game(game()) | change

    assert _read(orjson.dumps({"games": [written]}))


@given(st.lists(st.lists(st.text(max_size=20), max_size=14), max_size=6))
def test_rows_with_anything_in_their_fields_end_in_records_or_in_the_planned_error(rows: list[list[str]]) -> None:
    content = csv_of(game()) + "\n".join(",".join(row) for row in rows).encode("utf-8", "surrogatepass")

    with suppress(NotReadable):
        assert _read(content)


def _read(content: bytes) -> list[Record]:
    return list(read_records(BytesIO(content)))
