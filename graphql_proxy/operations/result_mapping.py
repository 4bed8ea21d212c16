"""Answers of upstreams made flat and small by a mapping; pure. The mapping's form: graphql_proxy/README.md."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

MAX_ROWS = 100


def _fields(value: object) -> object:
    """Read `["GP=stats.GP", "date"]`, which keeps an order that JSON columns do not."""
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        return value
    pairs = [one.partition("=") for one in value]
    return {name.strip(): (path or name).strip() for name, _, path in pairs}


Fields = Annotated[dict[str, str], BeforeValidator(_fields), Field(min_length=1, max_length=60)]
Paths = Annotated[list[str], BeforeValidator(lambda value: [value] if isinstance(value, str) else value)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class RecordMapping(_Strict):
    """One object of the answer: where it stands, and which of its values to give under which names."""

    path: str
    fields: Fields


class RowsMapping(_Strict):
    """Lists of the answer: where they stand, the values of each row, where their total stands, how to order them."""

    path: Paths = Field(min_length=1, max_length=10)
    fields: Fields
    total: Paths = Field(default=[], max_length=10)
    order_by: str | None = None


class OperationMapping(_Strict):
    """What an operation needs of the upstream, and how its answer reads."""

    needs: list[str] = []
    record: RecordMapping | None = None
    rows: RowsMapping | None = None
    sorts: dict[str, str] = {}


class NoMapping(ValueError):
    """The mapping does not have the expected form; the message says where."""


def read_mapping(said: Any) -> dict[str, OperationMapping]:
    """Read a row's mapping: operations by name, "" for one without; raises NoMapping."""
    if not isinstance(said, dict):
        raise NoMapping('a mapping is an object such as {"Answer": {"rows": {...}}}')
    try:
        return {name: OperationMapping.model_validate(part) for name, part in said.items()}
    except ValidationError as wrong:
        first = wrong.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise NoMapping(f"{place or 'the mapping'}: {first['msg']}") from wrong


class Flat(BaseModel):
    """What is left of an answer."""

    record: dict[str, Any] | None = None
    rows: list[dict[str, Any]] = []
    total: int | None = None


def flatten_data(data: Any, *, mapping: OperationMapping | None, limit: int = MAX_ROWS, reverse: bool = False) -> Flat:
    """Give record and rows; without a mapping, the data as it is. Values that are not there are left out."""
    if mapping is None:
        return Flat(record=data if isinstance(data, dict) else {"result": data})
    record = mapping.record
    found = value_at(data, path=record.path) if record else None
    flat = Flat(record=_row(found, record.fields) if record and isinstance(found, dict) else None)
    if mapping.rows:
        flat.rows = _rows(data, mapping.rows, reverse=reverse)[: min(limit, MAX_ROWS)]
        flat.total = _total(data, mapping.rows)
    return flat


def value_at(data: Any, *, path: str) -> Any:
    """Follow a dotted path; None where it leads to no value. A number is a place in a list."""
    for step in path.split("."):
        if isinstance(data, list) and step.isdigit():
            data = data[int(step)] if int(step) < len(data) else None
        else:
            data = data.get(step) if isinstance(data, dict) else None
    return data


def _rows(data: Any, mapping: RowsMapping, *, reverse: bool) -> list[dict[str, Any]]:
    lists = [found for path in mapping.path if isinstance(found := value_at(data, path=path), list)]
    rows = [_row(row, mapping.fields) for rows in lists for row in rows if isinstance(row, dict)]
    key = mapping.order_by
    return sorted(rows, key=lambda row: str(row.get(key) or ""), reverse=reverse) if key else rows


def _total(data: Any, mapping: RowsMapping) -> int | None:
    counts = [count for path in mapping.total if isinstance(count := value_at(data, path=path), int)]
    return sum(counts) if counts else None


def _row(found: dict[str, Any], fields: dict[str, str]) -> dict[str, Any]:
    values = {name: value_at(found, path=path) for name, path in fields.items()}
    return {name: value for name, value in values.items() if value is not None}
