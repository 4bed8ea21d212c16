"""Text: names, dates, redaction."""
