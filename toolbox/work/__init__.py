"""Background work: jobs that people start, and calls that became tasks."""
