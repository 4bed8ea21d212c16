"""A migration's way of letting the reader role see tables."""

from typing import Any

from django.conf import settings
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState


class GrantRead(Operation):
    """
    GRANT SELECT on tables or views to the reader role, which TOOLROOM_READER_ROLE names.

    Roles belong to the cluster and are made by `provision_database`; a migration only grants.
    """

    reduces_to_sql = True
    reversible = True

    def __init__(self, *tables: str) -> None:
        self.tables = tables

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        """Give what the migration writer needs."""
        return self.__class__.__name__, list(self.tables), {}

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Change no model."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        """Grant."""
        schema_editor.execute(f"GRANT SELECT ON {self._names(schema_editor)} TO {self._role(schema_editor)}")

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        """Revoke."""
        schema_editor.execute(f"REVOKE SELECT ON {self._names(schema_editor)} FROM {self._role(schema_editor)}")

    def describe(self) -> str:
        """Say it in words."""
        return f"Let the reader role SELECT from {', '.join(self.tables)}"

    def _names(self, schema_editor: BaseDatabaseSchemaEditor) -> str:
        return ", ".join(schema_editor.quote_name(table) for table in self.tables)

    def _role(self, schema_editor: BaseDatabaseSchemaEditor) -> str:
        return schema_editor.quote_name(settings.TOOLROOM_READER_ROLE)
