"""PostgreSQL: the embedded server, roles, backups and upgrades."""
