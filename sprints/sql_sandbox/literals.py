"""String literals of SQL. Pure."""


def quote_literal(text: str) -> str:
    """Quote a text as a literal without NUL characters, which PostgreSQL does not allow."""
    return "'" + text.replace("\x00", "").replace("'", "''") + "'"
