"""
Repair of a failed statement from the schema.

Every view, alias and column of the statement is resolved against the schema by PostgreSQL's own parse tree, whatever
the error names. A name with exactly one possible meaning is replaced; a column that one foreign key leads to is joined.
If one name stays unresolved, nothing is changed. Pure.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import postgast
import regex
from google.protobuf.message import DecodeError

from sprints.contracts import SchemaInfo
from sprints.linking.folding import fold
from sprints.linking.names import NameIndex
from sprints.sql_sandbox.guard import parse_bounds
from sprints.sql_sandbox.guard.refusals import Refused
from sprints.sql_sandbox.literals import quote_literal
from sprints.sql_sandbox.near_names import find_near_name, find_near_view, list_schema_words, singular

MAX_VALUES = 5
"""The maximum unquoted values of several words in one statement."""
_VALUE_KINDS = ("status", "priority", "type")
_COLUMNS_OF_KINDS = {"status": "status", "priority": "priority", "type": "issue_type"}
_SEVERAL_WORDS = (*_VALUE_KINDS, "person", "sprint", "team")


@dataclass(frozen=True, slots=True)
class Repair:
    """A repaired statement with a sentence for each change, or the original with the unresolved names."""

    sql: str
    changes: tuple[str, ...] = ()
    unresolved: tuple[str, ...] = ()


@dataclass(slots=True)
class _Source:
    """A source in FROM with its alias. Columns are None if unknown, as for functions."""

    alias: str
    columns: list[str] | None
    view: str = ""
    end: int = 0
    """The byte offset where a join may follow."""


Scopes = list[list[_Source]]
Queries = dict[str, list[str] | None]


def repair_statement(sql: str, *, schema: SchemaInfo, index: NameIndex) -> Repair:
    """Repair every name that the schema, or a value of the data, resolves. Changes nothing if one stays unresolved."""
    text, changes = sql, list[str]()
    for _ in range(MAX_VALUES):
        if _is_parsed(text):
            break
        found = _quote_value(text, index)
        if found is None:
            return Repair(sql)
        text, sentence = found
        changes.append(sentence)
    else:
        return Repair(sql)
    names = _resolve(text, schema=schema, index=index)
    if names.unresolved:
        return Repair(sql, unresolved=tuple(dict.fromkeys(names.unresolved)))
    text = names.rewrite()
    again = _resolve(text, schema=schema, index=index) if _is_parsed(text) else None
    if again is None or again.edits or again.unresolved:
        return Repair(sql)
    return Repair(text, changes=tuple(dict.fromkeys([*changes, *names.changes])))


def _is_parsed(sql: str) -> bool:
    try:
        parse_bounds.within_bounds(sql)
        tree = postgast.parse(sql)
    except (postgast.PgQueryError, DecodeError, Refused):
        return False
    return len(tree.stmts) == 1 and tree.stmts[0].stmt.WhichOneof("node") == "select_stmt"


def _resolve(sql: str, *, schema: SchemaInfo, index: NameIndex) -> "_Names":
    names = _Names(sql, schema=schema, index=index)
    names.select(postgast.parse(sql).stmts[0].stmt.select_stmt, outer=[], queries={})
    return names


@dataclass
class _Names:
    """The names of one statement, and the edits that resolve them."""

    sql: str
    schema: SchemaInfo
    index: NameIndex
    edits: list[tuple[int, int, str]] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)
    unresolved: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.text = self.sql.encode()
        self.tokens = postgast.scan(self.sql).tokens
        self.places = {token.start: number for number, token in enumerate(self.tokens)}
        self.views = {table.name: [column.name for column in table.columns] for table in self.schema.tables}
        self.words = list_schema_words(self.views)
        self.joined: dict[tuple[int, str], str] = {}
        self.renamed: dict[str, str] = {}
        self.read_as: dict[int, str] = {}
        """The names by which another query reads columns of a query, by their places in the text."""

    def rewrite(self) -> str:
        """Return the statement with every edit applied."""
        text = self.text
        for start, end, by in sorted(set(self.edits), reverse=True):
            text = text[:start] + by.encode() + text[end:]
        return text.decode()

    # ------------------------------------------------------------------------------------------------------- queries

    def select(
        self, select: Any, *, outer: Scopes, queries: Queries, is_read: bool = False
    ) -> list[str] | None:  # fmt: skip
        """
        Resolve a SELECT. Returns its columns, None if they are unknown.

        `is_read` says that another query reads its columns by name, so these names are kept.
        """
        queries = dict(queries)
        for item in select.with_clause.ctes:
            self._resolve_with(
                item.common_table_expr, outer=outer, queries=queries, recursive=select.with_clause.recursive
            )
        if select.HasField("larg"):
            columns = self.select(select.larg, outer=outer, queries=queries, is_read=is_read)
            self.select(select.rarg, outer=outer, queries=queries)
            return columns
        scope: list[_Source] = []
        for item in select.from_clause:
            self._resolve_from(item, scope=scope, outer=outer, queries=queries)
        scopes = [scope, *outer]
        outputs = {item.res_target.name for item in select.target_list if item.res_target.name}
        if is_read:
            self._note_names(select)
        for name, value in select.ListFields():
            if name.name in ("with_clause", "from_clause") or name.message_type is None:
                continue
            free = outputs if name.name in ("sort_clause", "group_clause", "distinct_clause") else set[str]()
            for part in value if name.is_repeated else [value]:
                self._expression(part, scopes=scopes, queries=queries, free=free)
        return _output_columns(select, scope=scope) if not select.values_lists else None

    def _note_names(self, select: Any) -> None:
        """Note the columns of a query that have no name but their own."""
        for item in select.target_list:
            target = item.res_target
            if target.name or target.val.WhichOneof("node") != "column_ref":
                continue
            column = target.val.column_ref
            if column.fields[-1].WhichOneof("node") == "string" and column.location in self.places:
                last = self.places[column.location] + 2 * (len(column.fields) - 1)
                self.read_as[last] = self._word(last)

    def _resolve_with(self, entry: Any, *, outer: Scopes, queries: Queries, recursive: bool) -> None:
        names = [one.string.sval for one in entry.aliascolnames]
        if recursive:
            queries[entry.ctename] = names or None
        if entry.ctequery.WhichOneof("node") == "select_stmt":
            columns = self.select(entry.ctequery.select_stmt, outer=outer, queries=queries, is_read=True)
            queries[entry.ctename] = names or columns
        if entry.HasField("search_clause") or entry.HasField("cycle_clause"):
            queries[entry.ctename] = None

    def _resolve_from(self, item: Any, *, scope: list[_Source], outer: Scopes, queries: Queries) -> None:
        kind = item.WhichOneof("node")
        if kind == "range_var":
            scope.append(self._relation(item.range_var, queries=queries))
        elif kind == "range_subselect":
            query = item.range_subselect
            seen = [scope, *outer] if query.lateral else outer
            columns = self.select(query.subquery.select_stmt, outer=seen, queries=queries, is_read=True)
            scope.append(_Source(query.alias.aliasname, _alias_columns(query.alias, columns)))
        elif kind == "join_expr":
            join = item.join_expr
            for side in (join.larg, join.rarg):
                self._resolve_from(side, scope=scope, outer=outer, queries=queries)
            self._expression(join.quals, scopes=[scope, *outer], queries=queries)
            if join.HasField("alias"):
                scope.append(_Source(join.alias.aliasname, None))
        else:
            message = getattr(item, kind)
            self._expression(item, scopes=[scope, *outer], queries=queries)
            scope.append(_Source(message.alias.aliasname, None))

    def _relation(self, relation: Any, *, queries: Queries) -> _Source:
        name, place = relation.relname, self.places[relation.location]
        alias = relation.alias.aliasname or name
        if not relation.schemaname and name in queries:
            return _Source(alias, _alias_columns(relation.alias, queries[name]))
        near = name if name in self.views else find_near_view(name, views=self.views, words=self.words)
        if near is None:
            self.unresolved.append(name)
            return _Source(alias, None)
        last = place + 2 * (bool(relation.schemaname) + bool(relation.catalogname))
        if near != name or (relation.schemaname and relation.schemaname != "sprintscope"):
            is_used = not relation.alias.aliasname and near != name
            self._edit(place, last, by=near)
            written = ".".join(part for part in (relation.catalogname, relation.schemaname, name) if part)
            self.changes.append(f"Fixed view name: changed '{written}' to '{near}'")
            alias = near if is_used else alias
        end = last
        if relation.alias.aliasname:
            end += 2 if self._word(last + 1).lower() == "as" else 1
        columns = _alias_columns(relation.alias, self.views[near])
        source = _Source(alias, columns, view=near, end=self.tokens[end].end)
        if alias != (relation.alias.aliasname or name):
            self.renamed[name] = alias
        return source

    # --------------------------------------------------------------------------------------------------- expressions

    def _expression(
        self, message: Any, *, scopes: Scopes, queries: Queries, free: Iterable[str] = (), beside: Any = None
    ) -> None:
        """Resolve the names of an expression. `beside` is the comparison that it is a part of."""
        kind = message.DESCRIPTOR.name
        if kind == "Node":
            inner = message.WhichOneof("node")
            if inner is None:
                return
            message = getattr(message, inner)
            kind = message.DESCRIPTOR.name
        if kind == "SelectStmt":
            self.select(message, outer=scopes, queries=queries)
            return
        if kind == "ColumnRef":
            self._column(message, scopes=scopes, free=free, beside=beside)
            return
        beside = message if kind == "A_Expr" else beside if kind == "List" else None
        for descriptor, value in message.ListFields():
            if descriptor.message_type is not None:
                for part in value if descriptor.is_repeated else [value]:
                    self._expression(part, scopes=scopes, queries=queries, free=free, beside=beside)

    def _column(self, column: Any, *, scopes: Scopes, free: Iterable[str], beside: Any) -> None:
        names = [part.string.sval for part in column.fields if part.WhichOneof("node") == "string"]
        place = self.places.get(column.location)
        if place is None:  # TABLE name, which has no list of columns
            return
        if len(names) == 1 and len(column.fields) == 1:
            if names[0] not in free and not _is_known(names[0], scopes):
                self._resolve_bare(names[0], place=place, scope=scopes[0], beside=beside)
        elif len(column.fields) == 2:  # noqa: PLR2004 - alias and column
            self._resolve_qualified(names, place=place, scopes=scopes, beside=beside)

    def _resolve_bare(self, name: str, *, place: int, scope: list[_Source], beside: Any) -> None:
        """Resolve a column without an alias: an unquoted value, a similar column, or one to join."""
        value = _find_value(name, self.index)
        if value and beside is not None:
            self._edit(place, place, by=quote_literal(value))
            self.changes.append(f"Put quotes around the value: changed {name} to {quote_literal(value)}.")
            return
        near = [
            (source, found) for source in scope
            if (found := _near_column(name, source, words=self.words) or self._find_holder(source, beside=beside))
        ]  # fmt: skip
        if len({found for _, found in near}) == 1 == len(near):
            self._rename(place, by=near[0][1])
            self.changes.append(f"Fixed column name: changed '{name}' to '{near[0][1]}'")
            return
        if near or not self._join(name, place=place, last=place, sources=scope):
            self.unresolved.append(name)

    def _find_holder(self, source: _Source, *, beside: Any) -> str | None:
        """Return the column that holds the values with which something is compared: status, for = 'Done'."""
        kinds = {
            _COLUMNS_OF_KINDS[name.kind] for text in _list_texts(beside) for name in self.index.everything
            if name.kind in _VALUE_KINDS and name.text == text
        }  # fmt: skip
        held = kinds & {*(source.columns or ())} if source.view else set()
        return held.pop() if len(held) == len(kinds) == 1 else None

    def _resolve_qualified(self, names: list[str], *, place: int, scopes: Scopes, beside: Any) -> None:
        owner, name = names[0], names[1] if len(names) > 1 else ""
        source = next((one for scope in scopes for one in scope if one.alias == owner), None)
        if source is None:
            source = _find_owner(owner, name, scope=scopes[0], renamed=self.renamed, words=self.words)
            if source is None:
                self.unresolved.append(f"{owner}.{name}" if name else owner)
                return
            self._edit(place, place, by=source.alias)
            self.changes.append(f"Fixed the alias: changed '{owner}.' to '{source.alias}.'")
        if not name or source.columns is None or name in source.columns:
            return
        if near := _near_column(name, source, words=self.words) or self._find_holder(source, beside=beside):
            self._rename(place + 2, by=near)
            self.changes.append(
                f"Fixed column name: changed '{owner}.{name}' to '{owner}.{near}' "
                f"({source.view or source.alias} table uses {near}, not {name})"
            )
            return
        others = [one for one in scopes[0] if one.columns and name in one.columns]
        if len(others) == 1:
            to = others[0]
            self._edit(place, place, by=to.alias)
            self.changes.append(
                f"Fixed the view: changed '{owner}.{name}' to '{to.alias}.{name}' ({name} is in {to.view or to.alias})"
            )
            return
        if others or not self._join(name, place=place, last=place + 2, sources=[source]):
            self.unresolved.append(f"{owner}.{name}")

    def _join(self, name: str, *, place: int, last: int, sources: list[_Source]) -> bool:
        """Join the view with the column if exactly one foreign key leads to it, and no own column may be meant."""
        if any(f"_{name}_" in f"_{column}_" for source in sources for column in source.columns or ()):
            return False
        paths = [
            (source, key)
            for source in sources
            for key in self.schema.foreign_keys
            if source.view and key.from_table == source.view and name in self.views.get(key.to_table, ())
        ]
        if len(paths) != 1 or not paths[0][0].end:
            return False
        [(source, key)] = paths
        alias = self.joined.get((source.end, key.from_column))
        if alias is None:
            alias = self._free_alias(key.to_table)
            self.joined[source.end, key.from_column] = alias
            on = f"{alias}.{key.to_column} = {source.alias}.{key.from_column}"
            named = key.to_table if alias == key.to_table else f"{key.to_table} AS {alias}"
            self.edits.append((source.end, source.end, f" LEFT JOIN {named} ON {on}"))
            self.changes.append(f"Joined {key.to_table} for {name}: {on}.")
        self._edit(place, last, by=f"{alias}.{name}")
        return True

    def _free_alias(self, view: str) -> str:
        used = {self._word(place).lower() for place in range(len(self.tokens))} | set(self.joined.values())
        return next(name for name in (view, *(f"{view}_{number}" for number in range(2, 999))) if name not in used)

    def _word(self, place: int) -> str:
        if place >= len(self.tokens):
            return ""
        return self.text[self.tokens[place].start : self.tokens[place].end].decode()

    def _rename(self, place: int, *, by: str) -> None:
        """Replace the name of a column, which keeps the name by which another query reads it."""
        kept = self.read_as.get(place)
        self._edit(place, place, by=f"{by} AS {kept}" if kept else by)

    def _edit(self, first: int, last: int, *, by: str) -> None:
        self.edits.append((self.tokens[first].start, self.tokens[last].end, by))


def _output_columns(select: Any, *, scope: list[_Source]) -> list[str] | None:
    names: list[str] = []
    for item in select.target_list:
        target = item.res_target
        if target.name:
            names.append(target.name)
        elif target.val.WhichOneof("node") != "column_ref":
            return None
        elif (last := target.val.column_ref.fields[-1]).WhichOneof("node") == "string":
            names.append(last.string.sval)
        else:
            owners = [part.string.sval for part in target.val.column_ref.fields[:-1]]
            for source in scope:
                if not owners or source.alias == owners[-1]:
                    if source.columns is None:
                        return None
                    names += source.columns
    return names


def _alias_columns(alias: Any, columns: list[str] | None) -> list[str] | None:
    given = [name.string.sval for name in alias.colnames]
    return [*given, *columns[len(given) :]] if given and columns is not None else columns


def _is_known(name: str, scopes: Scopes) -> bool:
    sources = [source for scope in scopes for source in scope]
    return any(source.columns is None or name in source.columns or name == source.alias for source in sources)


def _find_owner(
    owner: str, name: str, *, scope: list[_Source], renamed: dict[str, str], words: frozenset[str]
) -> _Source | None:
    """Resolve an unknown alias: a view that has another alias, or the only source."""
    named = [source for source in scope if source.view == owner or source.alias == renamed.get(owner)]
    if not named and len(scope) == 1:
        [only] = scope
        is_there = not name or only.columns is None or name in only.columns
        named = scope if is_there or _near_column(name, only, words=words) else []
    return named[0] if len(named) == 1 else None


def _near_column(name: str, source: _Source, *, words: frozenset[str]) -> str | None:
    """Return the intended column: with the view's own word, or the only one with this part; else a similar one."""
    known = source.columns or []
    noun = singular(source.view or source.alias)
    formed = {f"{noun}_{name}", f"full_{name}", name.removeprefix(f"{noun}_")} & set(known) - {name}
    if not formed:
        formed = {one for one in (f"{name}_id", f"{name}_at") if one in known and _is_only_one_with(name, one, known)}
    if formed:
        return formed.pop() if len(formed) == 1 else None
    return find_near_name(name, known=known, words=words)


def _is_only_one_with(name: str, column: str, known: list[str]) -> bool:
    """Return whether no other column has the name in it: `completed` may mean the time, the issues or the points."""
    others = [one for one in known if f"_{name}_" in f"_{one}_" and not f"_{one}".endswith(f"_{column}")]
    return not others


def _find_value(name: str, index: NameIndex) -> str | None:
    """Return the status, priority or type with this spelling."""
    known = {fold(one.text): one.text for one in index.everything if one.kind in _VALUE_KINDS}
    return known.get(fold(name))


def _list_texts(comparison: Any) -> set[str]:
    """List the texts that something is compared with: those of = 'Done', IN ('Done', 'Closed')."""
    if comparison is None:
        return set()
    parts = [comparison.lexpr, comparison.rexpr]
    parts += [item for part in parts if part.WhichOneof("node") == "list" for item in part.list.items]
    return {
        part.a_const.sval.sval for part in parts
        if part.WhichOneof("node") == "a_const" and part.a_const.WhichOneof("val") == "sval"
    }  # fmt: skip


def _quote_value(sql: str, index: NameIndex) -> tuple[str, str] | None:
    """Quote a value of several words that has no quotes."""
    for name in sorted(index.everything, key=lambda name: -len(name.text)):
        if " " not in name.text or name.kind not in _SEVERAL_WORDS:
            continue
        place = regex.search(rf"(=|<>|\blike|\(|,)(\s*)({regex.escape(name.text)})(?![\w'])", sql, regex.IGNORECASE)
        if place and not sql[: place.start(3)].count("'") % 2:
            text = sql[: place.start(3)] + quote_literal(name.text) + sql[place.end(3) :]
            return text, f"Put quotes around the value {quote_literal(name.text)}."
    return None
