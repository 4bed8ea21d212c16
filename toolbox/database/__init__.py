"""The process's event loop, its connection pools, notifications, and caches of rows that seldom change."""
