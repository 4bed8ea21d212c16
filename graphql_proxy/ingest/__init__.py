"""Ingestion of schemas: parsing, and storing as rows."""
