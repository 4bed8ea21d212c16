"""Root causes as texts: the entry that files and people write, and its words weighed for BM25. Imports no Django."""
