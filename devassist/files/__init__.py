"""Opening and reading files of a workspace, and of nothing else. Imports no Django."""
