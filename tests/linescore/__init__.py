"""The linescore domain."""
