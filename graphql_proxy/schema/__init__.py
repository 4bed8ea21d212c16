"""Schemas of upstreams: parsed, compared, searched, described, weighed."""
