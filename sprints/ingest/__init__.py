"""Ingestion of issues from Jira, files or the sample."""
