"""Root causes as texts: the entry in files, and its BM25 weights. Imports no Django."""
