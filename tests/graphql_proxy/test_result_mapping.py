"""Nested answers made flat by a mapping, whatever is missing from them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphql_proxy.operations.result_mapping import MAX_ROWS, NoMapping, flatten_data, read_mapping, value_at

MAPPING: dict[str, Any] = {
    "record": {"path": "team", "fields": ["name", "arena=arena.name"]},
    "rows": {"path": ["a.edges", "b.edges"], "fields": ["date", "goals=stats.G"], "total": ["a.n", "b.n"],
             "order_by": "date"},
}  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda below: st.lists(below, max_size=4) | st.dictionaries(st.sampled_from(["a", "edges", "n", "team"]), below),
    max_leaves=12,
)


def read(said: dict[str, Any] = MAPPING) -> Any:
    return read_mapping({"": said})[""]


def test_record_and_rows_are_flat_and_in_the_mappings_order() -> None:
    data = {
        "team": {"arena": {"name": "Rink"}, "name": "Owls", "extra": 1},
        "a": {"n": 1, "edges": [{"date": "2", "stats": {"G": 3}}]},
        "b": {"n": 4, "edges": [{"date": "1", "stats": None}, None]},
    }

    flat = flatten_data(data, mapping=read())

    assert list(flat.record or {}) == ["name", "arena"]
    assert flat.rows == [{"date": "1"}, {"date": "2", "goals": 3}]
    assert flat.total == 5
    assert flatten_data(data, mapping=read(), reverse=True, limit=1).rows == [{"date": "2", "goals": 3}]


def test_fields_may_also_be_an_object() -> None:
    assert read({"rows": {"path": "a", "fields": {"x": "y.z"}}}).rows.fields == {"x": "y.z"}


def test_without_a_mapping_the_data_stays_as_it_is() -> None:
    assert flatten_data({"a": 1}, mapping=None).record == {"a": 1}
    assert flatten_data(None, mapping=None).record == {"result": None}


def test_rows_are_bounded() -> None:
    data = {"a": {"edges": [{"date": str(number)} for number in range(500)]}}

    assert len(flatten_data(data, mapping=read(), limit=1000).rows) == MAX_ROWS


@given(JSON)
def test_no_answer_breaks_it(data: Any) -> None:
    flat = flatten_data(data, mapping=read())

    assert all(isinstance(row, dict) for row in flat.rows)


@pytest.mark.parametrize(("path", "found"), [("a.0.b", 1), ("a.1.b", None), ("a.b", None), ("c", None), ("a.-1", None)])
def test_a_path_goes_down_lists_by_number(path: str, found: object) -> None:
    assert value_at({"a": [{"b": 1}]}, path=path) == found


@pytest.mark.parametrize("fields", [[], {}, [1], "name", {"a": 1}])
def test_fields_that_are_none_are_refused(fields: object) -> None:
    with pytest.raises(NoMapping, match="fields"):
        read({"rows": {"path": "a", "fields": fields}})
