"""
The semantic model: entities, measures, dimensions, predicates and time roles, read from a file.

An expression is SQL with roles in braces: `{row}` is a row of the term's own entity, `{team}` the row that its entity
reaches in the role `team`, `{as_of}` the moment up to which the data is known. Joins lead to one row at most, so no
measure counts a row twice; what one row has many of is a relation, which conditions ask about with EXISTS.
"""

import tomllib
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Literal, Self

import orjson
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from sprints.semantics.enums import Grain, Operator
from sprints.semantics.query import Comparison, Scalar

Identifier = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,62}$")]
Expression = Annotated[str, StringConstraints(min_length=1, max_length=2000)]

_SHIPPED = Path(__file__).with_name("definitions.toml")


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Words(_Part):
    """
    How people say a term, in base form and lower case; a word may be several words.

    Nouns are in the singular, verbs in the infinitive; `verbs` may also be said as participles ("blocked"), so only
    adjectives that are no participles of those verbs are listed.
    """

    nouns: tuple[str, ...] = ()
    adjectives: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()


class Join(_Part):
    """A way from one entity to at most one row of another: `on` speaks of `{row}` and `{other}`."""

    entity: Identifier
    on: Expression


class Relation(_Part):
    """
    The rows of another entity that belong to one row: `on` speaks of `{row}` and `{other}`.

    Where both are of one entity, `row_is` or `other_is` says which of them the relation is about: epics, sub-tasks.
    `by` is the dimension of the other rows that names this one, where there are several: who reported an issue. `label`
    is what descriptions call the rows, unless it is the relation's name.
    """

    entity: Identifier
    on: Expression
    row_is: Comparison | None = None
    other_is: Comparison | None = None
    by: Identifier | None = None
    label: str = ""


class Membership(_Part):
    """
    How rows of an entity belong to periods such as sprints, for conditions "in" and "during".

    `role` is the period's, reached from the related entity. Predicates of the related entity say what counts:
    `now` for "in", `ever` for "during". `joined` and `left` are from when to when the row belonged to the period while
    that ran; the end is null while it lasts.
    """

    relation: Identifier
    role: Identifier
    now: Identifier
    ever: Identifier
    joined: Expression
    left: Expression


class Span(_Part):
    """From when to when a row lasts; an end that is null has not come yet."""

    start: Expression
    end: Expression


class Entity(_Part):
    """
    What one row is: a view, or a SELECT over views where the fact is not a view of its own.

    `joins` lead to one row of another entity, by role; `paths` to roles further away, as roles joined by dots.
    `columns` are the dimensions that a list of its rows shows, `order` the dimensions that it is sorted by ("-" before
    one turns it round), `count` the measure that counts its rows.
    """

    id: Identifier = Field(exclude=True)
    view: str | None = None
    sql: str | None = None
    key: tuple[Identifier, ...]
    label: str
    plural: str
    description: str
    words: Words = Words()
    joins: dict[Identifier, Join] = {}
    paths: dict[Identifier, str] = {}
    relations: dict[Identifier, Relation] = {}
    membership: Membership | None = None
    span: Span | None = None
    columns: tuple[Identifier, ...] = ()
    order: tuple[str, ...] = ()
    count: Identifier | None = None

    @model_validator(mode="after")
    def _has_one_source(self) -> Self:
        if (self.view is None) == (self.sql is None):
            raise ValueError(f"Entity {self.id}: give either view or sql.")
        return self


class Measure(_Part):
    """
    A number over rows of one entity.

    `expression` is an aggregate without its filter; `where` names predicates that always hold. Instead of an
    expression, `ratio` names two measures of the same entity: their quotient, in percent where the unit is percent.
    `additive` promises that parts sum to the whole. `empty` is what no rows give: zero, or null ("unknown").
    `excludes` are dimensions that it may not be combined with although its entity reaches them. `checked_by` is a
    measure that derives the same number another way. What is `hidden` serves other definitions and is not offered.
    `actor` is the role of the person who does what its verbs say: to log hours.
    """

    id: Identifier = Field(exclude=True)
    entity: Identifier
    expression: Expression | None = None
    ratio: tuple[Identifier, Identifier] | None = None
    where: tuple[Identifier, ...] = ()
    label: str
    unit: str
    decimals: int = 0
    additive: bool = False
    empty: Literal["zero", "null"] = "null"
    time: Identifier | None = None
    excludes: tuple[Identifier, ...] = ()
    hidden: bool = False
    checked_by: Identifier | None = None
    actor: Identifier | None = None
    higher_is: Literal["better", "worse", "neither"] = "neither"
    description: str
    words: Words = Words()

    @model_validator(mode="after")
    def _has_one_formula(self) -> Self:
        if (self.expression is None) == (self.ratio is None):
            raise ValueError(f"Measure {self.id}: give either expression or ratio.")
        return self


class Dimension(_Part):
    """
    What rows are grouped, filtered and listed by.

    `role` is the role in which rows are reached (the entity's id where it is not given): `assignee` and `reporter`
    are two roles of a person. `key` tells apart rows that share a name. `sort` orders them in time; `sort_within` is
    whose order it is, so that "the one before" is of the same owner. `time` is the time role by which whole groups are
    chosen, where a measure has a time inside of them: points completed per sprint since May. `many` says that the
    expression is an array, of which each element counts. `values` are all values there can be; without it they are
    looked up.
    """

    id: Identifier = Field(exclude=True)
    entity: Identifier
    role: Identifier | None = None
    expression: Expression
    key: Expression | None = None
    sort: Expression | None = None
    sort_within: Expression | None = None
    time: Identifier | None = None
    type: Literal["text", "number", "boolean", "date", "moment"]
    unit: str | None = None
    decimals: int | None = None
    many: bool = False
    nullable: bool = True
    groupable: bool = True
    named: bool = False
    values: tuple[Scalar, ...] = ()
    value_words: dict[str, tuple[str, ...]] = {}
    label: str
    plural: str | None = None
    none_label: str | None = None
    phrases: dict[Operator, str] = {}
    description: str
    words: Words = Words()
    descending_words: tuple[str, ...] = ()
    ascending_words: tuple[str, ...] = ()

    @property
    def reached_as(self) -> str:
        """Return the role in which an entity reaches the rows."""
        return self.role or self.entity


class Predicate(_Part):
    """
    A condition with a name. Either one comparison, which rows can be tested against, or an expression.

    `requires` are predicates of the same entity that hold too. `time` is the role that a time beside it means: "done
    last week" is resolved in it. `opposite` names the predicate that holds for exactly the other rows. `actor` is the
    role of the person who made it so: who completed an issue is its assignee, who reopened it nobody knows. `was` names
    the predicate that says of now, by the same words, what this one says of the time of its rows.
    """

    id: Identifier = Field(exclude=True)
    entity: Identifier
    role: Identifier | None = None
    comparison: Comparison | None = None
    expression: Expression | None = None
    requires: tuple[Identifier, ...] = ()
    time: Identifier | None = None
    hidden: bool = False
    opposite: Identifier | None = None
    actor: Identifier | None = None
    was: Identifier | None = None
    label: str
    negated: str
    description: str
    words: Words = Words()

    @model_validator(mode="after")
    def _has_one_meaning(self) -> Self:
        if (self.comparison is None) == (self.expression is None):
            raise ValueError(f"Predicate {self.id}: give either comparison or expression.")
        return self

    @property
    def reached_as(self) -> str:
        """Return the role in which an entity reaches the rows."""
        return self.role or self.entity


class TimeRole(_Part):
    """
    A moment of a row, or the time it lasted (`end` is given; rows of `relation` where it lasted several times).

    `actor` is the role of the person who did it.
    Of a moment that `lies_ahead`, as a due date, a month without a year is the nearest.
    A moment can be grouped by; a range of time holds what overlaps it.
    """

    id: Identifier = Field(exclude=True)
    entity: Identifier
    role: Identifier | None = None
    start: Expression
    end: Expression | None = None
    relation: Identifier | None = None
    lies_ahead: bool = False
    actor: Identifier | None = None
    type: Literal["date", "moment"] = "moment"
    label: str
    description: str
    words: Words = Words()

    @property
    def reached_as(self) -> str:
        """Return the role in which an entity reaches the rows."""
        return self.role or self.entity

    @property
    def is_moment(self) -> bool:
        """Return whether rows have one moment, by which they can be grouped."""
        return self.end is None and self.relation is None


Term = Measure | Dimension | Predicate | TimeRole | Entity


class SemanticModel(_Part):
    """All terms, by id. Ids are unique among measures, dimensions and grains, which all become columns."""

    title: str
    as_of: Expression
    entities: dict[Identifier, Entity]
    measures: dict[Identifier, Measure]
    dimensions: dict[Identifier, Dimension]
    predicates: dict[Identifier, Predicate] = {}
    time_roles: dict[Identifier, TimeRole] = {}

    @model_validator(mode="before")
    @classmethod
    def _name_terms(cls, raw: dict[str, object]) -> dict[str, object]:
        """Store in each term its id."""
        kinds = ("entities", "measures", "dimensions", "predicates", "time_roles")
        named = {
            kind: {key: {"id": key, **term} for key, term in terms.items()}
            for kind in kinds
            if isinstance(terms := raw.get(kind), dict)
        }
        return {**raw, **named}

    @cached_property
    def grains(self) -> tuple[str, ...]:
        """Return the grains of time."""
        return tuple(Grain)

    @cached_property
    def names_actors(self) -> bool:
        """Return whether its terms say who does what their verbs say."""
        acts = [term.actor for term in self.predicates.values()] + [term.actor for term in self.time_roles.values()]
        return any(acts) or any(term.actor for term in self.measures.values())


def read_model(path: Path) -> SemanticModel:
    """Read a model from TOML or JSON. Raises ValueError that names the term and the problem."""
    content = path.read_bytes()
    raw = orjson.loads(content) if path.suffix == ".json" else tomllib.loads(content.decode())
    return SemanticModel.model_validate(raw)


@lru_cache(maxsize=1)
def shipped_model() -> SemanticModel:
    """Return the model of the sprintscope views."""
    return read_model(_SHIPPED)
