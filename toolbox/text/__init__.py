"""Text: names, dates, redaction, charts."""
