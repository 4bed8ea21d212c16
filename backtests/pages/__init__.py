"""Pages of runs: list, comparison, timeline, state at a moment, causes and effects of an event."""
