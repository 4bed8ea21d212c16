"""What a run came to: round trips, profit by day, decisions; how it is measured, ranked and compared."""
