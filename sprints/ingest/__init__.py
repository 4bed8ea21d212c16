"""From Jira, from files or from the sample, into the tables."""
