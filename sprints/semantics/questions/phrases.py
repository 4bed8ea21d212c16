"""
Tokens reduced to phrases: a negated state, a comparison with a number, a group, a rank, an interval of sprints.

Each rule replaces neighbours by fewer phrases or goes on behind them, so reading ends after as many steps as there are
tokens.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from sprints.linking.names import Name
from sprints.linking.periods import Period
from sprints.semantics.query import Operator
from sprints.semantics.questions.lexicon import Sense
from sprints.semantics.questions.tokens import Token

PhraseKind = Literal[
    "mark", "names", "period", "sprints", "key", "number", "days", "top", "term", "bound", "missing", "group", "rank",
    "having", "than", "none", "unknown",
]  # fmt: skip
_OPERATORS = {"gt": Operator.GT, "ge": Operator.GE, "lt": Operator.LT, "le": Operator.LE, "eq": Operator.EQ}
NEGATED = {
    Operator.GT: Operator.LE, Operator.GE: Operator.LT, Operator.LT: Operator.GE, Operator.LE: Operator.GT,
    Operator.EQ: Operator.NE,
}  # fmt: skip
_EDGES = ("since", "after", "before", "until")
_TERMS = frozenset({"entity", "measure", "dimension", "predicate", "time"})
_SILENT = frozenset({"be", "have", "do"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """A part of the question that means one thing; which term it is depends on what the question is about."""

    kind: PhraseKind
    said: str
    start: int
    senses: tuple[Sense, ...] = ()
    marks: frozenset[str] = frozenset()
    names: tuple[Name, ...] = ()
    name_kind: str = ""
    period: Period | None = None
    edge: str = ""
    op: Operator | None = None
    number: float | None = None
    is_days: bool = False
    is_negated: bool = False
    is_ever: bool = False
    is_only: bool = False
    is_descending: bool = True
    joined_by: str = ""
    by: bool = False
    keys: tuple[str, ...] = ()
    is_plural: bool = False
    is_vague: bool = False
    predicate: str = ""
    alternatives: tuple["Phrase", ...] = field(default=())

    def has(self, *kinds: str, form: str | None = None) -> bool:
        """Tell whether it has a sense of such a kind."""
        return any(sense.kind in kinds and (form is None or sense.form == form) for sense in self.senses)

    def has_entity(self, entity: str) -> bool:
        """Tell whether it is a noun for rows of the entity."""
        return any(one.kind == "entity" and one.name == entity and one.form == "noun" for one in self.senses)


def read_phrases(tokens: Sequence[Token]) -> list[Phrase]:
    """Turn tokens into phrases: one each, then neighbours together, rule by rule."""
    phrases = [phrase for token in tokens if (phrase := _phrase(token)) is not None]
    if not any(sense.name == "carried_over" for phrase in phrases for sense in phrase.senses):
        phrases = [phrase for phrase in phrases if phrase.marks != {"to"}]
    for rule in _RULES:
        place = 0
        while place < len(phrases):
            found = rule(phrases, place)
            if found is None:
                place += 1
            else:
                replacement, size = found
                phrases[place : place + size] = replacement
                place += len(replacement) if len(replacement) >= size else 0
    return phrases


def _phrase(token: Token) -> Phrase | None:
    """Make a phrase of one token; None where it says nothing."""
    base = Phrase(kind="unknown", said=token.said, start=token.start, senses=token.senses, marks=frozenset(token.marks))
    if token.names:
        return replace(base, kind="names", names=token.names, name_kind=str(token.kind))
    if token.period:
        return replace(base, kind="period", period=token.period)
    if token.reference:
        is_vague = token.reference.position == "past" and token.reference.count == 1 and token.said.endswith("s")
        return replace(base, kind="sprints", names=token.sprints, is_vague=is_vague)
    if token.key:
        return replace(base, kind="key", keys=(token.key,))
    if token.top is not None:
        return replace(base, kind="top", number=token.top)
    if token.days is not None:
        return replace(base, kind="days", number=token.days, is_days=True)
    if token.number is not None:
        return replace(base, kind="number", number=token.number)
    if any(sense.kind in _TERMS or sense.kind in ("grain", "unit") for sense in token.senses):
        return replace(base, kind="term", is_plural=any(sense.is_plural for sense in token.senses))
    if base.marks - {"total"}:
        return replace(base, kind="mark")
    return None if token.is_free or base.marks else base


Found = tuple[list[Phrase], int] | None
Rule = Callable[[list[Phrase], int], Found]


def _at(phrases: Sequence[Phrase], place: int) -> Phrase | None:
    return phrases[place] if 0 <= place < len(phrases) else None


def _joined(first: Phrase, last: Phrase) -> str:
    return first.said if first is last else f"{first.said} … {last.said}"


def _list_names(phrases: list[Phrase], place: int) -> Found:
    """ACCEL, ORBIT and HARBOR; bugs or stories."""
    first = phrases[place]
    if first.kind not in ("names", "key"):
        return None
    following = _at(phrases, place + 1)
    link = following.marks & {"and", "or", "versus"} if following and following.kind == "mark" else set()
    second = _at(phrases, place + 2 if link else place + 1)
    if second is None or second.kind != first.kind or second.name_kind != first.name_kind:
        return None
    if not link and first.kind == "names" and first.name_kind == "sprint":
        return None
    if "versus" in link and following is not None:
        names = tuple(dict.fromkeys((*first.names, *second.names)))
        both = replace(first, names=names, keys=(*first.keys, *second.keys), said=f"{first.said}, {second.said}")
        return [both, following], 3
    joined = "and" if "and" in link else "or" if link else first.joined_by
    names = tuple(dict.fromkeys((*first.names, *second.names)))
    keys = (*first.keys, *second.keys)
    said = f"{first.said}, {second.said}"
    return [replace(first, names=names, keys=keys, joined_by=joined or "and", said=said)], 3 if link else 2


def _sprint_edges(phrases: list[Phrase], place: int) -> Found:
    """Since sprint 5; before ACCEL Sprint 3; between sprint 3 and sprint 6."""
    first, second = phrases[place], _at(phrases, place + 1)
    if second is None or not _is_sprints(second):
        return None
    if "between" in first.marks:
        link, last = _at(phrases, place + 2), _at(phrases, place + 3)
        if link and last and "and" in link.marks and _is_sprints(last):
            return [replace(second, kind="sprints", edge="between", alternatives=(last,))], 4
    edge = next((one for one in _EDGES if one in first.marks), "")
    if not edge or (edge == "since" and first.said.lower() == "from"):
        return None
    return [replace(second, kind="sprints", edge=edge, said=f"{first.said} {second.said}", start=first.start)], 2


def _is_sprints(phrase: Phrase) -> bool:
    return phrase.kind == "sprints" or (phrase.kind == "names" and phrase.name_kind == "sprint")


def _bounds(phrases: list[Phrase], place: int) -> Found:
    """More than 5 points; at least 3; 5 or more; over 10 days; older than 30 days; more than twice."""
    first, second = phrases[place], _at(phrases, place + 1)
    op = next((_OPERATORS[mark] for mark in _OPERATORS if mark in first.marks), None)
    if op and second and second.kind in ("number", "days"):
        return [_bound(second, op=op, said=f"{first.said} {second.said}", start=first.start)], 2
    if op and second and second.marks & {"once", "twice"}:
        number = 1.0 if "once" in second.marks else 2.0
        counted = replace(second, kind="number", number=number)
        return [replace(_bound(counted, op=op, said=f"{first.said} {second.said}", start=first.start), edge="times")], 2
    third = _at(phrases, place + 2)
    is_split = first.kind == "number" and second is not None and second.kind == "term" and second.has("dimension")
    if is_split and second is not None and third is not None and third.marks & {"or_more", "or_less"}:
        op = Operator.GE if "or_more" in third.marks else Operator.LE
        said = f"{first.said} {second.said} {third.said}"
        return [replace(_bound(first, op=op, said=said, start=first.start), senses=second.senses, is_plural=True)], 3
    if first.kind in ("number", "days") and second and second.marks & {"or_more", "or_less"}:
        op = Operator.GE if "or_more" in second.marks else Operator.LE
        return [_bound(first, op=op, said=f"{first.said} {second.said}", start=first.start)], 2
    if "between" in first.marks and second and second.kind == "number":
        link, last = _at(phrases, place + 2), _at(phrases, place + 3)
        if link and last and "and" in link.marks and last.kind == "number":
            low = _bound(second, op=Operator.GE, said=f"between {second.said} and {last.said}", start=first.start)
            high = _bound(last, op=Operator.LE, said=low.said, start=first.start)
            return [replace(low, alternatives=(high,))], 4
    if "twice" in first.marks and not (second and "than" in second.marks):
        return [replace(first, kind="bound", op=Operator.GE, number=2.0, edge="times")], 1
    return None


def _than(phrases: list[Phrase], place: int) -> Found:
    """More | points | than it committed; more than it committed; as many as: one measure against another."""
    first = phrases[place]
    ops = {"more": Operator.GT, "fewer": Operator.LT, "as_many": Operator.EQ, "gt": Operator.GT, "lt": Operator.LT}
    op = next((ops[mark] for mark in ops if mark in first.marks), None)
    if op is None or first.kind != "mark":
        return None
    size = 1
    if "as_many" in first.marks:
        noun = _at(phrases, place + 1)
        size = 2 if noun is not None and noun.kind == "term" and noun.has("entity", "measure", form="noun") else 1
    elif not first.marks & {"gt", "lt"}:
        at = next((n for n in range(1, 4) if (one := _at(phrases, place + n)) and "than" in one.marks), 0)
        if not at:
            return None
        size = at + 1
    following = next((one for one in phrases[place + size :] if not one.marks & _SILENT), None)
    if following is None or following.kind != "term" or following.has("unit"):
        return None
    end = place + size - ("as_many" not in first.marks)
    inside = phrases[place + 1 : end] if size > 1 else []
    said = f"{first.said} than" if size > 1 and "as_many" not in first.marks else first.said
    return [*inside, replace(first, kind="than", op=op, said=said, senses=(), marks=frozenset())], size


def _names_against(phrases: list[Phrase], place: int) -> Found:
    """ACCEL | more open bugs than | ORBIT: one number for each name."""
    first = phrases[place]
    if first.kind != "names" or any(one.marks & {"which", "who", "how_many"} for one in phrases):
        return None
    ends = [
        at for at in range(place + 2, len(phrases))
        if phrases[at].kind == "names" and phrases[at].name_kind == first.name_kind
    ]  # fmt: skip
    if not ends:
        return None
    inside = phrases[place + 1 : ends[0]]
    said = [one for one in inside if one.marks & {"more", "fewer", "gt", "lt", "as_many"}]
    than = inside[-1]
    if not said or not (than.marks & {"than", "gt", "lt"}) or than.kind != "mark":
        return None
    names = tuple(dict.fromkeys((*first.names, *phrases[ends[0]].names)))
    rest = [one for one in inside if one is not than and one not in said]
    both = replace(first, names=names, joined_by="and", said=f"{first.said}, {phrases[ends[0]].said}")
    return [both, *rest, replace(than, marks=frozenset({"versus"}), senses=())], ends[0] - place + 1


def _whole(phrases: list[Phrase], place: int) -> Found:
    """Across all teams; over all closed sprints: all of them are no restriction, unless they are compared."""
    first = phrases[place]
    if "whole" not in first.marks or first.kind != "mark":
        return None
    noun = next((n for n in range(1, 3) if (one := _at(phrases, place + n)) and one.has("entity", form="noun")), 0)
    if not noun or not phrases[place + noun].is_plural:
        return None
    others = [one for one in phrases if one.is_plural and one.has("entity", form="noun") and one is not phrases[place + noun]]
    others += [one for one in phrases if one.kind == "names" and len(one.names) > 1]
    if any(one.marks & {"compare", "versus"} for one in phrases) and not others:
        return [*phrases[place + 1 : place + noun], replace(phrases[place + noun], kind="group")], noun + 1
    if noun > 1:
        return phrases[place + 1 : place + noun + 1], noun + 1
    return [], 2


def _none(phrases: list[Phrase], place: int) -> Found:
    """Carried over | nothing; without blocked issues; had no scope changes: rows that have none of these."""
    first, before = phrases[place], _at(phrases, place - 1)
    if first.kind != "mark" or not first.marks & {"nothing", "without"}:
        return None
    end = place + 1
    while (one := _at(phrases, end)) is not None and _describes(one):
        end += 1
    inside = phrases[place + 1 : end]
    if one is not None and one.kind == "term" and inside and all(sense.form == "verb" for sense in one.senses) and (
        one.has("dimension")
    ):
        end += 1  # no open bug | assigned to them
    if "nothing" in first.marks and not inside and before is not None and before.has("predicate"):
        return None
    if not inside or first.said.lower() == "none":
        return None
    is_had = before is not None and "have" in before.marks and inside[-1].name_kind == "type"
    is_had = is_had and not inside[-1].has("dimension", form="noun")  # with no epic: an epic is a row's own
    if not (inside[-1].has("entity", form="noun") or "nothing" in first.marks or is_had):
        return None
    if not any(one.has("predicate") or one.kind == "names" for one in inside) and inside[-1].has_entity("sprint"):
        return None
    said = " ".join([first.said, *(one.said for one in inside)])
    return [replace(first, kind="none", said=said, marks=frozenset(), alternatives=tuple(inside))], end - place


def _none_of_verb(phrases: list[Phrase], place: int) -> Found:
    """Carried over | nothing."""
    first, second = phrases[place], _at(phrases, place + 1)
    if second is None or second.marks != {"nothing"} or not first.has("predicate") or first.kind != "term":
        return None
    return [replace(second, kind="none", said=f"{first.said} {second.said}", start=first.start, marks=frozenset(),
                    alternatives=(first,))], 2  # fmt: skip


def _describes(phrase: Phrase) -> bool:
    return (phrase.kind == "term" and phrase.has("predicate", "entity") and not phrase.is_negated) or (
        phrase.kind == "names" and phrase.name_kind in ("type", "label", "priority", "status")
    )


def _repeated_how_often(phrases: list[Phrase], place: int) -> Found:
    """How many | times."""
    first, second = phrases[place], _at(phrases, place + 1)
    if "how_many" not in first.marks or second is None or "times" not in second.marks:
        return None
    return [replace(first, said=f"{first.said} {second.said}", marks=first.marks | {"how_often"})], 2


def _bound(value: Phrase, *, op: Operator, said: str, start: int) -> Phrase:
    return replace(value, kind="bound", op=op, said=said, start=start)


def _comparative(phrases: list[Phrase], place: int) -> Found:
    """Older than 30 days; larger than 5 points; bigger than 8."""
    first, second, third = phrases[place], _at(phrases, place + 1), _at(phrases, place + 2)
    if not first.has("dimension", form="comparative") or second is None or third is None:
        return None
    if "than" not in second.marks or third.kind not in ("number", "days"):
        return None
    degree = next(sense for sense in first.senses if sense.form == "comparative")
    op = Operator.GT if degree.is_descending else Operator.LT
    bound = _bound(third, op=op, said=f"{first.said} than {third.said}", start=first.start)
    return [replace(bound, senses=tuple(one for one in first.senses if one.form == "comparative"))], 3


def _bound_units(phrases: list[Phrase], place: int) -> Found:
    """More than 5 | points; 8 | point | stories; reopened | more than 2 | times; cycle time | over 10 days."""
    first, second = phrases[place], _at(phrases, place + 1)
    if second is None:
        return None
    if first.kind in ("bound", "number") and not first.is_days and not first.senses:
        if "times" in second.marks:
            return [replace(first, kind="bound", op=first.op or Operator.EQ, edge="times")], 2
        if second.kind == "term" and second.has("dimension", "measure", form="noun"):
            if second.has("entity") and any(_degree(one) is not None for one in phrases[place + 2 :]):
                return None
            if first.kind == "number" and not second.has("dimension", form="noun"):
                return None
            op = first.op or Operator.EQ
            said = f"{first.said} {second.said}"
            bound = replace(first, kind="bound", op=op, senses=second.senses, said=said, is_plural=True)
            return [bound], 2
    return None


def _bound_after(phrases: list[Phrase], place: int) -> Found:
    """Cycle time | over 10 days; points | above 5."""
    first, second = phrases[place], _at(phrases, place + 1)
    if first.kind != "term" or not first.has("dimension", form="noun") or first.has("entity") or second is None:
        return None
    if second.marks & _SILENT and (third := _at(phrases, place + 2)) and third.kind == "bound" and not third.senses:
        return [replace(third, senses=first.senses, said=f"{first.said} {third.said}", start=first.start)], 3
    if second.kind == "bound" and not second.senses and not second.edge:
        return [replace(second, senses=first.senses, said=f"{first.said} {second.said}", start=first.start)], 2
    return None


def _groups(phrases: list[Phrase], place: int) -> Found:
    """By team; per month; for each person; weekly; team by team."""
    first, second = phrases[place], _at(phrases, place + 1)
    third = _at(phrases, place + 2)
    if first.kind == "term" and second and third and second.said.lower() == "by" and third.senses == first.senses:
        return [replace(first, kind="group", said=f"{first.said} by {third.said}")], 3
    is_asked_grain = bool(first.marks & {"which", "what"}) and second is not None and second.kind == "term"
    if is_asked_grain and second is not None and all(sense.kind == "grain" for sense in second.senses):
        return [replace(second, kind="group", said=f"{first.said} {second.said}")], 2
    if "per" in first.marks and second is not None:
        if second.marks & {"per"} and third is not None:
            return [second], 2
        if first.said.lower() == "by" and second.is_plural and third is not None and "except" in third.marks:
            return [second], 2
        is_named = first.said.lower() != "by" and third is not None and third.has("entity", form="noun")
        if second.has("predicate") and third is not None and is_named:
            return [second, replace(third, kind="group", said=f"{first.said} {third.said}", start=first.start)], 3
        if second.kind == "term" and (second.has("entity", "dimension", "measure", form="noun") or second.has("grain")):
            return [replace(second, kind="group", said=f"{first.said} {second.said}", start=first.start)], 2
        if first.said.lower() == "by" and second.kind == "names" and second.name_kind in ("person", "team"):
            return [replace(second, by=True)], 2
    adverb = first.kind == "term" and all(sense.kind == "grain" for sense in first.senses)
    if adverb and first.said.lower().endswith("ly"):
        return [replace(first, kind="group")], 1
    return None


def _and_groups(phrases: list[Phrase], place: int) -> Found:
    """By team | and | priority."""
    first, second, third = phrases[place], _at(phrases, place + 1), _at(phrases, place + 2)
    if first.kind != "group" or second is None or third is None or "and" not in second.marks:
        return None
    if third.kind == "term" and third.has("dimension", "entity", "grain"):
        return [first, replace(third, kind="group")], 3
    return None


def _missing(phrases: list[Phrase], place: int) -> Found:
    """Without an estimate; no assignee; with no label."""
    first, second = phrases[place], _at(phrases, place + 1)
    is_outside = bool(first.marks & {"not", "except"}) and second is not None and second.has_entity("sprint")
    if not (first.marks & {"without"} or is_outside) or second is None:
        return None
    third = _at(phrases, place + 2)
    if second.kind == "term" and second.has_entity("sprint") and not (third and third.kind == "names"):
        return [replace(second, kind="missing", said=f"{first.said} {second.said}", start=first.start)], 2
    if second.kind == "term" and second.has("dimension", form="noun") and not second.has("entity"):
        return [replace(second, kind="missing", said=f"{first.said} {second.said}", start=first.start)], 2
    if (
        second.kind == "term"
        and second.has("dimension", form="noun")
        and any(sense.name == "assignee" for sense in second.senses)
    ):
        return [replace(second, kind="missing", said=f"{first.said} {second.said}", start=first.start)], 2
    return None


def _negate(phrases: list[Phrase], place: int) -> Found:
    """Not blocked; except bugs; not in sprint 7; without the label x; never reopened."""
    first = phrases[place]
    if first.kind != "mark" or not first.marks & {"not", "except", "without", "un"}:
        return None
    following = _after_silent(phrases, place=place)
    skipped = {mark for one in phrases[place:following] for mark in one.marks}
    is_ever, has = "ever" in skipped, "have" in skipped
    second = _at(phrases, following)
    if second is None:
        return None
    before = _at(phrases, place - 1)
    is_had = has or (before is not None and "have" in before.marks) or not second.said.lower().endswith("s")
    if (has or "without" in first.marks) and is_had and second.name_kind == "type" and second.has(
        "dimension", form="noun"
    ):
        said = f"{first.said} {second.said}"
        return [replace(second, kind="missing", names=(), name_kind="", said=said)], following - place + 1
    if second.kind == "term" and second.has("dimension", form="noun"):
        third = _at(phrases, following + 1)
        if third and third.kind == "names":
            following, second = following + 1, third
    if second.kind == "term" and second.has("dimension", form="verb"):
        third = _at(phrases, following + 1)
        if third and third.kind == "names":
            negated = replace(third, is_negated=True, said=f"{first.said} {second.said} {third.said}")
            return [second, negated], following - place + 2
    if second.kind not in ("names", "term", "sprints", "key", "bound", "missing", "period"):
        return None
    if second.kind == "term" and not second.has("predicate", "time", "dimension"):
        return None
    said = f"{first.said} {second.said}"
    is_ever = second.is_ever or (is_ever and second.has("predicate") and not second.has("dimension", form="noun"))
    negated = replace(second, is_negated=not second.is_negated, is_ever=is_ever, said=said, start=first.start)
    return [negated], following - place + 1


def _after_silent(phrases: Sequence[Phrase], *, place: int) -> int:
    """Give the place of what is negated: auxiliaries and "ever" may stand between."""
    following = place + 1
    while (one := _at(phrases, following)) is not None and one.kind == "mark" and one.marks & (_SILENT | {"ever"}):
        following += 1
    return following


def _un(phrases: list[Phrase], place: int) -> Found:
    """unblocked, nonurgent: the token carries both the mark and the senses."""
    first = phrases[place]
    if first.kind == "term" and "un" in first.marks:
        senses = tuple(sense for sense in first.senses if sense.kind != "mark")
        return [replace(first, senses=senses, marks=frozenset(), is_negated=True)], 1
    return None


def _only(phrases: list[Phrase], place: int) -> Found:
    """Only bugs; bugs only: a filter is exclusive already, so the word is satisfied by standing beside one."""
    first, second = phrases[place], _at(phrases, place + 1)
    if first.kind != "mark" or "only" not in first.marks:
        return None
    if second is not None and (second.kind in ("names", "sprints", "period", "key", "bound", "missing") or second.has(
        "predicate", "time"
    )):  # fmt: skip
        return [replace(second, is_only=True)], 2
    before = _at(phrases, place - 1)
    if before is not None and second is None and before.kind in ("names", "sprints", "period", "rank"):
        return [], 1
    return None


def _ever(phrases: list[Phrase], place: int) -> Found:
    """Ever been blocked; blocked at any time."""
    first, second = phrases[place], _at(phrases, place + 1)
    if second is None or "not" in first.marks | second.marks:
        return None
    if "ever" in first.marks and first.kind == "mark" and second.has("predicate"):
        return [replace(second, is_ever=True)], 2
    if first.has("predicate") and "ever" in second.marks:
        return [replace(first, is_ever=True)], 2
    return None


def _ranks(phrases: list[Phrase], place: int) -> Found:
    """Top 5; 5 oldest; most; oldest; longest cycle time; fewest."""
    first, second = phrases[place], _at(phrases, place + 1)
    if first.kind in ("top", "number") and second is not None and _degree(second) is not None:
        return [replace(second, kind="rank", number=first.number, is_descending=bool(_degree(second)))], 2
    if first.kind == "top":
        return [replace(first, kind="rank", senses=(), is_descending=True)], 1
    if first.kind == "mark" and "rank" in first.marks:
        return [replace(first, kind="rank", senses=(), is_plural=True)], 1
    if first.kind in ("term", "mark") and _degree(first) is not None:
        if second is not None and second.kind == "number" and first.marks & {"top", "bottom"}:
            return [replace(first, kind="rank", number=second.number, is_descending=bool(_degree(first)))], 2
        return [replace(first, kind="rank", is_descending=bool(_degree(first)))], 1
    if first.kind == "rank" and second is not None and second.kind == "rank" and not first.senses:
        return [replace(second, number=first.number)], 2
    return None


def _degree(phrase: Phrase) -> bool | None:
    """Tell whether the largest is wanted (True) or the smallest; None where it is no superlative."""
    if phrase.kind not in ("term", "mark"):
        return None
    superlatives = [sense for sense in phrase.senses if sense.form == "superlative"]
    if "top" in phrase.marks or "bottom" in phrase.marks:
        return "top" in phrase.marks
    return superlatives[0].is_descending if superlatives else None


def _degree_first(phrases: list[Phrase], place: int) -> Found:
    """Rank the teams by velocity, | lowest | first."""
    first, second = phrases[place], _at(phrases, place + 1)
    if second is None or second.said.lower() != "first" or second.kind not in ("mark", "rank", "top"):
        return None
    word = first.said.lower()
    degree = _degree(first)
    degree = degree if degree is not None else {"slowest": True, "fastest": False, "best": True, "worst": False}.get(word)
    ranks = [one for one in phrases[:place] if one.kind == "mark" and "rank" in one.marks]
    if degree is None or len(ranks) != 1 or place + 2 != len(phrases):
        return None
    phrases[phrases.index(ranks[0])] = replace(
        ranks[0], kind="rank", senses=(), is_plural=True, is_descending=degree, said=f"{ranks[0].said} {word} first"
    )
    return [], 2


def _swapped_group(phrases: list[Phrase], place: int) -> Found:
    """Per team | instead of | per month."""
    first, second, third = phrases[place], _at(phrases, place + 1), _at(phrases, place + 2)
    if first.kind != "group" or second is None or third is None or third.kind != "group":
        return None
    return ([first], 3) if "except" in second.marks else None


def _closing_clause(phrases: list[Phrase], place: int) -> Found:
    """Left unfinished | when | HARBOR Sprint 3 | was closed: at its end, which is what counts anyway."""
    first, rest = phrases[place], phrases[place + 1 :]
    if place == 0 or first.marks != {"when"} or not rest or not _is_sprints(next(
        (one for one in rest if one.name_kind != "team"), rest[0]
    )):  # fmt: skip
        return None
    last = rest[-1]
    is_end = last.kind == "term" and any(one.name == "sprint_closed" for one in last.senses)
    if not is_end or not all(one.marks & _SILENT or one is last or one.kind in ("names", "sprints") for one in rest):
        return None
    return [one for one in rest if one.kind in ("names", "sprints")], len(rest) + 1


def _merge_ranks(phrases: list[Phrase], place: int) -> Found:
    """Top 5 | oldest."""
    first, second = phrases[place], _at(phrases, place + 1)
    if first.kind == second.kind == "rank" if second else False:
        assert second is not None  # noqa: S101 - for mypy
        return [replace(second, number=first.number if first.number is not None else second.number)], 2
    return None


def _counted_rank(phrases: list[Phrase], place: int) -> Found:
    """Which three | people have resolved the | most issues."""
    first = phrases[place]
    noun = next((one for one in phrases[place + 1 :] if not one.has("predicate")), None)
    if first.kind != "number" or noun is None or not (noun.is_plural and noun.has("entity", form="noun")):
        return None
    ranks = [one for one in phrases if one.kind == "rank"]
    if len(ranks) != 1 or ranks[0].number is not None or ranks[0].start < first.start:
        return None
    rest = [replace(one, number=first.number) if one is ranks[0] else one for one in phrases[place + 1 :]]
    return rest, len(rest) + 1


def _either(phrases: list[Phrase], place: int) -> Found:
    """Blocked or overdue."""
    first, second, third = phrases[place], _at(phrases, place + 1), _at(phrases, place + 2)
    if second is None or third is None or second.kind != "mark" or "or" not in second.marks:
        return None
    sides = ("names", "term", "bound", "missing", "sprints")
    if first.kind not in sides or third.kind not in sides or first.is_negated or third.is_negated:
        return None
    if not all(side.kind != "term" or side.has("predicate") for side in (first, third)):
        return None
    said = f"{first.said} or {third.said}"
    return [replace(first, alternatives=(*first.alternatives, third), joined_by="or", said=said)], 3


def _repeat_sides(phrases: list[Phrase], place: int) -> Found:
    """Open p0 versus open p1: what is said of both sides is said once."""
    sides = phrases[place : place + 5]
    if len(sides) < 5:  # noqa: PLR2004 - a state and a name on each side, and what is between
        return None
    state, name, link, other_state, other_name = sides
    is_same = state.kind == other_state.kind == "term" and state.senses == other_state.senses
    if not is_same or not link.marks & {"versus", "and", "or"} or name.kind != "names":
        return None
    return ([state, name, link, other_name], 5) if other_name.name_kind == name.name_kind else None


_RULES: tuple[Rule, ...] = (
    _un, _closing_clause, _repeat_sides, _list_names, _names_against, _whole, _repeated_how_often, _none_of_verb,
    _sprint_edges, _bounds, _than, _comparative, _groups, _and_groups, _swapped_group, _bound_units, _bound_after, _missing, _none,
    _ever, _negate, _degree_first, _ranks, _merge_ranks, _counted_rank, _either, _only,
)  # fmt: skip
