"""Upkeep of upstreams and their schemas: fetching, scheduled refreshes, configuration files."""
