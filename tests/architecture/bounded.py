"""Whether a SELECT can only give so many rows: the outermost ends in a LIMIT, or is one row by its nature."""

import re

_ONE_ROW = r"(?is)^\s*select\s+((count|sum|min|max|avg|bool_and|bool_or|array_agg)\s*\(\)[\w\s,]*)+\s+from\b"


def is_bounded(statement: str) -> bool:
    """Tell whether the statement has a LIMIT, reads no table, or is aggregates without GROUP BY."""
    text, before = re.sub(r"--[^\n]*", "", statement), ""
    while before != text:
        before, text = text, re.sub(r"\([^()]*\)", "()", text)
    if re.search(r"(?i)\blimit\b[^;]*$", text) or not re.search(r"(?i)\bfrom\b", text):
        return True
    return bool(re.search(_ONE_ROW, text)) and not re.search(r"(?i)\bgroup\s+by\b", text)
