"""The results of a run: round trips, profit by day and decisions, and how they are measured, ranked and compared."""
