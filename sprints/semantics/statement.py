"""Parts of SQL text without a model: steps of a statement, and aggregates."""

import re

_CALL = re.compile(r"[a-z_]+\(")
_WITHIN_GROUP = re.compile(r"WITHIN GROUP \(")


def is_one_aggregate(expression: str) -> bool:
    """Return whether an expression is one aggregate call without a filter, so that a filter may follow it."""
    rest = expression.strip()
    for beginning in (_CALL, _WITHIN_GROUP):
        if found := beginning.match(rest):
            rest = rest[_closing_bracket(rest, found.end() - 1) + 1 :].strip()
    return not rest


def _closing_bracket(text: str, opening: int) -> int:
    depth = 0
    for place in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return place
    return len(text)


class Statement:
    """A statement of steps. Each may read the earlier ones."""

    def __init__(self) -> None:
        self._steps: list[tuple[str, str]] = []
        self._final = ""

    @property
    def last(self) -> str:
        """Return the name of the last step."""
        return self._steps[-1][0]

    def add(self, name: str, *, body: str) -> None:
        """Add a step."""
        self._steps.append((name, body))

    def finish(self, body: str) -> None:
        """Set the final SELECT."""
        self._final = body

    def write(self) -> str:
        """Write the statement."""
        steps = ",\n".join(f"{name} AS (\n{body}\n)" for name, body in self._steps)
        return f"WITH {steps}\n{self._final}"
