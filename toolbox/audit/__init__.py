"""The audit log, spans, and retention."""
