"""Compilation of a query's conditions to SQL. An unknown value fails a condition and meets its negation."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation

from sprints.semantics.enums import Operator
from sprints.semantics.errors import SemanticError, unknown_term
from sprints.semantics.lookup import default_time_of, find_dimension, find_predicate, find_time_role, roles_of
from sprints.semantics.model import Dimension, Entity, Predicate, Relation, SemanticModel, Span, TimeRole
from sprints.semantics.query import (
    ORDERED,
    And,
    Comparison,
    Condition,
    Has,
    InPeriod,
    NamedCondition,
    Not,
    Or,
    Reference,
    TimeRange,
    Value,
)
from sprints.semantics.scope import RolePath, Scope, entity_at, find_path

MAX_DEPTH = 12

_SYMBOLS = {
    Operator.EQ: "=",
    Operator.LT: "<",
    Operator.LE: "<=",
    Operator.GT: ">",
    Operator.GE: ">=",
}
_NEGATIVE = {Operator.NE: Operator.EQ, Operator.NOT_IN: Operator.IN}
_PAST_A_DAY = {Operator.GT: Operator.GE, Operator.LE: Operator.LT}
"""A moment is after a day from the next midnight on, and on a day at the latest until then."""
_EXAMPLES = {
    "number": "a number, as 5 or 0.5",
    "boolean": "true or false",
    "date": "a day, as 2026-01-31",
    "moment": "a day, as 2026-01-31, or a moment, as 2026-01-31T09:30:00Z",
    "text": "a text",
}
MAX_DIGITS = 100
"""The maximum digits of a number, and the largest power of ten: 1e999999999 would be written out."""


def quote(text: str) -> str:
    """Quote a text as a literal."""
    if "\x00" in text:
        raise SemanticError("A value holds a NUL character.", suggestion="Leave the character out.", term=text)
    return "'" + text.replace("'", "''") + "'"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionWriter:
    """Writes conditions over the rows of a scope. A time without a role has the role `default_time`."""

    scope: Scope
    default_time: str | None = None
    needs_period_role: bool = False
    depth: int = 0

    @property
    def _model(self) -> SemanticModel:
        return self.scope.model

    def write(self, condition: Condition) -> str:
        """Write a condition, in brackets if needed. Raises SemanticError."""
        if self.depth > MAX_DEPTH:
            raise SemanticError(f"Conditions are nested more than {MAX_DEPTH} deep.", suggestion="Nest them less.")
        match condition:
            case Comparison():
                return self._comparison(condition)
            case NamedCondition():
                return self._write_predicate(find_predicate(condition.predicate, model=self._model))
            case TimeRange():
                return self._time_range(condition)
            case InPeriod():
                return self._in_period(condition)
            case Has():
                return self._has(condition)
            case And() | Or():
                glue = " AND " if isinstance(condition, And) else " OR "
                inner = self._deeper(self.scope)
                return "(" + glue.join(inner.write(part) for part in condition.parts) + ")"
            case Not():
                return f"(({self._deeper(self.scope).write(condition.part)}) IS NOT TRUE)"

    def _deeper(self, scope: Scope) -> "ConditionWriter":
        same = scope is self.scope
        return ConditionWriter(
            scope=scope,
            default_time=self.default_time if same else default_time_of(scope.entity, model=self._model),
            needs_period_role=self.needs_period_role and same,
            depth=self.depth + 1,
        )

    def _comparison(self, comparison: Comparison) -> str:
        dimension = find_dimension(comparison.field, model=self._model)
        path = self.scope.path_to(dimension)
        if comparison.than is not None:
            return self._compare_with(comparison.than, op=comparison.op, dimension=dimension)
        return write_comparison(comparison, dimension=dimension, scope=self.scope, path=path)

    def _compare_with(self, name: str, *, op: Operator, dimension: Dimension) -> str:
        """Write a comparison of two dimensions of the row. A moment is compared with a day by its day."""
        other = find_dimension(name, model=self._model)
        sides = (dimension, other)
        kinds = {one.type for one in sides}
        is_same = len(kinds) == 1 and dimension.unit == other.unit and kinds <= {"number", "date", "moment"}
        if any(one.many for one in sides) or not (is_same or kinds == {"date", "moment"}):
            raise SemanticError(f"{dimension.id} cannot be compared with {other.id}.",
                                suggestion="Compare numbers of one unit, or two times.", term=name)  # fmt: skip
        left, right = (self.scope.expand(one.expression.strip(), path=self.scope.path_to(one)) for one in sides)
        if not is_same:
            left, right = (f"CAST({one} AS date)" for one in (left, right))
        return f"({left} {_SYMBOLS[op]} {right})"

    def _write_predicate(self, predicate: Predicate) -> str:
        path = self.scope.path_to(predicate)
        parts = [write_predicate(predicate, scope=self.scope, path=path)]
        parts += [
            write_predicate(self._model.predicates[required], scope=self.scope, path=path)
            for required in predicate.requires
        ]
        return parts[0] if len(parts) == 1 else "(" + " AND ".join(parts) + ")"

    def _time_range(self, time_range: TimeRange) -> str:
        name = time_range.role or self.default_time
        if name is None:
            roles = roles_of(self.scope.entity, model=self._model)
            raise SemanticError(
                f"The time does not say which moment of {self.scope.entity.plural} it means.",
                suggestion=f"Give a role: {', '.join(roles)}.",
                term="role",
                nearest=roles,
            )
        role = find_time_role(name, model=self._model)
        _refuse_empty(time_range, role=role)
        start = write_bound(time_range.start, role=role) if time_range.start is not None else None
        end = write_bound(time_range.end, role=role) if time_range.end is not None else None
        return self._role_in(role, start=start, end=end)

    def _role_in(self, role: TimeRole, *, start: str | None, end: str | None) -> str:
        """Write that the time of a role is in a range, or that a span overlaps it."""
        path = self.scope.path_to(role)
        if role.relation is None:
            return write_overlap(self._span_of(role, path=path), start=start, end=end, lasts=not role.is_moment)
        inner, on = self._open_relation(self._relation(role.relation, path=path), path=path)
        span = Span(start=inner.expand(role.start), end=inner.expand(role.end or role.start))
        overlap = write_overlap(span, start=start, end=end, lasts=True)
        return f"EXISTS (SELECT 1 {inner.write_from()} WHERE {on} AND {overlap})"

    def _span_of(self, role: TimeRole, *, path: RolePath) -> Span:
        return Span(
            start=self.scope.expand(role.start, path=path), end=self.scope.expand(role.end or role.start, path=path)
        )

    def _relation(self, name: str, *, path: RolePath) -> Relation:
        entity = entity_at(self.scope.entity, path=path, model=self._model)
        if name not in entity.relations:
            raise unknown_term(f"relation of {entity.plural}", name=name, candidates=entity.relations)
        return entity.relations[name]

    def _open_relation(self, relation: Relation, *, path: RolePath) -> tuple[Scope, str]:
        """Begin a SELECT of the related rows. Returns it with the condition that joins them."""
        inner = self.scope.open_nested(self._model.entities[relation.entity])
        on = relation.on.replace("{row}", self.scope.alias_at(path)).replace("{other}", inner.alias)
        return inner, on

    def _has(self, condition: Has) -> str:
        inner, on = self._open_relation(self._relation(condition.relation, path=()), path=())
        where = on if condition.where is None else f"{on} AND {self._deeper(inner).write(condition.where)}"
        source = inner.write_from()
        if condition.at_least == 1:
            return f"EXISTS (SELECT 1 {source} WHERE {where})"
        return f"((SELECT count(*) {source} WHERE {where}) >= {condition.at_least})"

    def _in_period(self, condition: InPeriod) -> str:
        owner, path = self._find_period_owner()
        if owner.membership is None:
            where = self._deeper(self.scope).write(condition.where)
            if condition.role is None:
                return where
            return f"({where} AND {self._role_in_period(condition.role, path=path)})"
        if condition.role is None and self.needs_period_role and self.default_time:
            role = self._model.time_roles[self.default_time]
            raise SemanticError(
                f"It is counted by when it was {role.label}; belonging to a period says nothing about that moment.",
                suggestion=f"Give the period a role, as {role.id}, or choose a measure of issues in sprints.",
                term="role",
                nearest=(role.id,),
            )
        membership = owner.membership
        inner, on = self._open_relation(self._relation(membership.relation, path=path), path=path)
        rule = membership.now if condition.how == "in" else membership.ever
        writer = self._deeper(inner)
        parts = [on, writer.write(NamedCondition(predicate=rule)), writer.write(condition.where)]
        if condition.role is not None:
            role = find_time_role(condition.role, model=self._model)
            end = f"coalesce({inner.expand(membership.left)}, 'infinity')"
            parts.append(self._role_in(role, start=inner.expand(membership.joined), end=end))
        return f"EXISTS (SELECT 1 {inner.write_from()} WHERE {' AND '.join(parts)})"

    def _role_in_period(self, name: str, *, path: RolePath) -> str:
        """Write that a role's time is in the period at a path."""
        span = entity_at(self.scope.entity, path=path, model=self._model).span
        if span is None:
            raise SemanticError("The period has no beginning and end.", term=name)
        start = self.scope.expand(span.start, path=path)
        end = f"coalesce({self.scope.expand(span.end, path=path)}, 'infinity')"
        return self._role_in(find_time_role(name, model=self._model), start=start, end=end)

    def _find_period_owner(self) -> tuple[Entity, RolePath]:
        """Return the entity with the period: these rows, the row they lead to, else a row that belongs to it."""
        entity = self.scope.entity
        periods = {other.id for other in self._model.entities.values() if other.span is not None}
        if entity.span is not None:
            return entity, ()
        for role, join in entity.joins.items():
            if join.entity in periods and role == join.entity:
                return self._model.entities[join.entity], (role,)
        for path in ((), *((role,) for role in entity.joins)):
            reached = entity_at(entity, path=path, model=self._model)
            if reached.membership is not None:
                return reached, path
        names = " or ".join(self._model.entities[period].plural for period in sorted(periods)) or "periods"
        raise SemanticError(
            f"{entity.plural.capitalize()} do not belong to {names}.", suggestion="Give a range of time instead."
        )


def _refuse_empty(time_range: TimeRange, *, role: TimeRole) -> None:
    """Refuse a range that no moment is in. Of what lasts, the same start and end mean that moment."""
    if time_range.start is None or time_range.end is None:
        return
    start, end = (_moment(one) for one in (time_range.start, time_range.end))
    if start > end or (start == end and role.is_moment):
        raise SemanticError(
            f"There is no time from {time_range.start} until before {time_range.end}.",
            suggestion="Give an end after the start; it is not part of the range.", term="end",
        )  # fmt: skip


def write_overlap(span: Span, *, start: str | None, end: str | None, lasts: bool) -> str:
    """Write that a span overlaps a range, or that a moment is in it. The range's end is exclusive."""
    parts = []
    if start is not None:
        parts.append(f"coalesce({span.end}, 'infinity') > {start}" if lasts else f"{span.start} >= {start}")
    if end is not None:
        parts.append(f"{span.start} < {end}")
    elif lasts:
        parts.append(f"{span.start} IS NOT NULL")
    return "(" + " AND ".join(parts) + ")"


def write_predicate(predicate: Predicate, *, scope: Scope, path: RolePath) -> str:
    """Write a predicate of the entity at a path."""
    if predicate.expression is not None:
        return f"({scope.expand(predicate.expression.strip(), path=path)})"
    assert predicate.comparison is not None  # noqa: S101 - the model has either
    dimension = find_dimension(predicate.comparison.field, model=scope.model)
    entity = entity_at(scope.entity, path=path, model=scope.model)
    further = find_path(entity, role=dimension.reached_as, model=scope.model)
    if further is None:
        raise SemanticError(f"{entity.plural.capitalize()} have no {dimension.label}.", term=dimension.id)
    return write_comparison(predicate.comparison, dimension=dimension, scope=scope, path=path + further)


def write_comparison(comparison: Comparison, *, dimension: Dimension, scope: Scope, path: RolePath) -> str:
    """Write a comparison with a dimension at a path."""
    positive = _NEGATIVE.get(comparison.op)
    if positive is not None:
        affirmed = write_comparison(
            comparison.model_copy(update={"op": positive}), dimension=dimension, scope=scope, path=path
        )
        return f"({affirmed} IS NOT TRUE)" if dimension.nullable or dimension.many else f"(NOT {affirmed})"

    def expand(expression: str) -> str:
        return scope.expand(expression.strip(), path=path)

    if dimension.many:
        return _compare_elements(comparison, dimension=dimension, array=expand(dimension.expression))
    if comparison.op is Operator.IS_NULL or comparison.op is Operator.IS_NOT_NULL:
        negation = "" if comparison.op is Operator.IS_NULL else "NOT "
        value = expand(dimension.key or dimension.expression)
        if dimension.type == "text" and dimension.key is None:
            value = f"nullif({value}, '')"  # an empty text says as little as none
        return f"({value} IS {negation}NULL)"
    keys = [value for value in comparison.values if isinstance(value, Reference)]
    if keys and len(keys) != len(comparison.values):
        raise SemanticError("Values and references are mixed.", suggestion="Give one kind.", term=dimension.id)
    if keys and comparison.op in {Operator.EQ, Operator.IN}:
        column = expand(dimension.key or dimension.expression)
        return _one_of(column, [quote(value.key) for value in keys])
    return _compare_values(comparison, dimension=dimension, column=expand(dimension.expression))


def _compare_values(comparison: Comparison, *, dimension: Dimension, column: str) -> str:
    literals = [write_value(value, dimension=dimension) for value in comparison.values]
    op = comparison.op
    if op is Operator.CONTAINS:
        _refuse_unless(dimension.type == "text", op=op, dimension=dimension)
        pattern = str(_plain(comparison.values[0])).replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")
        return f"({column} ILIKE {quote(f'%{pattern}%')})"
    if op in ORDERED:
        _refuse_unless(dimension.type in {"number", "date", "moment"}, op=op, dimension=dimension)
        if op in _PAST_A_DAY and dimension.type == "moment" and _is_day(comparison.values[0]):
            return f"({column} {_SYMBOLS[_PAST_A_DAY[op]]} {literals[0]} + interval '1 day')"
        return f"({column} {_SYMBOLS[op]} {literals[0]})"
    _refuse_unless(dimension.type != "moment", op=op, dimension=dimension)
    if dimension.type == "text" and not dimension.values:
        return _one_of(f"lower({column})", [f"lower({literal})" for literal in literals])
    return _one_of(column, literals)


def _compare_elements(comparison: Comparison, *, dimension: Dimension, array: str) -> str:
    if comparison.op is Operator.IS_NULL:
        return f"(coalesce(cardinality({array}), 0) = 0)"
    if comparison.op is Operator.IS_NOT_NULL:
        return f"(coalesce(cardinality({array}), 0) > 0)"
    if comparison.op not in {Operator.EQ, Operator.IN, Operator.CONTAINS}:
        _refuse_unless(False, op=comparison.op, dimension=dimension)  # noqa: FBT003 - a refusal
    if all(isinstance(value, Reference) for value in comparison.values):
        exact = [f"{quote(value.key)} = ANY ({array})" for value in comparison.values if isinstance(value, Reference)]
        return "(" + " OR ".join(exact) + ")"
    single = dimension.model_copy(update={"many": False})
    element = _compare_values(comparison, dimension=single, column="item.element")
    return f"EXISTS (SELECT 1 FROM unnest({array}) AS item (element) WHERE {element})"


def _one_of(column: str, literals: list[str]) -> str:
    return f"({column} = {literals[0]})" if len(literals) == 1 else f"({column} IN ({', '.join(literals)}))"


def _refuse_unless(fits: bool, *, op: Operator, dimension: Dimension) -> None:  # noqa: FBT001 - a statement to check
    if not fits:
        instead = "Use gt or lt, or a time range." if dimension.type == "moment" else "Use eq, ne, in or not_in."
        raise SemanticError(f"{op} does not fit {dimension.id}, a {dimension.type}.", suggestion=instead, term=op)


def _plain(value: Value) -> object:
    return value.label if isinstance(value, Reference) else value


def write_value(value: Value, *, dimension: Dimension) -> str:
    """Write a value as a literal of a dimension's type. Raises SemanticError for an invalid value."""
    writers: dict[str, Callable[[object], str]] = {
        "number": _number,
        "boolean": lambda given: str(read_boolean(given)).lower(),
        "date": lambda given: f"CAST({quote(_moment(given).date().isoformat())} AS date)",
        "moment": lambda given: f"CAST({quote(_moment(given).isoformat())} AS timestamptz)",
        "text": quote_text,
    }
    plain = _plain(value)
    try:
        literal = writers[dimension.type](plain)
    except (ValueError, InvalidOperation) as wrong:
        if isinstance(wrong, SemanticError):
            raise
        raise SemanticError(
            f"{plain!r} is no {dimension.type}, which {dimension.id} is compared with.",
            suggestion=f"Give {_EXAMPLES[dimension.type]}.",
            term=str(plain),
        ) from wrong
    if dimension.values and dimension.type == "text":
        return _known_value(str(plain), dimension=dimension)
    return literal


def quote_text(value: object) -> str:
    """Write a value as a text."""
    return quote(str(value))


def _known_value(text: str, *, dimension: Dimension) -> str:
    known = {str(value).lower(): str(value) for value in dimension.values}
    if text.lower() not in known:
        raise unknown_term(dimension.label, name=text, candidates=known.values())
    return quote(known[text.lower()])


def _number(value: object) -> str:
    number = Decimal(str(value).strip())  # a boolean's text is no number
    if not number.is_finite() or max(abs(number.adjusted()), len(number.as_tuple().digits)) > MAX_DIGITS:
        raise ValueError
    return f"{number:f}"


def read_boolean(value: object) -> bool:
    """Read true and false, also as texts, yes and no. Raises ValueError for anything else."""
    words = {"true": True, "yes": True, "false": False, "no": False}
    word = str(value).strip().lower()
    if word not in words:
        raise ValueError(value)
    return words[word]


def _is_day(value: Value) -> bool:
    try:
        date.fromisoformat(str(_plain(value)).strip())
    except ValueError:
        return False
    return True


def _moment(value: object) -> datetime:
    moment = datetime.fromisoformat(str(value).strip())
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def write_bound(bound: date | datetime, *, role: TimeRole) -> str:
    """Write a bound of a range as a literal of a role's type. A day begins at midnight UTC."""
    if role.type == "date":
        day = bound.date() if isinstance(bound, datetime) else bound
        return f"CAST({quote(day.isoformat())} AS date)"
    moment = bound if isinstance(bound, datetime) else datetime(bound.year, bound.month, bound.day, tzinfo=UTC)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return f"CAST({quote(moment.isoformat())} AS timestamptz)"
