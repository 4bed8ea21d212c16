"""Fitting of answers to a size budget: cut at the heaviest list, or refuse and name the largest fields."""

from collections.abc import Iterator
from typing import Any

from graphql_proxy import refusals
from graphql_proxy.contracts import GraphqlAnswer
from graphql_proxy.rate_limits import UpstreamLimits
from graphql_proxy.upstreams import KnownUpstream
from toolbox.contract.encoding import encode

BYTES_A_TOKEN = 4
MAX_WEIGHTS = 5
MAX_DEPTH = 50
Path = tuple[str, ...]


class TooHeavy(Exception):
    """No list can be cut so that the answer fits. `weights` are the largest fields with their bytes."""

    def __init__(self, size: int, *, weights: list[tuple[str, int]]) -> None:
        super().__init__(f"{size:,} bytes")
        self.size = size
        self.weights = weights


def bound_answer(
    answer: GraphqlAnswer,
    *,
    limits: UpstreamLimits | None,
    upstream: KnownUpstream,
    max_tokens: int | None,
    has_written: bool = False,
) -> GraphqlAnswer:
    """
    Add the upstream's stated limits, and cut data that exceeds the budget of the caller or the upstream.

    Raises ToolError where nothing can be cut. What a mutation answered (`has_written`) is left out whole instead: a
    refusal would be read as a change that was not made.
    """
    if limits is not None and answer.age_seconds is None:
        stated = {
            "cost": limits.cost,
            "remaining": limits.remaining,
            "limit": limits.limit,
            "resetsInSeconds": limits.resets_in_seconds,
        }
        known = {name: value for name, value in stated.items() if value is not None}
        answer = answer.model_copy(update={"upstream_cost": known})
    allowed = [tokens for tokens in (max_tokens, upstream.max_answer_tokens) if tokens]
    if not allowed:
        return answer
    max_bytes = min(allowed) * BYTES_A_TOKEN
    try:
        data, cut = fit_answer(answer.data, max_bytes=max_bytes)
    except TooHeavy as heavy:
        if has_written:
            hint = f"It was sent and answered; its answer of {heavy.size:,} bytes is left out. Do not send it again."
            return answer.model_copy(update={"data": None, "hints": [*answer.hints, hint]})
        raise refusals.too_heavy(heavy.size, max_bytes=max_bytes, weights=heavy.weights) from heavy
    return answer.model_copy(update={"data": data, "cut": cut}) if cut else answer


def fit_answer(data: Any, *, max_bytes: int) -> tuple[Any, dict[str, Any] | None]:
    """
    Cut an answer's heaviest list so that it fits. The rest stays unchanged. Raises TooHeavy.

    The cut list's `pageInfo` is made to fit: it has a next page, which begins after the last item that is left.
    """
    size = len(encode(data))
    if size <= max_bytes:
        return data, None
    lists = sorted(_outer_lists(data), key=lambda found: -len(encode(found[1])))
    for path, items in lists:
        excess = size - max_bytes
        weight = len(encode(items))
        count = _count_that_fits(items, weight - excess)
        if count:
            return _cut(data, path, count), _describe(path, items=items, count=count)
    raise TooHeavy(size, weights=_heaviest(data))


def _outer_lists(data: Any, path: Path = ()) -> Iterator[tuple[Path, list[Any]]]:
    """Return the lists of more than one item that are in no other list."""
    if isinstance(data, dict) and len(path) < MAX_DEPTH:
        for name, value in data.items():
            yield from _outer_lists(value, (*path, name))
    elif isinstance(data, list) and len(data) > 1:
        yield path, data


def _count_that_fits(items: list[Any], room: int) -> int:
    """Return how many leading items fit into a number of bytes."""
    used = len(b"[]")
    for count, item in enumerate(items):
        used += len(encode(item)) + 1
        if used > room:
            return count
    return len(items)


def _cut(data: Any, path: Path, count: int) -> Any:
    """Copy the path to a list and cut it. Everything else is shared with the original."""
    if not path:
        return data[:count]
    name, rest = path[0], path[1:]
    changed = dict(data)
    changed[name] = _cut(data[name], rest, count)
    page = data.get("pageInfo")
    if not rest and name in ("edges", "nodes") and isinstance(page, dict):
        after = _cursor(data[name][count - 1]) if name == "edges" else None
        ends = {"endCursor": after, "hasNextPage": True}
        changed["pageInfo"] = page | {key: value for key, value in ends.items() if key in page}
    return changed


def _describe(path: Path, *, items: list[Any], count: int) -> dict[str, Any]:
    after = _cursor(items[count - 1]) if path and path[-1] == "edges" else None
    cut = {"path": ".".join(path), "items": count, "of": len(items), "next": _advise(path, count, after)}
    return cut if after is None else cut | {"after": after}


def _advise(path: Path, count: int, after: str | None) -> str:
    if after is not None:
        return f"Ask again with after: {encode(after).decode()} for the rest, and first: {count} or fewer fields."
    if path and path[-1] in ("edges", "nodes"):
        return f"Ask with first: {count}, and select pageInfo {{ hasNextPage endCursor }} to go on."
    return f"Ask for {count} at a time, with the list's own offset or page argument, or for fewer fields."


def _cursor(edge: Any) -> str | None:
    cursor = edge.get("cursor") if isinstance(edge, dict) else None
    return cursor if isinstance(cursor, str) else None


def _heaviest(data: Any) -> list[tuple[str, int]]:
    """Return the largest fields by their path. The items of a list count together."""
    weights: dict[Path, int] = {}
    stack: list[tuple[Path, Any]] = [((), data)]
    while stack:
        path, value = stack.pop()
        if isinstance(value, list):
            stack += [(path, one) for one in value]
        elif isinstance(value, dict) and value and len(path) < MAX_DEPTH:
            stack += [((*path, str(name)), one) for name, one in value.items()]
        else:
            weights[path] = weights.get(path, 0) + len(encode(value))
    ranked = sorted(weights.items(), key=lambda item: (-item[1], item[0]))
    return [(".".join(path), weight) for path, weight in ranked[:MAX_WEIGHTS]]
