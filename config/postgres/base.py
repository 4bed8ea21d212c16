"""Django's PostgreSQL backend, starting the embedded server before the first connection."""

from typing import Any

from django.conf import settings
from django.db.backends.postgresql import base

from config.postgres.cluster import ensure_running


class DatabaseWrapper(base.DatabaseWrapper):
    """The PostgreSQL backend; the only difference is that the server need not run yet."""

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Connect, after making the server run; raises PostgresDidNotStart."""
        ensure_running(settings.TOOLROOM_VAR)
        return super().get_new_connection(conn_params)
