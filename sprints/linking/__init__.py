"""What a question names: people, teams, sprints, statuses, priorities, labels and days, found in the data."""
