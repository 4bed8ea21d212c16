"""What documents and completions ask of the tables."""
