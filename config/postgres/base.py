"""Django's PostgreSQL backend; starts the embedded server before the first connection."""

from typing import Any

from django.conf import settings
from django.db.backends.postgresql import base

from config.postgres.cluster import ensure_running


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's PostgreSQL backend, except that it starts the server when needed."""

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Start the server if needed, then connect. Raises PostgresDidNotStart."""
        ensure_running(settings.TOOLROOM_VAR)
        return super().get_new_connection(conn_params)
