"""Looking at runs: which to choose, what happened when, the state at a moment, what an event came of and led to."""
