"""The queries of honest_queries.txt."""

from pathlib import Path

_TEXT = Path(__file__).with_name("honest_queries.txt").read_text(encoding="utf-8")

HONEST = [query.strip() for query in _TEXT.partition("\n")[2].split("\n\n")]
