"""Values into JSON: moments to the millisecond in UTC, decimals to the digit, absent where there is nothing."""

import math
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import StrEnum
from typing import Any
from uuid import UUID

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, RootModel

from tests.toolbox.transports import text_of
from toolbox.contract.encoding import encode, format_timestamp
from toolbox.contract.models import ToolOutput
from toolbox.dispatch.dispatch import Reply
from toolbox.mcp.server import mcp_result


class Colour(StrEnum):
    """A choice."""

    RED = "red"


class Part(ToolOutput):
    """A part."""

    price: Decimal = Field(description="The price.")
    note: str | None = Field(None, description="A note.")
    required_or_null: str | None = Field(description="Said, if only as null.")
    other_name: int = Field(0, serialization_alias="otherName", description="A number.")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Decimal("175.50"), "175.50"),
        (Decimal("1234567890123456789012345678901234567890"), "1234567890123456789012345678901234567890"),
        (Decimal("0.1234567890123456789012345678901234567890"), "0.1234567890123456789012345678901234567890"),
        (Decimal("-0.00"), "-0.00"),
        (Decimal("1E+3"), "1000"),
        (Decimal("1E-7"), "0.0000001"),
        (Decimal("NaN"), "null"),
        (Decimal("-Infinity"), "null"),
        (math.nan, "null"),
        (math.inf, "null"),
        (0.1, "0.1"),
        (2**53 + 1, "9007199254740993"),
        (True, "true"),
        (None, "null"),
        ("é\u2028\"", '"é\u2028\\""'),
        (datetime(2025, 2, 1, 12, 30, 15, 999_999, tzinfo=UTC), '"2025-02-01T12:30:15.999Z"'),
        (datetime(2025, 2, 1, 1, tzinfo=timezone(timedelta(hours=2))), '"2025-01-31T23:00:00.000Z"'),
        (datetime(2025, 2, 1, 12), '"2025-02-01T12:00:00.000Z"'),  # noqa: DTZ001 - a naive one is taken as UTC
        (datetime(987, 2, 1, 12, tzinfo=UTC), '"0987-02-01T12:00:00.000Z"'),
        (date(2025, 2, 1), '"2025-02-01"'),
        (UUID(int=1), '"00000000-0000-0000-0000-000000000001"'),
        (Colour.RED, '"red"'),
        ({3, 1, 2}, "[1,2,3]"),
        ((1, 2), "[1,2]"),
        ({1: "a"}, '{"1":"a"}'),
        (RootModel[list[int]]([1]), "[1]"),
        ([{"deep": [Decimal("1.0")]}], '[{"deep":[1.0]}]'),
    ],
    ids=repr,
)  # fmt: skip
def test_a_value_is_written_one_way(value: object, text: str) -> None:
    assert encode(value).decode() == text


def test_what_is_none_by_default_is_left_out_and_what_must_be_said_is_null() -> None:
    part = Part(price=Decimal("175.50"), required_or_null=None)

    assert encode(part).decode() == '{"price":175.50,"required_or_null":null,"otherName":0}'
    assert encode([part, {"part": part}]).decode().count("note") == 0


def test_what_was_said_is_there() -> None:
    part = Part(price=Decimal(1), note="n", required_or_null="r")

    assert orjson.loads(encode(part)) == {"price": 1, "note": "n", "required_or_null": "r", "otherName": 0}


def test_what_has_no_place_in_an_answer_is_a_mistake_of_the_tool() -> None:
    with pytest.raises(TypeError):
        encode(object())


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6))
def test_a_decimal_is_never_rounded(value: Decimal) -> None:
    assert Decimal(encode(value).decode()) == value
    assert encode(value).decode() == format(value, "f")


@given(st.datetimes(timezones=st.timezones(), min_value=datetime(1900, 1, 2), max_value=datetime(9999, 12, 30)))  # noqa: DTZ001
def test_a_moment_is_cut_to_its_millisecond_never_rounded_up(moment: datetime) -> None:
    read = datetime.fromisoformat(format_timestamp(moment))

    assert timedelta(0) <= moment - read < timedelta(milliseconds=1)
    assert format_timestamp(read) == format_timestamp(moment)


@given(st.recursive(st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
                    lambda part: st.lists(part) | st.dictionaries(st.text(), part), max_leaves=20))  # fmt: skip
def test_plain_json_is_read_back_as_it_was(value: Any) -> None:
    assert orjson.loads(encode(value)) == value


@pytest.mark.parametrize(
    "body", [b'{"price":175.50}', b'{"price":0.1234567890123456789012345678901234567890}', b"[1.10]"], ids=repr
)
def test_mcp_s_text_is_the_body_to_the_digit(body: bytes) -> None:
    told = mcp_result(Reply(body=body))

    assert text_of(told).encode() == body


@pytest.mark.parametrize(("value", "written"), [("1e307", "1" + "0" * 307), ("1e308", '"1' + "0" * 308 + '"')])
def test_a_decimal_beyond_a_double_s_range_is_text(value: str, written: str) -> None:
    assert encode(Decimal(value)).decode() == written
