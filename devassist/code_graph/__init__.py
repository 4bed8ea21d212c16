"""The code graph of a workspace: files, symbols, class hierarchy, imports and calls, stored in the database."""
