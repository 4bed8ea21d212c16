"""Background work: leases, jobs that people start, and calls that became tasks."""
