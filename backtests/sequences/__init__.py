"""Sequences of related events: shapes judged, roots paged, a page's events fetched."""
