"""Observability of the server: health, metrics, logs, traces, error pages."""
