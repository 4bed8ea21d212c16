"""The rows of an expression: a base entity, and what its joins to one row reach."""

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache

from sprints.semantics.errors import SemanticError
from sprints.semantics.model import Dimension, Entity, Predicate, SemanticModel, TimeRole

_ROLE = re.compile(r"\{([a-z][a-z0-9_]*)\}")

RolePath = tuple[str, ...]

MAX_ALIAS_LENGTH = 63
"""PostgreSQL cuts longer names, so that two of them could be one."""


def find_path(entity: Entity, *, role: str, model: SemanticModel) -> RolePath | None:
    """Return the joins from an entity to a role. Empty for itself, None if there is no path."""
    if role == entity.id:
        return ()
    if role in entity.joins:
        return (role,)
    if role not in entity.paths:
        return None
    path: RolePath = ()
    for step in entity.paths[role].split("."):
        further = find_path(entity_at(entity, path=path, model=model), role=step, model=model)
        if further is None:
            return None
        path += further
    return path


def entity_at(entity: Entity, *, path: RolePath, model: SemanticModel) -> Entity:
    """Return the entity at the end of a path of joins."""
    for step in path:
        entity = model.entities[entity.joins[step].entity]
    return entity


def reaches(entity: Entity, *, term: Dimension | Predicate | TimeRole, model: SemanticModel) -> bool:
    """Return whether rows of an entity have the term, or lead to the one row that has it."""
    path = find_path(entity, role=term.reached_as, model=model)
    return path is not None and entity_at(entity, path=path, model=model).id == term.entity


@lru_cache(maxsize=1_024)
def quote_name(name: str) -> str:
    """Quote an identifier that is a keyword of SQL: order, user, group."""
    import postgast  # noqa: PLC0415 - PostgreSQL's parser, when a statement is first written
    from postgast import pg_query_pb2  # noqa: PLC0415

    kind = postgast.scan(name).tokens[0].keyword_kind
    return name if kind in (pg_query_pb2.NO_KEYWORD, pg_query_pb2.UNRESERVED_KEYWORD) else f'"{name}"'


@dataclass(kw_only=True)
class AliasNames:
    """Unique aliases of one statement."""

    used: Counter[str] = field(default_factory=Counter)

    def take(self, name: str) -> str:
        """Return an unused name, with a number from the second time on, quoted where SQL reserves it."""
        alias = name[:MAX_ALIAS_LENGTH]
        while alias in self.used:
            self.used[name] += 1
            suffix = f"_{self.used[name] + 1}"
            alias = f"{name[: MAX_ALIAS_LENGTH - len(suffix)]}{suffix}"
        self.used[alias] += 0
        return quote_name(alias)


class Scope:
    """A SELECT under construction: its base entity, and the joins that expressions need."""

    def __init__(self, entity: Entity, *, model: SemanticModel, names: AliasNames) -> None:
        self.model = model
        self.entity = entity
        self.names = names
        self._aliases: dict[RolePath, str] = {(): names.take(entity.id)}
        self._joins: list[str] = []

    @property
    def alias(self) -> str:
        """Return the alias of the base entity."""
        return self._aliases[()]

    def open_nested(self, entity: Entity) -> "Scope":
        """Begin a nested SELECT."""
        return Scope(entity, model=self.model, names=self.names)

    def path_to(self, term: Dimension | Predicate | TimeRole) -> RolePath:
        """Return the joins that lead to a term. Raises SemanticError if there is no path."""
        path = find_path(self.entity, role=term.reached_as, model=self.model)
        if path is None or entity_at(self.entity, path=path, model=self.model).id != term.entity:
            raise SemanticError(
                f"{self.entity.plural.capitalize()} have no {term.label} ({term.id}).",
                suggestion=f"Ask about {self.model.entities[term.entity].plural}, or leave it out.",
                term=term.id,
            )
        return path

    def expand(self, expression: str, *, path: RolePath = (), other: str | None = None) -> str:
        """Expand an expression of the entity at a path with the aliases of its rows."""

        def replace(match: re.Match[str]) -> str:
            role = match[1]
            if role == "as_of":
                return self.model.as_of
            if role == "row":
                return self.alias_at(path)
            if role == "other" and other is not None:
                return other
            further = find_path(entity_at(self.entity, path=path, model=self.model), role=role, model=self.model)
            if further is None:
                raise SemanticError(
                    f"The expression {expression!r} speaks of {{{role}}}, which is not reached.", term=role
                )
            return self.alias_at(path + further)

        return _ROLE.sub(replace, expression)

    def alias_at(self, path: RolePath) -> str:
        """Return the alias of the row at a path, adding the joins to it."""
        if path not in self._aliases:
            source = self.alias_at(path[:-1])
            join = entity_at(self.entity, path=path[:-1], model=self.model).joins[path[-1]]
            alias = self.names.take(path[-1])
            on = _ROLE.sub(lambda match: {"row": source, "other": alias}[match[1]], join.on)
            self._aliases[path] = alias
            self._joins.append(f"LEFT JOIN {write_source(self.model.entities[join.entity], alias=alias)} ON {on}")
        return self._aliases[path]

    def add_lateral(self, expression: str, *, name: str) -> str:
        """Join the elements of an array, one row each and one null row for none. Returns the element's expression."""
        alias = self.names.take(f"{name}_item")
        self._joins.append(f"LEFT JOIN LATERAL unnest({expression}) AS {alias} (element) ON true")
        return f"{alias}.element"

    def write_from(self) -> str:
        """Write the FROM clause. No join can be added afterwards."""
        return "\n".join([f"FROM {write_source(self.entity, alias=self.alias)}", *self._joins])


def write_source(entity: Entity, *, alias: str) -> str:
    """Write the source of an entity's rows."""
    return f"{entity.view} AS {alias}" if entity.view else f"({(entity.sql or '').strip()}) AS {alias}"
