"""A migration's way of having a table announce that tools, or documents, made of its rows have changed."""

from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

CHANNEL = "toolroom_tools"
DOCUMENTS = "toolroom_documents"
"""What has changed is named here by its address: SELECT pg_notify('toolroom_documents', 'linescore://teams/CAR')."""


class AnnounceTools(Operation):
    """
    NOTIFY the kernel after every statement that changes the table, whoever runs it; once a transaction.

    `domain` is the toolkit whose `dynamic` tools depend on the table.
    """

    reduces_to_sql = True
    reversible = True

    def __init__(self, table: str, domain: str) -> None:
        self.table = table
        self.domain = domain

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        """Give what the migration writer needs."""
        return self.__class__.__name__, [self.table, self.domain], {}

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Change no model."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        """Make the trigger and its function."""
        name, table = self._name(schema_editor), schema_editor.quote_name(self.table)
        channel, domain = schema_editor.quote_value(CHANNEL), schema_editor.quote_value(self.domain)
        schema_editor.execute(
            f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ "
            f"BEGIN PERFORM pg_notify({channel}, {domain}); RETURN NULL; END $$",
            params=None,
        )
        schema_editor.execute(
            f"CREATE TRIGGER {name} AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON {table} "
            f"FOR EACH STATEMENT EXECUTE FUNCTION {name}()",
            params=None,
        )

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        """Drop both."""
        schema_editor.execute(f"DROP TRIGGER {self._name(schema_editor)} ON {schema_editor.quote_name(self.table)}")
        schema_editor.execute(f"DROP FUNCTION {self._name(schema_editor)}()")

    def describe(self) -> str:
        """Say it in words."""
        return f"Announce changes of {self.table} to the tools of {self.domain}"

    def _name(self, schema_editor: BaseDatabaseSchemaEditor) -> str:
        name: str = schema_editor.quote_name(f"{self.table}_announce")
        return name


MOST_DOCUMENTS = 500
"""Of one statement; what a load changes beyond them is read again when its time to live is over."""
_EVENTS = {"insert": "NEW", "update": "NEW", "delete": "OLD"}


class AnnounceDocuments(Operation):
    """
    NOTIFY the kernel, after every statement that changes the table, of the documents that have changed with it.

    `addresses` is a SELECT of their addresses from `changed`, the rows of the statement.
    """

    reduces_to_sql = True
    reversible = True

    def __init__(self, table: str, addresses: str) -> None:
        self.table = table
        self.addresses = addresses

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        """Give what the migration writer needs."""
        return self.__class__.__name__, [self.table, self.addresses], {}

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Change no model."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        """Make the triggers and their function."""
        name, channel = self._name, schema_editor.quote_value(DOCUMENTS)
        schema_editor.execute(
            f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            f"PERFORM pg_notify({channel}, left(address, 2000)) FROM ("
            f"SELECT DISTINCT address FROM ({self.addresses}) AS every (address) LIMIT {MOST_DOCUMENTS}) AS known; "
            "RETURN NULL; END $$",
            params=None,
        )
        for event, rows in _EVENTS.items():
            schema_editor.execute(
                f"CREATE TRIGGER {name}_{event} AFTER {event} ON {schema_editor.quote_name(self.table)} "
                f"REFERENCING {rows} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION {name}()",
                params=None,
            )

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        """Drop them."""
        for event in _EVENTS:
            schema_editor.execute(f"DROP TRIGGER {self._name}_{event} ON {schema_editor.quote_name(self.table)}")
        schema_editor.execute(f"DROP FUNCTION {self._name}()")

    def describe(self) -> str:
        """Say it in words."""
        return f"Announce changes of {self.table} to the documents made of it"

    @property
    def _name(self) -> str:
        return f"{self.table}_documents"
