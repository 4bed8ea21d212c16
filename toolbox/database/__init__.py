"""The event loop of the process, its connection pools, and helpers for rows that change seldom."""
