"""NHL games, scored period by period."""
