"""Questions in English, parsed into queries of a semantic model. A word that does not bind is asked back."""
