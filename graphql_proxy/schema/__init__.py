"""Upstream schemas: parsing, comparison, search, descriptions, cost."""
