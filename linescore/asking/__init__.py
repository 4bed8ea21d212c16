"""Questions about games in plain language, without a language model: words are bound, read as a query, and answered."""
