"""Migration operations: grant the reader role access to tables, and announce changed rows by NOTIFY."""

from typing import Any

from django.conf import settings
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

CHANNEL = "toolroom_tools"
"""A payload names a domain whose dynamic tools have changed."""
DOCUMENTS = "toolroom_documents"
"""A payload is the URI of a changed resource: SELECT pg_notify('toolroom_documents', 'linescore://teams/CAR')."""
MAX_DOCUMENTS = 500
"""URIs announced by one statement; other changes are seen when the resource's time to live has passed."""
_MAX_URI_BYTES = 2_000
"""The longest URI that is read (toolbox.contract.resources); NOTIFY refuses 8,000 bytes and more."""
_EVENTS = {
    "insert": ("NEW TABLE AS after", "TABLE after"),
    "update": ("OLD TABLE AS before NEW TABLE AS after", "TABLE before UNION ALL TABLE after"),
    "delete": ("OLD TABLE AS before", "TABLE before"),
}
"""The transition tables of each trigger, and the rows that its query sees as `changed`."""


class _SqlOperation(Operation):
    """Base class of operations that change the database but no model."""

    reduces_to_sql = True
    reversible = True

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Change no model."""


class GrantRead(_SqlOperation):
    """
    GRANT SELECT on tables or views to the reader role, TOOLROOM_READER_ROLE.

    Roles belong to the cluster and are created by `provision_database`; a migration only grants.
    """

    def __init__(self, *tables: str) -> None:
        self.tables = tables

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        """Grant."""
        schema_editor.execute(self._statement(schema_editor, "GRANT SELECT ON {tables} TO {role}"))

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        """Revoke."""
        schema_editor.execute(self._statement(schema_editor, "REVOKE SELECT ON {tables} FROM {role}"))

    def describe(self) -> str:
        """Describe the operation for `migrate --plan`."""
        return f"Let the reader role SELECT from {', '.join(self.tables)}"

    def _statement(self, schema_editor: BaseDatabaseSchemaEditor, template: str) -> str:
        tables = ", ".join(schema_editor.quote_name(table) for table in self.tables)
        return template.format(tables=tables, role=schema_editor.quote_name(settings.TOOLROOM_READER_ROLE))


class NotifyToolChanges(_SqlOperation):
    """
    NOTIFY after every statement that changes the table, whichever client sent it; once per transaction.

    `domain` is the toolkit whose `dynamic` tools depend on the table.
    """

    def __init__(self, table: str, domain: str) -> None:
        self.table = table
        self.domain = domain

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        """Create the trigger and its function."""
        name, table = schema_editor.quote_name(f"{self.table}_announce"), schema_editor.quote_name(self.table)
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
        """Drop the trigger and its function."""
        name = schema_editor.quote_name(f"{self.table}_announce")
        schema_editor.execute(f"DROP TRIGGER {name} ON {schema_editor.quote_name(self.table)}")
        schema_editor.execute(f"DROP FUNCTION {name}()")

    def describe(self) -> str:
        """Describe the operation for `migrate --plan`."""
        return f"Announce changes of {self.table} to the tools of {self.domain}"


def encode_uri_part_sql(text: str) -> str:
    """Return SQL that percent-encodes an expression's text, as `toolbox.contract.resources.fill_uri` does."""
    coded = "regexp_replace(upper(encode(convert_to(letter, 'UTF8'), 'hex')), '(..)', '%\\1', 'g')"
    return (
        f"(SELECT string_agg(CASE WHEN letter ~ '[A-Za-z0-9_.~-]' THEN letter ELSE {coded} END, '' ORDER BY place) "
        f"FROM string_to_table({text}, NULL) WITH ORDINALITY AS letters (letter, place))"
    )


class NotifyResourceChanges(_SqlOperation):
    """
    NOTIFY of the resources that change with the table, after every statement that changes it.

    `addresses` is a SELECT of their URIs from `changed`: the statement's rows, both before and after it.
    """

    def __init__(self, table: str, addresses: str) -> None:
        self.table = table
        self.addresses = addresses

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        """Create a trigger and its function for each kind of statement."""
        channel = schema_editor.quote_value(DOCUMENTS)
        for event, (referenced, rows) in _EVENTS.items():
            name = f"{self.table}_documents_{event}"
            schema_editor.execute(
                f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
                f"PERFORM pg_notify({channel}, address) FROM ("
                f"WITH changed AS NOT MATERIALIZED ({rows}) "
                f"SELECT DISTINCT address FROM ({self.addresses}) AS every (address) "
                f"WHERE octet_length(address) <= {_MAX_URI_BYTES} LIMIT {MAX_DOCUMENTS}) AS known; "
                "RETURN NULL; END $$",
                params=None,
            )
            schema_editor.execute(
                f"CREATE TRIGGER {name} AFTER {event} ON {schema_editor.quote_name(self.table)} "
                f"REFERENCING {referenced} FOR EACH STATEMENT EXECUTE FUNCTION {name}()",
                params=None,
            )

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        """Drop the triggers and their functions."""
        for event in _EVENTS:
            name = f"{self.table}_documents_{event}"
            schema_editor.execute(f"DROP TRIGGER {name} ON {schema_editor.quote_name(self.table)}")
            schema_editor.execute(f"DROP FUNCTION {name}()")

    def describe(self) -> str:
        """Describe the operation for `migrate --plan`."""
        return f"Announce changes of {self.table} to the documents made of it"
