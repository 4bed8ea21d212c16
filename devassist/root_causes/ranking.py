"""
How relevant an entry is: its cosine to the query, and how much of the query's words it has.

`score = similarity + WORDS_SHARE * coverage²`, where coverage is BM25 as a share of what an entry with every word of
the query could get. Squared, because half of the words say much less than half. docs/decisions/0143 says how the
share and the floor were found.
"""

WORDS_SHARE = 1.6
FLOOR = 0.45
NEAR_DUPLICATE = 0.86
"""Cosine from which two entries are shown to be perhaps the same."""
