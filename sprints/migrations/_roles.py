"""The roles that answer agents, for migrations that add views."""

from typing import Any

from django.conf import settings


def list_answering_roles(editor: Any) -> list[str]:
    """Return the roles that read the views; the analyst only where the role has been made."""
    roles: list[str] = [settings.TOOLROOM_READER_ROLE]
    with editor.connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [settings.SPRINTS_ANALYST_ROLE])
        if cursor.fetchone() is not None:
            roles.append(settings.SPRINTS_ANALYST_ROLE)
    return roles
