"""From a run's log to rows: parse (pure), check (pure), load."""
