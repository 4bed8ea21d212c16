"""
Compilation of measures by groups to SQL.

Each measure is computed in a SELECT over its own rows, its *leg*. Measures with the same entity, time and predicates
share a leg. Legs are joined by their groups, so that measures of different rows never multiply each other.
"""

from typing import Literal, NamedTuple

from sprints.semantics.conditions import ConditionWriter
from sprints.semantics.enums import Operator
from sprints.semantics.errors import SemanticError, unknown_term
from sprints.semantics.lookup import (
    allowed_dimensions,
    find_dimension,
    find_measure,
    find_measured_time,
    find_time_role,
    roles_of,
)
from sprints.semantics.model import Dimension, Measure, SemanticModel
from sprints.semantics.query import MAX_LIMIT, Condition, Group, MetricQuery, NamedCondition, Share, TimeGroup
from sprints.semantics.result import CompiledQuery, ResultColumn
from sprints.semantics.scope import AliasNames, Scope, reaches
from sprints.semantics.statement import Statement, is_one_aggregate
from sprints.semantics.zero_groups import holds_for_none, write_empty_groups

_STEPS = {"day": "1 day", "week": "7 days", "month": "1 month", "quarter": "3 months", "year": "1 year"}
_SYMBOLS = {
    Operator.EQ: "=",
    Operator.NE: "<>",
    Operator.LT: "<",
    Operator.LE: "<=",
    Operator.GT: ">",
    Operator.GE: ">=",
}
SIDE = "compared"


class _Leg(NamedTuple):
    """The counted rows: an entity, a time, predicates, and a side of a comparison."""

    entity: str
    time: str | None
    where: tuple[str, ...]
    in_part: bool
    side: int


class _GroupKey(NamedTuple):
    """A group of the query, as columns of the statement."""

    name: str
    label: str
    has_key: bool
    has_sort: bool
    grain: str | None
    dimension: Dimension | None


class _Value(NamedTuple):
    """A number of each leg: the measure and its column."""

    column: str
    measure: Measure
    in_part: bool


class Aggregation:
    """The statement of a query with measures."""

    def __init__(self, query: MetricQuery, *, model: SemanticModel) -> None:
        self.query = query
        self.model = model
        self.measures = tuple(find_measure(name, model=model) for name in query.measures)
        self.groups = tuple(self._name_group(group, place=place) for place, group in enumerate(query.group_by))
        self.values = self._list_values()
        self.notes: list[str] = []
        self._refuse_misfits()

    def compile(self) -> CompiledQuery:
        """Write the statement."""
        legs: dict[_Leg, list[_Value]] = {}
        for value in self.values:
            for side in range(max(len(self.query.compare), 1)):
                legs.setdefault(self._leg_of(value, side=side), []).append(value)
        parts = [self._write_leg(leg, values=values) for leg, values in legs.items()]
        measures, columns = tuple(value.measure for value in self.values), [value.column for value in self.values]
        empty = write_empty_groups(self.query, measures=measures, columns=columns, model=self.model)
        if not empty and self.query.group_by and holds_for_none(self.query):
            self.notes.append("Only those with at least one are listed.")
        parts += [empty] if empty else []
        statement = Statement()
        if len(parts) == 1 and not self._fills_gaps():
            statement.add("merged", body=parts[0])
        else:
            self._merge(parts, statement=statement)
        self._shape(statement)
        return CompiledQuery(sql=statement.write(), columns=self._columns(), notes=tuple(self.notes))

    # What is asked

    def _list_values(self) -> tuple[_Value, ...]:
        """List the numbers that legs compute: both sides of a ratio, and the part of a share."""
        plain: dict[str, Measure] = {}
        for measure in self._all_measures():
            for name in measure.ratio or (measure.id,):
                plain[name] = self.model.measures[name]
        values = [_Value(f"v_{name}", measure, in_part=False) for name, measure in plain.items()]
        if self.query.share is not None and self.query.share.part is not None:
            values += [_Value(f"p_{name}", measure, in_part=True) for name, measure in plain.items()]
        return tuple(values)

    def _ranks_by_further_measure(self) -> bool:
        return self.query.rank is not None and self.query.rank.by not in {group.name for group in self.groups}

    def _leg_of(self, value: _Value, *, side: int) -> _Leg:
        measure = value.measure
        where = () if self._counts_zero_groups(measure) else tuple(sorted(measure.where))
        time = find_measured_time(measure, beside=self.query.measures, groups=self.query.group_by, model=self.model)
        return _Leg(measure.entity, time, where, value.in_part, side)

    def _counts_zero_groups(self, measure: Measure) -> bool:
        """
        Return whether groups without rows of the measure's own predicates are shown, with zero.

        The sprint with the fewest carried-over issues may have none. The predicates then filter the aggregate.
        """
        has_dimension = any(group.dimension is not None for group in self.groups)
        return has_dimension and measure.empty == "zero" and is_one_aggregate(measure.expression or "")

    def _write_aggregate(self, measure: Measure, *, writer: ConditionWriter) -> str:
        expression = writer.scope.expand((measure.expression or "").strip())
        if not measure.where or not self._counts_zero_groups(measure):
            return expression
        predicates = " AND ".join(writer.write(NamedCondition(predicate=name)) for name in measure.where)
        return f"{expression} FILTER (WHERE {predicates})"

    def _name_group(self, group: Group, *, place: int) -> _GroupKey:
        if isinstance(group, TimeGroup):
            taken = {other.grain for other in self.query.group_by[:place] if isinstance(other, TimeGroup)}
            if group.grain in taken:
                raise SemanticError(
                    f"There are two groups by {group.grain}.", suggestion="Leave one of them out.", term=group.grain
                )
            return _GroupKey(str(group.grain), str(group.grain), False, False, group.grain, None)  # noqa: FBT003 - columns
        if group in self.query.group_by[:place]:
            raise SemanticError(
                f"There are two groups by {group.dimension}.", suggestion="Leave one of them out.", term=group.dimension
            )
        dimension = find_dimension(group.dimension, model=self.model)
        if not dimension.groupable:
            raise SemanticError(
                f"{dimension.id} has too many values to group by.",
                suggestion="Filter by it, or list rows with it as a column.",
                term=dimension.id,
            )
        has_key = dimension.key is not None
        return _GroupKey(dimension.id, dimension.label, has_key, dimension.sort is not None, None, dimension)

    def _refuse_misfits(self) -> None:
        """Refuse meaningless combinations. Raises SemanticError."""
        for measure in {value.measure.id: value.measure for value in self.values}.values():
            for group in self.groups:
                if group.dimension is not None:
                    self._refuse_misfit(measure, dimension=group.dimension)
        if self.query.share is not None:
            self._refuse_share(self.query.share)
        if self.query.trend and self._trend_group() is None:
            raise SemanticError(
                "A trend needs exactly one group of time, or by sprint.", suggestion="Add a grain, for example month."
            )
        for order in self.query.order:
            self._column_of(order.by)

    def _refuse_share(self, share: Share) -> None:
        for measure in self.measures:
            if not measure.additive:
                raise SemanticError(
                    f"{measure.id} has no shares: parts of it do not sum to the whole.",
                    suggestion="Ask for its value in each group.",
                    term=measure.id,
                )
        if share.part is None and not self.groups:
            raise SemanticError("A share needs groups, or a part.", suggestion="Give group_by, or share.part.")
        if share.part is None and any(group.dimension and group.dimension.many for group in self.groups):
            raise SemanticError("A row may be in several of these groups, so they have no shares of the whole.")

    def _refuse_misfit(self, measure: Measure, *, dimension: Dimension) -> None:
        entity = self.model.entities[measure.entity]
        if dimension.id not in measure.excludes and reaches(entity, term=dimension, model=self.model):
            return
        others = tuple(
            other.id
            for other in self.model.measures.values()
            if not other.hidden
            and other.unit.split(" ")[0] == measure.unit.split(" ")[0]
            and dimension in allowed_dimensions(other, model=self.model)
        )
        alike = f" Measures that have it: {', '.join(others[:6])}." if others else ""
        fitting = [d.id for d in allowed_dimensions(measure, model=self.model) if d.groupable]
        raise SemanticError(
            f"{measure.id} counts {entity.plural}, which have no {dimension.id}.",
            suggestion=f"Use one of: {', '.join(fitting)}.{alike}",
            term=dimension.id,
            nearest=others,
        )

    # Legs

    def _write_leg(self, leg: _Leg, *, values: list[_Value]) -> str:
        entity = self.model.entities[leg.entity]
        scope = Scope(entity, model=self.model, names=AliasNames())
        writer = ConditionWriter(scope=scope, default_time=leg.time, needs_period_role=leg.time is not None)
        conditions = self._leg_conditions(leg, writer=writer)
        selected: list[str] = []
        keys: list[str] = []
        if self.query.compare:
            selected.append(f"{leg.side + 1} AS side")
        for place, group in enumerate(self.groups, start=1):
            column, key, sort = self._group_expressions(group, scope=scope, leg=leg, conditions=conditions)
            selected.append(f"{column} AS g{place}")
            keys.append(column)
            if key is not None:
                selected.append(f"{key} AS k{place}")
                keys.append(key)
            if sort is not None:
                selected.append(f"min({sort}) AS s{place}")
            if place in self._owned_groups() and group.dimension is not None and group.dimension.sort_within:
                owner = scope.expand(group.dimension.sort_within, path=scope.path_to(group.dimension))
                selected.append(f"min(CAST({owner} AS text)) AS w{place}")
        here = {value.column for value in values}
        for value in self.values:
            if value.column in here:
                selected.append(f"{self._write_aggregate(value.measure, writer=writer)} AS {value.column}")
            elif self._has_many_legs():
                selected.append(f"CAST(NULL AS numeric) AS {value.column}")
        lines = [f"SELECT {', '.join(selected)}", scope.write_from()]
        lines += [f"WHERE {' AND '.join(conditions)}"] if conditions else []
        lines += [f"GROUP BY {', '.join(keys)}"] if keys else []
        return "\n".join(lines)

    def _has_many_legs(self) -> bool:
        return len({self._leg_of(value, side=0) for value in self.values}) > 1

    def _leg_conditions(self, leg: _Leg, *, writer: ConditionWriter) -> list[str]:
        conditions: list[Condition] = [NamedCondition(predicate=name) for name in leg.where]
        if self.query.where is not None:
            conditions.append(self.query.where)
        if self.query.compare:
            conditions.append(self.query.compare[leg.side].where)
        if leg.in_part and self.query.share is not None and self.query.share.part is not None:
            conditions.append(self.query.share.part)
        return [writer.write(condition) for condition in conditions]

    def _group_expressions(
        self, group: _GroupKey, *, scope: Scope, leg: _Leg, conditions: list[str]
    ) -> tuple[str, str | None, str | None]:
        """Write the expressions that identify a group: its name, its key and its sort key."""
        dimension = group.dimension
        if dimension is None:
            column = self._time_expression(group, scope=scope, leg=leg)
            conditions.append(f"{column} IS NOT NULL")
            return column, None, None
        path = scope.path_to(dimension)
        expression = scope.expand(dimension.expression.strip(), path=path)
        if dimension.many:
            return scope.add_lateral(expression, name=dimension.id), None, None
        key = scope.expand(dimension.key, path=path) if dimension.key else None
        sort = scope.expand(dimension.sort, path=path) if dimension.sort else None
        return expression, key, sort

    def _time_expression(self, group: _GroupKey, *, scope: Scope, leg: _Leg) -> str:
        asked = next(g for g in self.query.group_by if isinstance(g, TimeGroup) and g.grain == group.grain)
        name = asked.role or leg.time
        if name is None:
            roles = [role for role in roles_of(scope.entity, model=self.model) if self.model.time_roles[role].is_moment]
            raise SemanticError(
                f"Groups by {group.grain} need a moment of {scope.entity.plural}.",
                suggestion=f"Give a role: {', '.join(roles)}.",
                term="role",
                nearest=roles,
            )
        role = find_time_role(name, model=self.model)
        if not role.is_moment:
            raise SemanticError(
                f"{role.id} lasts, so it falls into several of these groups.",
                suggestion="Group by a moment, as created or resolved.",
                term=role.id,
            )
        moment = scope.expand(role.start, path=scope.path_to(role))
        return f"CAST(date_trunc('{group.grain}', {moment}) AS date)"

    # Legs into one table

    def _fills_gaps(self) -> bool:
        """Return whether times without rows get a row, with zero or unknown."""
        return len(self.groups) == 1 and self.groups[0].grain is not None

    def _merge(self, parts: list[str], *, statement: Statement) -> None:
        carried = self._carried_columns()
        statement.add("legs", body="\nUNION ALL\n".join(f"({part})" if len(parts) > 1 else part for part in parts))
        source = "legs"
        if self._fills_gaps():
            empty = ", ".join(f"CAST(NULL AS numeric) AS {value.column}" for value in self.values)
            sides = "sides.side, " if self.query.compare else ""
            further = " CROSS JOIN (SELECT DISTINCT side FROM legs) AS sides" if self.query.compare else ""
            statement.add(
                "filled",
                body=f"SELECT * FROM legs\nUNION ALL\nSELECT {sides}CAST(calendar.day AS date) AS g1, {empty}\n"
                f"FROM (SELECT min(g1) AS first, max(g1) AS last FROM legs) AS bounds\n"
                f"CROSS JOIN LATERAL generate_series(bounds.first, bounds.last, "
                f"interval '{_STEPS[self.groups[0].grain or '']}') AS calendar (day){further}",
            )
            source = "filled"
        sorts = [f"min(s{place}) AS s{place}" for place, group in enumerate(self.groups, start=1) if group.has_sort]
        sorts += [f"min(w{place}) AS w{place}" for place in self._owned_groups()]
        numbers = [f"max({value.column}) AS {value.column}" for value in self.values]
        grouped = f"\nGROUP BY {', '.join(carried)}" if carried else ""
        statement.add("merged", body=f"SELECT {', '.join([*carried, *sorts, *numbers])} FROM {source}{grouped}")

    def _carried_columns(self) -> list[str]:
        """List the columns that identify groups."""
        columns = ["side"] if self.query.compare else []
        for place, group in enumerate(self.groups, start=1):
            columns += [f"g{place}", f"k{place}"] if group.has_key else [f"g{place}"]
        return columns

    # From groups to the answer

    def _shape(self, statement: Statement) -> None:
        """Compute ratios, shares and changes; filter, sort and limit the groups."""
        carried = self._carried_columns()
        sorts = [f"s{place}" for place, group in enumerate(self.groups, start=1) if group.has_sort]
        sorts += [f"w{place}" for place in self._owned_groups()]
        numbers = {measure.id: self._number_of(measure) for measure in self._all_measures()}
        computed = [f"{expression} AS m_{name}" for name, expression in numbers.items()]
        if self.query.share is not None and self.query.share.part is not None:
            computed += [f"coalesce(p_{measure.id}, 0) AS q_{measure.id}" for measure in self.measures]
        statement.add("measured", body=f"SELECT {', '.join([*carried, *sorts, *computed])} FROM merged")
        derived = self._derived_columns()
        if derived:
            statement.add("derived", body=f"SELECT *, {', '.join(derived)} FROM {statement.last}")
        if self.query.having:
            limits = [
                f"m_{limit.measure} {_SYMBOLS[limit.op]} {f'm_{limit.than}' if limit.than else limit.value}"
                for limit in self.query.having
            ]
            statement.add("limited", body=f"SELECT * FROM {statement.last} WHERE {' AND '.join(limits)}")
        if self.query.rank is not None:
            self._rank(statement)
        selected = [f"{expression} AS {column.name}" for column, expression in self._outputs()]
        order = self._order()
        statement.finish(
            f"SELECT {', '.join(selected)} FROM {statement.last}"
            + (f"\nORDER BY {', '.join(order)}" if order else "")
            + f"\nLIMIT {self.query.limit or MAX_LIMIT}"
        )

    def _all_measures(self) -> tuple[Measure, ...]:
        further = self.query.limiting_measures
        if self._ranks_by_further_measure() and self.query.rank is not None:
            further.append(self.query.rank.by)
        named = {measure.id: measure for measure in self.measures}
        return tuple({**named, **{name: find_measure(name, model=self.model) for name in further}}.values())

    def _number_of(self, measure: Measure) -> str:
        if measure.ratio:
            above, below = measure.ratio
            factor = "100.0 * " if measure.unit == "percent" else ""
            zero = self.model.measures[above].empty == "zero"
            numerator = f"coalesce(v_{above}, 0)" if zero else f"v_{above}"
            return f"{factor}{numerator} / nullif(v_{below}, 0)"
        return f"coalesce(v_{measure.id}, 0)" if measure.empty == "zero" else f"v_{measure.id}"

    def _derived_columns(self) -> list[str]:
        columns: list[str] = []
        side = ["side"] if self.query.compare else []
        for measure in self.measures:
            value = f"m_{measure.id}"
            if self.query.share is not None and self.query.share.part is not None:
                columns.append(f"100.0 * q_{measure.id} / nullif({value}, 0) AS share_{measure.id}")
            elif self.query.share is not None:
                partition = f"PARTITION BY {', '.join(side)}" if side else ""
                columns.append(f"100.0 * {value} / nullif(sum({value}) OVER ({partition}), 0) AS share_{measure.id}")
            if self.query.trend:
                columns.append(f"{value} - lag({value}) OVER ({self._trend_window()}) AS change_{measure.id}")
            elif self.query.compare:
                others = [column for column in self._carried_columns() if column != "side"]
                partition = f"PARTITION BY {', '.join(others)} " if others else ""
                columns.append(f"{value} - first_value({value}) OVER ({partition}ORDER BY side) AS change_{measure.id}")
        return columns

    def _trend_group(self) -> int | None:
        """Return the only group that has an order in time."""
        found = [place for place, group in enumerate(self.groups, start=1) if group.grain or group.has_sort]
        return found[0] if len(found) == 1 else None

    def _owned_groups(self) -> list[int]:
        """Return the group whose order in time is of each owner: a change is since the sprint before of a team."""
        place = self._trend_group() if self.query.trend else None
        dimension = self.groups[place - 1].dimension if place else None
        return [place] if place and dimension is not None and dimension.sort_within else []

    def _trend_window(self) -> str:
        place = self._trend_group()
        order = f"s{place}" if place and self.groups[place - 1].has_sort else f"g{place}"
        others = [column for column in self._carried_columns() if column not in {f"g{place}", f"k{place}"}]
        others += [f"w{owned}" for owned in self._owned_groups()]
        return (f"PARTITION BY {', '.join(others)} " if others else "") + f"ORDER BY {order}"

    def _rank(self, statement: Statement) -> None:
        rank = self.query.rank
        if rank is None:
            return
        by = self._column_of(rank.by)
        within = [self._column_of(name) for name in rank.within]
        if self.query.compare:
            within.insert(0, "side")
        partition = f"PARTITION BY {', '.join(within)} " if within else ""
        kept = [f"{by} IS NOT NULL"]
        if rank.within and rank.direction == "desc" and rank.by in self.model.measures:
            kept.append(f"{by} <> 0")  # nobody leads where nobody has any
        for place, group in enumerate(self.groups, start=1):
            if group.dimension is not None and self._column_of(group.name) not in within:
                kept.append(f"g{place} IS NOT NULL")
                if rank.direction == "asc" and group.dimension.role and rank.by in self.query.measures:
                    self.notes.append("Only those with at least one are ranked.")
                if group.dimension.none_label:
                    self.notes.append(f"Rows without {group.label} are not ranked.")
        statement.add(
            "ranked",
            body=f"SELECT *, rank() OVER ({partition}ORDER BY {by} {rank.direction.upper()}) AS place "
            f"FROM {statement.last} WHERE {' AND '.join(kept)}",
        )
        statement.add("kept", body=f"SELECT * FROM ranked WHERE place <= {rank.count}")

    def _column_of(self, name: str) -> str:
        """Return the column of a group or a measure. Raises SemanticError."""
        for place, group in enumerate(self.groups, start=1):
            if group.name == name:
                return f"g{place}"
        if name in {measure.id for measure in self._all_measures()}:
            return f"m_{name}"
        known = [group.name for group in self.groups] + [measure.id for measure in self.measures]
        raise unknown_term("column of the result", name=name, candidates=known)

    def _order(self) -> list[str]:
        order = [f"{self._column_of(by.by)} {by.direction.upper()} NULLS LAST" for by in self.query.order]
        natural = [f"s{p}" if g.has_sort else f"g{p}" for p, g in enumerate(self.groups, start=1)]
        if self.query.rank is not None:
            within = {self._column_of(name) for name in self.query.rank.within}
            order += [f"{column} NULLS LAST" for p, column in enumerate(natural, start=1) if f"g{p}" in within]
            order.append(f"{self._column_of(self.query.rank.by)} {self.query.rank.direction.upper()}")
        elif not order and self.groups and self._trend_group() is None and not any(g.grain for g in self.groups):
            order.append(f"m_{self.measures[0].id} DESC NULLS LAST")
        order += [*(f"{column} NULLS LAST" for column in natural), *(["side"] if self.query.compare else [])]
        order += [f"k{place}" for place, group in enumerate(self.groups, start=1) if group.has_key]
        return order

    def _outputs(self) -> list[tuple[ResultColumn, str]]:
        """List the columns of the answer, each with its expression."""
        outputs: list[tuple[ResultColumn, str]] = []
        for place, group in enumerate(self.groups, start=1):
            kind: Literal["group", "time"] = "time" if group.grain else "group"
            value = f"CAST(extract(year FROM g{place}) AS text)" if group.grain == "year" else f"g{place}"
            outputs.append((ResultColumn(group.name, group.label, None, kind, group.name), value))
        if self.query.compare:
            whens = " ".join(
                f"WHEN {place} THEN '{side.label.replace(chr(39), chr(39) * 2)}'"
                for place, side in enumerate(self.query.compare, start=1)
            )
            outputs.append((ResultColumn(SIDE, "compared", None, "side", SIDE), f"CASE side {whens} END"))
        for measure in self.measures:
            outputs += self._measure_outputs(measure)
        return outputs

    def _measure_outputs(self, measure: Measure) -> list[tuple[ResultColumn, str]]:
        def round_column(column: str, decimals: int) -> str:
            return f"round(CAST({column} AS numeric), {decimals})" if decimals or not measure.additive else column

        name, unit = measure.id, measure.unit
        own = ResultColumn(name, measure.label, unit, "measure", name)
        outputs = [(own, round_column(f"m_{name}", measure.decimals))]
        if self.query.share is not None and self.query.share.part is not None:
            part = ResultColumn(f"{name}_part", f"{measure.label}, the part", unit, "measure", name)
            outputs.append((part, round_column(f"q_{name}", measure.decimals)))
        if self.query.share is not None and self.query.share.rest:
            rest = ResultColumn(f"{name}_rest", f"{measure.label}, the rest", unit, "measure", name)
            outputs.append((rest, round_column(f"m_{name} - q_{name}", measure.decimals)))
        if self.query.share is not None:
            share = ResultColumn(f"{name}_share", f"share of {measure.label}", "percent", "share", name)
            outputs.append((share, f"round(CAST(share_{name} AS numeric), 1)"))
        if self.query.trend or self.query.compare:
            change = ResultColumn(f"{name}_change", f"change of {measure.label}", unit, "change", name)
            outputs.append((change, round_column(f"change_{name}", measure.decimals)))
        return outputs

    def _columns(self) -> tuple[ResultColumn, ...]:
        return tuple(column for column, _ in self._outputs())
