"""Linking of questions to the data: people, teams, sprints, statuses, priorities, labels and days."""
