"""Searching documentation: public sources over the web, and pages that were ingested."""
