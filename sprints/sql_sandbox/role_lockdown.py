"""
The restrictions of the analyst's login role, checked in the database's own catalogue.

One list of checks serves two uses: `provision_database` revokes what it finds in a database of ours, and
`check --deploy` reports it in another one. Imports no Django.
"""

from dataclasses import dataclass

from sprints.schema.view_catalog import SCHEMA
from sprints.sql_sandbox.sql_vocabulary import FUNCTIONS, VOLATILE_BUT_HARMLESS

LIMITS = {
    "default_transaction_read_only": "on",
    "statement_timeout": "10s",
    "lock_timeout": "2s",
    "idle_in_transaction_session_timeout": "10s",
    "temp_file_limit": "256MB",
    "work_mem": "32MB",
    "max_parallel_workers_per_gather": "0",
    "search_path": SCHEMA,
}
"""Settings of the role itself, so that they apply to every client that connects as it."""

MAX_CONNECTIONS = 16
"""Of the role, in the whole cluster: four processes of four; raise it (ALTER ROLE) before adding processes."""

POWERS = ("rolsuper", "rolcreaterole", "rolcreatedb", "rolreplication", "rolbypassrls")


@dataclass(frozen=True, slots=True, kw_only=True)
class Privilege:
    """A kind of privilege that the role must not have. `found` lists the objects in SQL notation."""

    verbs: str
    kind: str
    found: str
    needed: str = ""
    """The privilege that the owner and the reader still need after PUBLIC loses it."""


# Of functions, what is volatile writes, waits or reaches out, and what is stable reads something beside its arguments.
# Kept are those that queries may name, and those that operators, casts, types and indexes are made of.
_FUNCTIONS = """
SELECT p.oid::regprocedure::text AS object
FROM pg_proc AS p
WHERE p.pronamespace = 'pg_catalog'::regnamespace
  AND p.prokind IN ('f', 'p')
  AND has_function_privilege({role}, p.oid, 'EXECUTE')
  AND (p.provolatile = 'v' AND p.proname <> ALL ({harmless})
       OR p.provolatile = 's' AND p.proname <> ALL ({functions})
          AND NOT EXISTS (SELECT 1 FROM pg_operator AS o WHERE o.oprcode = p.oid)
          AND NOT EXISTS (SELECT 1 FROM pg_cast AS c WHERE c.castfunc = p.oid)
          AND NOT EXISTS (SELECT 1 FROM pg_amproc AS a WHERE a.amproc = p.oid)
          AND NOT EXISTS (SELECT 1 FROM pg_type AS t WHERE p.oid IN (t.typinput, t.typoutput, t.typreceive, t.typsend))
       OR p.oid::regprocedure::text = 'ts_rewrite(tsquery,text)')
  AND NOT 'internal'::regtype = ANY (p.proargtypes)
  AND p.prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype, 'internal'::regtype)
"""
_OTHER_FUNCTIONS = """
SELECT p.oid::regprocedure::text AS object
FROM pg_proc AS p
JOIN pg_namespace AS n ON n.oid = p.pronamespace
WHERE n.nspname NOT IN ('pg_catalog', 'information_schema', {schema})
  AND has_schema_privilege({role}, n.oid, 'USAGE')
  AND has_function_privilege({role}, p.oid, 'EXECUTE')
"""
_RELATIONS = """
SELECT format('%I.%I', n.nspname, c.relname) AS object
FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
  AND n.nspname <> {schema}
  AND n.nspname NOT LIKE 'pg\\_t%'
  AND (has_table_privilege({role}, c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
       OR has_any_column_privilege({role}, c.oid, 'SELECT, INSERT, UPDATE, REFERENCES'))
"""
_VIEWS_WRITABLE = """
SELECT format('%I.%I', n.nspname, c.relname) AS object
FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
  AND n.nspname = {schema}
  AND has_table_privilege({role}, c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
"""
_SEQUENCES = """
SELECT format('%I.%I', n.nspname, c.relname) AS object
FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE CASE c.relkind WHEN 'S' THEN has_sequence_privilege({role}, c.oid, 'USAGE, SELECT, UPDATE') END
"""
_SCHEMAS = """
SELECT quote_ident(n.nspname) AS object
FROM pg_namespace AS n
WHERE n.nspname NOT IN ('pg_catalog', 'information_schema', {schema}) AND n.nspname NOT LIKE 'pg\\_t%'
  AND has_schema_privilege({role}, n.oid, 'USAGE, CREATE')
"""
_SCHEMAS_WRITABLE = """
SELECT quote_ident(n.nspname) AS object
FROM pg_namespace AS n
WHERE n.nspname = {schema} AND has_schema_privilege({role}, n.oid, 'CREATE')
"""
_LANGUAGES = """
SELECT quote_ident(l.lanname) AS object
FROM pg_language AS l
WHERE l.lanpltrusted AND has_language_privilege({role}, l.oid, 'USAGE')
"""
_DATABASE = """
SELECT quote_ident(current_database()) AS object
WHERE has_database_privilege({role}, current_database(), 'TEMPORARY, CREATE')
"""

PRIVILEGES = (
    Privilege(verbs="ALL", kind="SCHEMA", found=_SCHEMAS, needed="USAGE"),
    Privilege(verbs="CREATE", kind="SCHEMA", found=_SCHEMAS_WRITABLE),
    Privilege(verbs="ALL", kind="TABLE", found=_RELATIONS, needed="SELECT"),
    Privilege(verbs="INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER", kind="TABLE", found=_VIEWS_WRITABLE),
    Privilege(verbs="ALL", kind="SEQUENCE", found=_SEQUENCES),
    Privilege(verbs="EXECUTE", kind="ROUTINE", found=_FUNCTIONS, needed="EXECUTE"),
    Privilege(verbs="EXECUTE", kind="ROUTINE", found=_OTHER_FUNCTIONS, needed="EXECUTE"),
    Privilege(verbs="USAGE", kind="LANGUAGE", found=_LANGUAGES, needed="USAGE"),
    Privilege(verbs="TEMPORARY, CREATE", kind="DATABASE", found=_DATABASE),
)


def offences_query(privilege: Privilege, *, role: str) -> str:
    """Return the statement that lists what the role, or `public`, may do and must not, in one column `object`."""
    return privilege.found.format(
        role=_text(role), schema=_text(SCHEMA), functions=_names(FUNCTIONS), harmless=_names(VOLATILE_BUT_HARMLESS)
    )


def lockdown_statements(*, role: str) -> str:
    """
    Return one statement whose column `statement` is the SQL that sets every missing restriction.

    No rows: nothing is missing. It fails where the role does not exist. It holds per cent signs: run it without
    parameters.
    """
    name = quote_name(role)
    revokes = [
        f"SELECT 'REVOKE {privilege.verbs} ON {privilege.kind} ' || object || ' FROM PUBLIC, ' || {_text(name)}"
        " AS statement"
        f" FROM ({offences_query(privilege, role=role)}) AS found"
        for privilege in PRIVILEGES
    ]
    limits = ", ".join(f"({_text(setting)}, {_text(value)})" for setting, value in LIMITS.items())
    return (
        "\nUNION ALL\n".join(
            [
                *revokes,
                _POWERS.format(role=_text(role), name=_text(name)),
                _MEMBERSHIPS.format(role=_text(role), name=_text(name)),
                _LIMITS.format(role=_text(role), name=_text(name), limits=limits),
                _CONNECTIONS.format(role=_text(role), name=_text(name), most=MAX_CONNECTIONS),
            ]
        )
        + "\nORDER BY statement"
    )


_POWERS = """
SELECT 'ALTER ROLE ' || {name} || ' NOSUPERUSER NOCREATEROLE NOCREATEDB NOREPLICATION NOBYPASSRLS'
FROM pg_roles
WHERE rolname = {role} AND (rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls)
"""
_MEMBERSHIPS = """
SELECT format('REVOKE %I FROM %s', g.rolname, {name})
FROM pg_auth_members AS m
JOIN pg_roles AS g ON g.oid = m.roleid
JOIN pg_roles AS r ON r.oid = m.member
WHERE r.rolname = {role}
"""
_CONNECTIONS = """
SELECT 'ALTER ROLE ' || {name} || ' CONNECTION LIMIT {most}' FROM pg_roles WHERE rolname = {role} AND rolconnlimit < 0
"""
# A limit that is set to something else is somebody's choice; that the role may only read is not.
_LIMITS = """
SELECT format('ALTER ROLE %s SET %s = %L', {name}, wanted.setting, wanted.value)
FROM (VALUES {limits}) AS wanted (setting, value)
WHERE NOT EXISTS (
  SELECT 1
  FROM pg_roles AS r, unnest(r.rolconfig) AS had (entry)
  WHERE r.rolname = {role}
    AND split_part(had.entry, '=', 1) = wanted.setting
    AND (wanted.setting <> 'default_transaction_read_only' OR split_part(had.entry, '=', 2) IN ('on', 'true', '1'))
)
"""


def quote_name(name: str) -> str:
    """Quote a name."""
    return '"{}"'.format(name.replace('"', '""'))


def _names(names: frozenset[str]) -> str:
    return f"ARRAY[{', '.join(_text(name) for name in sorted(names))}]"


def _text(text: str) -> str:
    return "'{}'".format(text.replace("'", "''"))
