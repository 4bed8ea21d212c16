"""Text: names, dates, numbers, redaction."""
