"""Search for callers of a function by language servers over LSP. Imports no Django."""
