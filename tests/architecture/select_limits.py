"""
Whether a SELECT returns a bounded number of rows.

It does if it ends in a LIMIT, names a key or an array of keys that the caller gives, returns one row, or reads only
PostgreSQL's catalogue, whose size is that of the schema.
"""

import re

_ONE_ROW = r"(?is)^\s*select\s+((count|sum|min|max|avg|bool_and|bool_or|array_agg)\s*\(\)[\w\s,]*)+\s+from\b"
_ONE_KEY = r"(?i)\bwhere\b.*?(?<!_)\b(id|hash|rolname|datname|extname)\s*=\s*(%|\(|'|current_)"
_KEYS = r"(?i)(=\s*any\s*\(|\b(from|join)\s+unnest\s*\()"
_TABLES = r"(?i)\b(?:from|join)\s+(?:lateral\s+)?([a-z_{][\w.{}]*)"


def is_bounded(statement: str) -> bool:
    """Return whether the statement has a LIMIT, reads no table, names a key, or is aggregates without GROUP BY."""
    text, before = re.sub(r"--[^\n]*", "", statement), ""
    while before != text:
        before, text = text, re.sub(r"\([^()]*\)", "()", text)
    if re.search(r"(?i)\blimit\b[^;]*$", text) or not re.search(r"(?i)\bfrom\b", text):
        return True
    tables = re.findall(_TABLES, text)
    if re.search(_KEYS, text) or (tables and all(table.startswith(("pg_", "pg_catalog.")) for table in tables)):
        return True
    if re.search(_ONE_KEY, " ".join(text.split())):
        return True
    return bool(re.search(_ONE_ROW, text)) and not re.search(r"(?i)\bgroup\s+by\b", text)
