"""Questions in plain language over issues, sprints and teams."""
