"""Changes between two versions of a schema, by graphql-core's own comparison."""

import re

from graphql import GraphQLSchema
from graphql.utilities import SchemaChange, find_schema_changes

from graphql_proxy.schema.parsing import read_stored

MAX_CHANGES = 1_000

Change = dict[str, str]

_MEMBER = re.compile(r"@?\b\w+\.\w+(?:\(\w+:\))?|@\w+(?:\(\w+:\))?")
_TYPE = re.compile(r"\b(\w+) (?:was|changed|has)\b")


def changes_between(before: str, *, after: str) -> list[Change]:
    """
    List the changes from one stored schema definition to another, breaking ones first, then dangerous ones.

    Each has `kind` (added, removed, changed, dangerous), `code`, `path` and `description`; at most 1,000 are listed.
    """
    return _list_changes(read_stored(before), read_stored(after))


def _list_changes(before: GraphQLSchema, after: GraphQLSchema) -> list[Change]:
    found = sorted(find_schema_changes(before, after), key=lambda change: (_grade(change), change.description))
    listed = [_describe_change(change) for change in found[:MAX_CHANGES]]
    if len(found) > MAX_CHANGES:
        more = f"{len(found) - MAX_CHANGES} more changes are not listed."
        listed.append({"kind": "changed", "code": "MORE", "path": "", "description": more})
    return listed


def _describe_change(change: SchemaChange) -> Change:
    place = _MEMBER.search(change.description) or _TYPE.search(change.description)
    return {
        "kind": _kind(change),
        "code": change.type.name,
        "path": place[place.lastindex or 0] if place else "",
        "description": change.description,
    }


def _kind(change: SchemaChange) -> str:
    if _grade(change) == 1:
        return "dangerous"
    name = change.type.name
    if name.startswith("REQUIRED_") or "CHANGE" in name or "DEFAULT" in name:
        return "changed"
    return "removed" if "REMOVED" in name else "added"


def _grade(change: SchemaChange) -> int:
    """Return 0 for breaking, 1 for dangerous, 2 for safe changes."""
    return {"BreakingChangeType": 0, "DangerousChangeType": 1}.get(type(change.type).__name__, 2)
