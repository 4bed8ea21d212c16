"""Safe opening and reading of a workspace's files. Imports no Django."""
