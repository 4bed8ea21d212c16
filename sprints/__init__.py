"""Questions in plain language about issues, sprints and teams."""
