"""Flattening of answers by a mapping. Pure. graphql_proxy/README.md describes the form of the mapping."""

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
    """One object of the answer: its path, and the values to return under which names."""

    path: str
    fields: Fields


class RowsMapping(_Strict):
    """Lists of the answer: their paths, the values of each row, the path of the total, the order."""

    path: Paths = Field(min_length=1, max_length=10)
    fields: Fields
    total: Paths = Field(default=[], max_length=10)
    order_by: str | None = None


class OperationMapping(_Strict):
    """What an operation needs of the upstream, and how to read its answer."""

    needs: list[str] = []
    record: RecordMapping | None = None
    rows: RowsMapping | None = None
    sorts: dict[str, str] = {}


class NoMapping(ValueError):
    """The mapping is malformed; the message says where."""


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
    """The flattened answer."""

    record: dict[str, Any] | None = None
    rows: list[dict[str, Any]] = []
    total: int | None = None


def flatten_data(data: Any, *, mapping: OperationMapping | None, limit: int = MAX_ROWS, reverse: bool = False) -> Flat:
    """Return record and rows, or the data unchanged without a mapping. Missing values are left out."""
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
    """Follow a dotted path. Returns None if it leads to no value. A number is an index into a list."""
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
