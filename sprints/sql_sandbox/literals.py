"""String literals of SQL. Pure."""


def quote_literal(text: str) -> str:
    """Write a string literal; NUL characters, which no text of PostgreSQL holds, are left out."""
    return "'" + text.replace("\x00", "").replace("'", "''") + "'"
