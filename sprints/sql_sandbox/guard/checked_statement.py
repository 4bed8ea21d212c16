"""The result of the guard."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedStatement:
    """
    A statement that may run, and its maximum number of rows.

    `limit_was_set` says that it had no LIMIT, `limit_was_lowered` that it may have had a larger one. `is_select` is
    what `check` proves; tests of the role alone say False, and such a statement is run as it stands.
    """

    sql: str
    max_rows: int
    limit_was_set: bool = False
    limit_was_lowered: bool = False
    is_select: bool = True
