"""A migration's way of having a table announce that tools, or documents, made of its rows have changed."""

from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

CHANNEL = "toolroom_tools"
DOCUMENTS = "toolroom_documents"
"""What has changed is named here by its address: SELECT pg_notify('toolroom_documents', 'linescore://teams/CAR')."""


class NotifyToolChanges(Operation):
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


MAX_DOCUMENTS = 500
"""Of one statement; what a load changes beyond them is read again when its time to live is over."""
_LONGEST = 2_000
"""Bytes; no longer address is read (toolbox.contract.resources), and NOTIFY refuses 8,000."""
_EVENTS = {
    "insert": ("NEW TABLE AS after", "TABLE after"),
    "update": ("OLD TABLE AS before NEW TABLE AS after", "TABLE before UNION ALL TABLE after"),
    "delete": ("OLD TABLE AS before", "TABLE before"),
}
"""What a trigger refers to, and the rows that it makes `changed`: of an update those of before, too."""


def in_address(text: str) -> str:
    """Give SQL that writes an expression's text as addresses hold it, like `toolbox.contract.resources.fill_uri`."""
    coded = "regexp_replace(upper(encode(convert_to(letter, 'UTF8'), 'hex')), '(..)', '%\\1', 'g')"
    return (
        f"(SELECT string_agg(CASE WHEN letter ~ '[A-Za-z0-9_.~-]' THEN letter ELSE {coded} END, '' ORDER BY place) "
        f"FROM string_to_table({text}, NULL) WITH ORDINALITY AS letters (letter, place))"
    )


class NotifyResourceChanges(Operation):
    """
    NOTIFY the kernel, after every statement that changes the table, of the documents that have changed with it.

    `addresses` is a SELECT of their addresses from `changed`: the rows of the statement, as they were and as they are.
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
        """Make a trigger and its function for each kind of statement."""
        channel = schema_editor.quote_value(DOCUMENTS)
        for event, (referenced, rows) in _EVENTS.items():
            name = f"{self._name}_{event}"
            schema_editor.execute(
                f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
                f"PERFORM pg_notify({channel}, address) FROM ("
                f"WITH changed AS NOT MATERIALIZED ({rows}) "
                f"SELECT DISTINCT address FROM ({self.addresses}) AS every (address) "
                f"WHERE octet_length(address) <= {_LONGEST} LIMIT {MAX_DOCUMENTS}) AS known; "
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
        """Drop them."""
        for event in _EVENTS:
            name = f"{self._name}_{event}"
            schema_editor.execute(f"DROP TRIGGER {name} ON {schema_editor.quote_name(self.table)}")
            schema_editor.execute(f"DROP FUNCTION {name}()")

    def describe(self) -> str:
        """Say it in words."""
        return f"Announce changes of {self.table} to the documents made of it"

    @property
    def _name(self) -> str:
        return f"{self.table}_documents"
