"""
Rules for what is not so, and for what rows have or lack.

Each rule receives the phrases and a position, and returns the replacement and the number of replaced phrases, as in
phrases.py.
"""

from collections.abc import Sequence
from dataclasses import replace

from sprints.semantics.enums import Operator
from sprints.semantics.questions.existence import asks_for_owners, find_clause_end, is_epics
from sprints.semantics.questions.lexicon import Sense
from sprints.semantics.questions.phrase import (
    NOTHING,
    SILENT_MARKS,
    Found,
    Phrase,
    PhraseKind,
    is_sprints,
    leave_out,
    look_at,
    phrase_at,
)


def read_absence(phrases: list[Phrase], *, place: int) -> Found:
    """Read an absence: without an estimate; no assignee; with no label."""
    first, second, third = look_at(phrases, place=place, size=3)
    is_outside = bool(first.marks & {"not", "except"}) and second.has_entity("sprint")
    following = _after_silent(phrases, place=place)
    sprint = phrase_at(phrases, place=following)
    is_ever = any("ever" in one.marks for one in phrases[place:following])
    if first.marks & {"without"} and is_ever and sprint.has_entity("sprint"):
        said = f"{first.said} ever {sprint.said}"
        return [replace(sprint, kind="missing", is_ever=True, said=said, start=first.start)], following - place + 1
    if is_outside and "ever" in first.marks:
        return [replace(second, kind="missing", is_ever=True, said=f"{first.said} {second.said}", start=first.start)], 2
    is_period = second.has_entity("sprint") and third.kind != "names"
    is_missing = is_period or (second.has("dimension", form="noun") and not _is_rows(second))
    if first.kind == "term" and first.said.lower().split()[0] in _LACKING and first.has("predicate", form="adjective"):
        found, size = _read_lacking(phrases, place=place + 1, lead=first)
        return ([first, *found], size + 1) if found else None  # without assignee: one word of the lexicon
    if not (first.marks & {"without"} or is_outside) or second.kind != "term" or not is_missing:
        return None
    if third.has_entity("issue") and third.start == second.start + len(second.said) + 1:
        said = f"{first.said} {second.said} {third.said}"  # without | epic | issues: their issues, or no epic
        return [replace(second, kind="unknown", senses=(), said=said)], 3
    missing = replace(second, kind="missing", said=f"{first.said} {second.said}", start=first.start)
    found, size = _read_lacking(phrases, place=place + 2, lead=first)
    return [missing, *found], size + 2


def _read_lacking(phrases: list[Phrase], *, place: int, lead: Phrase) -> tuple[list[Phrase], int]:
    """Read further properties behind one that is absent as absent too: without labels | or | points; and | an epic."""
    found, size = list[Phrase](), 0
    while True:
        link, at = _find_link(phrases, place=place + size)
        other, behind = look_at(phrases, place=at, size=2)
        is_property, is_type = other.has("dimension", form="noun"), other.name_kind == "type"
        is_several = is_type and other.said.lower().endswith("s")
        if is_property and is_several and "or" in link.marks:
            return [*found, leave_out(other, lead=lead)], at + 1 - place  # lacking an epic, or being one: or | epics
        is_noun = is_property and not is_several and (is_type or (other.kind == "term" and not other.has("entity")))
        if not link.marks & {"and", "or"} or not is_noun or behind.kind == "bound" or other.is_owned:
            return found, size
        is_none = lead.said.lower() == "no"
        is_had = link.said.lower() == "but" or (other.is_any and "and" in link.marks and is_none)
        said = other.said if is_had else f"{lead.said if lead.kind == 'mark' else 'without'} {other.said}"
        found.append(replace(other, kind="missing", names=(), name_kind="", said=said, is_negated=is_had))
        size = at + 1 - place


def _find_link(phrases: list[Phrase], *, place: int) -> tuple[Phrase, int]:
    """Return the link of a list, and the place of the item that it leads to. Behind a comma it is that of the end."""
    before, first = look_at(phrases, place=place - 1, size=2)
    if first.start != before.start + len(before.said) + len(", "):
        return first, place + 1
    return _find_link(phrases, place=place + 1)[0], place


def _is_rows(noun: Phrase) -> bool:
    """Return whether it is a noun for rows, and not the property of their assignee."""
    return noun.has("entity") and not any(sense.name == "assignee" for sense in noun.senses)


def negate(phrases: list[Phrase], *, place: int) -> Found:
    """Read a negation: not blocked; except bugs; not in sprint 7; without the label x; never reopened."""
    first = phrases[place]
    if first.kind != "mark" or not first.marks & {"not", "except", "without"}:
        return None
    following = _after_silent(phrases, place=place)
    skipped = {mark for one in phrases[place:following] for mark in one.marks}
    is_ever, has = "ever" in skipped, "have" in skipped or first.said.lower().startswith(("hav", "has", "had"))
    second, third = look_at(phrases, place=following, size=2)
    is_had_before = "have" in phrase_at(phrases, place=place - 1).marks
    is_had = has or is_had_before or not second.said.lower().endswith("s")
    is_property = second.kind in ("names", "term") and second.has("dimension", form="noun")
    is_property = is_property and (second.name_kind == "type" or not _is_rows(second))
    of_kind = third.kind == "names" and third.name_kind in _kinds_of(second)
    is_pair = first.said.lower() in ("neither", "nor")
    is_lacking = (has or "without" in first.marks) and is_had
    if is_property and not of_kind and (is_lacking or (is_pair and not second.has("predicate"))):
        said = f"{first.said} {second.said}"
        return [replace(second, kind="missing", names=(), name_kind="", said=said)], following - place + 1
    if of_kind and second.kind == "term":
        following, second = following + 1, third
    elif third.kind == "names" and second.kind == "term" and second.has("dimension", form="verb"):
        negated = replace(third, is_negated=True, said=f"{first.said} {second.said} {third.said}")
        return [second, negated], following - place + 2
    if "not" in first.marks and second.quantifier in ("both", "all"):
        return [leave_out(second, lead=first)], following - place + 1  # aren't | both open and blocked: which of them
    if second.is_one or (place == 0 and first.said.lower() == "no"):
        return None  # no bugs in sprint 7, not a single bug: whether there are none, not what else there is
    if second.kind not in ("names", "term", "sprints", "key", "bound", "missing", "period"):
        return None
    is_degree = second.has("dimension", form="superlative")
    if second.kind == "term" and (is_degree or not second.has("predicate", "time", "dimension")):
        return None
    said = f"{first.said} {second.said}"
    is_state = second.name_kind == "status" or (second.has("predicate") and not second.has("dimension", form="noun"))
    is_lack = first.said.lower() in _SKIPPING or second.is_perfect or (first.said.lower() == "no" and is_had_before)
    is_skipped = second.name_kind == "status" and is_lack and not third.is_of_issues
    is_ever = second.is_ever or (is_ever and is_state) or is_skipped
    negated = replace(second, is_negated=not second.is_negated, is_ever=is_ever, said=said, start=first.start,
                      is_apart=second.is_apart or is_skipped)  # fmt: skip
    return [negated], following - place + 1


def _kinds_of(phrase: Phrase) -> set[str]:
    """Return the kinds of names that a noun may stand before: the label security, type Bug."""
    return {"type" if sense.name == "issue_type" else sense.name for sense in phrase.senses if sense.form == "noun"}


def read_nobody(phrases: list[Phrase], *, place: int) -> Found:
    """Read what nobody did as what was not done: nobody has | picked up; no one | estimated."""
    following = _after_silent(phrases, place=place)
    subject, has, first = look_at(phrases, place=place - 2, size=3)
    verb = phrase_at(phrases, place=following)
    is_owner = subject.has("entity", form="noun") and not subject.has_entity("issue")
    is_owner = "have" in has.marks and (is_owner or (subject.name_kind == "type" and is_epics(subject)))
    if first.marks != {"nobody"} or verb.kind != "term" or is_owner:
        return None  # which team has nobody assigned: nobody of it, or nobody to it
    said, size = f"{first.said} {verb.said}", following - place + 1
    owner = _as_owner(verb)
    if owner:
        return [replace(verb, kind="missing", senses=owner, said=said)], size
    if not verb.has("predicate", "time", form="verb"):
        return None
    return [replace(verb, is_negated=not verb.is_negated, said=said, start=first.start)], size


def negate_prefixed(phrases: list[Phrase], *, place: int) -> Found:
    """Read a negating prefix, whose token has both the mark and the senses: unblocked, untouched."""
    first = phrases[place]
    if first.kind != "term" or "un" not in first.marks:
        return None
    senses = tuple(sense for sense in first.senses if sense.kind != "mark")
    return [replace(first, senses=senses, marks=frozenset(), is_negated=True)], 1


def negate_owner(phrases: list[Phrase], *, place: int) -> Found:
    """Read that a row has no owner at all: not | assigned; not | owned by | anybody."""
    following = _after_silent(phrases, place=place)
    verb, behind = look_at(phrases, place=following, size=2)
    if "not" not in phrases[place].marks or verb.kind != "term" or verb.has("predicate", "time"):
        return None
    owner, is_anybody = _as_owner(verb), "anybody" in behind.marks
    if not owner or (behind and not is_anybody):
        return None
    said = f"{phrases[place].said} {verb.said}"
    if any("ever" in one.marks or one.said.lower() == "never" for one in phrases[place:following]):
        return [replace(verb, kind="unknown", senses=(), said=said)], following - place + 1  # whose it was before
    return [replace(verb, kind="missing", senses=owner, said=said)], following - place + 1 + is_anybody


def read_idle(phrases: list[Phrase], *, place: int) -> Found:
    """Read people without open issues: who has | nothing | assigned; people with | nothing | to do."""
    has, nothing, verb = look_at(phrases, place=place - 1, size=3)
    is_task = any((one.kind, one.form) == ("dimension", "verb") for one in verb.senses) or any(
        one.name == "open" for one in verb.senses
    )
    is_end = place + 2 >= len(phrases) or phrases[place + 2].name_kind == "team"
    if "have" not in has.marks or nothing.marks != {"nothing"} or not (is_task and is_end):
        return None
    rows = replace(verb, kind="term", senses=_ISSUES, said="open issues", is_plural=True, marks=frozenset())
    state = replace(rows, senses=(Sense("predicate", "open", "adjective"),), said="open", is_plural=False)
    said = f"{nothing.said} {verb.said}"
    return [replace(nothing, kind="related", said=said, senses=(), marks=frozenset(), is_negated=True,
                    alternatives=(state, rows))], 2  # fmt: skip


_LACKING = frozenset({"without", "with", "no"})
_SKIPPING = frozenset({"without", "missing", "lacking"})
_ISSUES = (Sense("entity", "issue", "noun", is_plural=True), Sense("measure", "issues", "noun", is_plural=True))


def _as_owner(verb: Phrase) -> tuple[Sense, ...]:
    """Return a verb of ownership as the noun of the owner: assigned as assignee."""
    return tuple(replace(one, form="noun") for one in verb.senses if (one.kind, one.form) == ("dimension", "verb"))


def read_anybody(phrases: list[Phrase], *, place: int) -> Found:
    """Read whether anybody does something as who does it: is | anybody | assigned to; does | anybody | have."""
    first, second = look_at(phrases, place=place, size=2)
    who = Sense("mark", "who", "word")
    if first.marks == {"anybody"} and not place:
        return [replace(first, marks=frozenset({"who"}), senses=(who,))], 1
    if second.marks != {"anybody"} or first.kind != "mark" or not first.marks & SILENT_MARKS:
        return None
    return [replace(second, marks=frozenset({"who"}), senses=(who,))], 2


def _after_silent(phrases: Sequence[Phrase], *, place: int) -> int:
    """Return the position of what is negated. Auxiliaries and "ever" may precede it."""
    silent = SILENT_MARKS | {"ever"}
    behind = range(place + 1, len(phrases))
    at = (n for n in behind if phrases[n].kind != "mark" or not phrases[n].marks & silent or "not" in phrases[n].marks)
    return next(at, len(phrases))


def read_ever(phrases: list[Phrase], *, place: int) -> Found:
    """Read "ever": ever been blocked; blocked at any time."""
    first, second = look_at(phrases, place=place, size=2)
    if "not" in first.marks | second.marks:
        return None
    if "ever" in first.marks and first.kind == "mark" and second.has("predicate"):
        return [replace(second, is_ever=True)], 2
    if first.has("predicate") and "ever" in second.marks:
        return [replace(first, is_ever=True)], 2
    return None


def read_presence(phrases: list[Phrase], *, place: int) -> Found:
    """
    Read a property that rows have: with | a due date. Exactly one of it finds no place: with | a single label.

    Nor does a property without an article, which they may have or is to be shown, nor a state: with | blocked.
    """
    before, first, second, third = look_at(phrases, place=place - 1, size=4)
    is_noun = second.kind == "term" or second.has("dimension", form="noun")
    behind = phrase_at(phrases, place=place + 3)
    is_list = any(one.kind == "missing" and one.is_negated for one in phrases[:place]) and before.kind != "mark"
    if "and" in first.marks and is_list and _has_article(second):
        return [replace(second, kind="missing", is_negated=True)], 2  # with a due date | and | an assignee
    if first.said.lower() == "with" and _is_had_beside_lack(second, link=third, behind=behind):
        return [replace(second, kind="missing", is_negated=True, said=f"{first.said} {second.said}")], 2
    is_pair = "and" in third.marks and _is_joined(second, link=third, behind=behind)
    if second.kind == "missing":
        return None  # with | no due date
    if first.marks != {"have"} or not is_noun or is_pair:
        is_lost = first.marks == {"have"} and is_pair and _has_article(second) and "which" in phrases[0].marks
        return ([leave_out(second, lead=first)], 2) if is_lost else None
    is_of_issues = before.is_of_issues
    is_with = first.said.lower() == "with"
    if is_with and _is_unclear(second, behind=third, is_of_issues=is_of_issues):
        return [leave_out(second, lead=first)], 2
    is_had = is_of_issues and first.said.lower() in ("have", "has") and (not third or third.said.lower() == "but")
    is_said = second.is_any or (second.is_plural and not second.is_owned and (is_with or is_had))
    is_property = second.kind == "term" and second.has("dimension", form="noun") and not second.has("entity")
    if not is_said or not is_property:
        return None
    kind: PhraseKind = "unknown" if second.is_one else "missing"
    return [replace(second, kind=kind, is_negated=not second.is_negated, said=f"{first.said} {second.said}")], 2


def _is_had_beside_lack(noun: Phrase, *, link: Phrase, behind: Phrase) -> bool:
    """Return whether rows have a property where they lack another one: with | due date | but | no assignee."""
    is_lack = behind.kind == "missing" and not behind.is_negated and behind.said.lower().startswith(("no ", "without "))
    is_property = noun.kind == "term" and noun.has("dimension", form="noun") and not noun.has("unit")
    is_row = noun.has("entity") and not any(sense.name == "assignee" for sense in noun.senses)
    return "and" in link.marks and is_lack and is_property and not (is_row or noun.is_owned or noun.is_one)


def _is_joined(noun: Phrase, *, link: Phrase, behind: Phrase) -> bool:
    """Return whether a property is one of several that are shown, and not what rows have beside what they lack."""
    if link.said.lower() == "but" and behind.kind == "missing":
        return False  # have points | but | no estimate in hours
    return not (_has_article(noun) and (behind.kind == "missing" or _has_article(behind)))


def _has_article(noun: Phrase) -> bool:
    """Return whether it is a property with an article: a due date."""
    is_property = noun.kind == "term" and noun.has("dimension", form="noun") and not noun.has("entity")
    return is_property and noun.is_any and not noun.is_one


def _is_unclear(noun: Phrase, *, behind: Phrase, is_of_issues: bool) -> bool:
    """Return whether rows "with" it may have it, be it or show it: with | assignee, | blocked, | hours spent."""
    if noun.has("unit"):
        return True
    is_noun = any(sense.form == "noun" for sense in noun.senses)
    is_value = behind.has("predicate") if is_noun else any(sense.form == "noun" for sense in behind.senses)
    if (is_value and behind.kind == "term") or behind.kind in ("names", "key", "period", "bound"):
        return False
    is_bare = not (is_noun and (noun.is_any or noun.is_plural or noun.is_owned))
    is_number = noun.has("measure", form="noun") and not (noun.is_owned or noun.has("entity"))
    return is_bare or (is_number and not (noun.has("dimension", form="noun") and is_of_issues))


def read_related(phrases: list[Phrase], *, place: int) -> Found:
    """
    Read which related rows there are none of, or some: no open bugs; closed | nothing in May; epics | with bugs.

    Absence is "no", "nothing" or "not ... any" before rows, with the verb that says what was done to them. Of issues,
    rows are only theirs behind "have": issues without bugs are other issues.
    """
    first = phrases[place]
    verb = first if first.kind == "term" and not first.is_negated and _is_act(first) else NOTHING
    place += bool(verb)
    earlier, before, quantifier = look_at(phrases, place=place - 2, size=3)
    if quantifier.kind != "mark":
        return None
    if quantifier.marks == {"not"}:
        return None if verb else _read_not_any(phrases, place=place)
    owned = phrase_at(phrases, place=place + 1)
    if quantifier.said.lower() == "with" and owned.is_owned and _names_rows(_rows_from(
        phrases, place=place + 1, verb=NOTHING
    )):  # fmt: skip
        return [leave_out(owned, lead=quantifier)], 2  # epics | with | their bugs: these are asked for too
    if quantifier.marks & {"have"} and not verb:
        return _read_some(phrases, place=place)
    is_none = bool(quantifier.marks & {"nothing"})
    if not (is_none or quantifier.marks & {"without"}) or quantifier.said.lower() == "none":
        return None
    inside = _rows_from(phrases, place=place + 1, verb=verb)
    if verb:
        is_said = is_none or (quantifier.said.lower() == "no" and _names_rows(inside))
    else:
        is_listed = before.kind == "mark" and before.marks & {"and", "or"}
        owns = "have" in before.marks and before.said.lower() != "with" and asks_for_owners(phrases[:place])
        is_said = bool(inside) and (
            is_none or _is_absence(inside, before=earlier if is_listed else before, is_owned=owns)
        )
    return _make_related(quantifier, inside=inside, verb=verb, is_negated=True) if is_said else None


def _is_act(phrase: Phrase) -> bool:
    return phrase.has("predicate", "time", "dimension", form="verb")


def _is_absence(inside: Sequence[Phrase], *, before: Phrase, is_owned: bool) -> bool:
    """Return whether such rows are absent, as opposed to negated rows: without open issues, no scope changes."""
    nouns = [one for one in inside if one.has("entity", "measure", form="noun")]
    if nouns and not _says_type(nouns[-1]):
        is_bare = not any(one.has("predicate") or one.kind == "names" for one in inside)
        return not (is_bare and nouns[-1].has_entity("sprint"))  # with no sprint: a property that is missing
    is_of_others = before.has("entity", form="noun") and not before.has_entity("issue")
    is_had = "have" in before.marks or before.kind == "related" or is_of_others or _says_type(before)
    return is_had and (_names_rows(inside) or (is_owned and inside[0].name_kind == "priority"))


def _read_not_any(phrases: list[Phrase], *, place: int) -> Found:
    """
    Has | not | resolved | a single bug | in November; does not | have | any bugs; have not | a single bug.

    Who does not have anything else finds no place: to turn the condition round would name those of other issues.
    """
    before, first, second = look_at(phrases, place=place - 1, size=3)
    is_had = second.kind == "mark" and "have" in second.marks
    verb = second if second.kind == "term" and not second.is_any and _is_act(second) else NOTHING
    inside = _rows_from(phrases, place=place + 1 + (is_had or bool(verb)), verb=verb)
    if is_had and not inside and "who" in before.marks:
        return [leave_out(second, lead=first)], 2
    is_any = any(one.is_any for one in inside) or (is_had and any(_is_subject(one) for one in phrases[:place]))
    is_had_not = first.said.lower().startswith(("has", "have", "had"))  # who hasn't got | anything
    has_verb = is_had or is_had_not or bool(verb) or "have" in before.marks
    if not before or not has_verb or not is_any or not _names_rows(inside):
        return None
    found, size = _make_related(first, inside=inside, verb=verb, is_negated=True)
    return found, size + is_had


def _read_some(phrases: list[Phrase], *, place: int) -> Found:
    """
    Epics | with | open bugs; how many people | have | open bugs: rows that these have.

    Which people have open bugs is another question: the bugs are counted for each.
    """
    first, at = phrases[place], place - 1
    while phrase_at(phrases, place=at).name_kind == "team":  # how many people | in HARBOR | have
        at -= 1
    before, at = phrase_at(phrases, place=at), at - 1
    while phrase_at(phrases, place=at).name_kind == "team":  # how many of HARBOR's sprints | had
        at -= 1
    asked = phrase_at(phrases, place=at)
    is_asked, least = "how_many" in asked.marks, phrase_at(phrases, place=place + 1)
    is_limited = is_asked and least.kind == "bound" and not (least.senses or least.edge)
    inside = _rows_from(phrases, place=place + 1 + is_limited, verb=NOTHING)
    nouns = [one for one in inside if one.has("entity", form="noun")]
    is_plain = len(inside) == 1 or not any(one.has_entity("issue") for one in nouns)
    is_with = first.said.lower() == "with" and bool(nouns) and is_plain and before.has("entity", form="noun")
    has_rows = before.has_entity("issue") or _says_type(before) or (is_asked and _is_subject(before))
    is_of_issues = before.has_entity("issue") or _says_type(before)  # bugs | with p0: their own priority
    has_rows = has_rows and any(one.has_entity("issue") or (one.kind == "names" and _says_type(one)) or (
        one.name_kind == "priority" and not is_of_issues) for one in inside)  # fmt: skip
    if not (is_with or has_rows) or (is_limited and least.op not in (Operator.GE, Operator.GT)):
        return None  # with at most so many: also those with none
    [found], size = _make_related(first, inside=inside, verb=NOTHING, is_negated=False)
    if is_limited:
        found = replace(found, number=(least.number or 0) + (least.op is Operator.GT))
    return [found], size + is_limited


def read_acts(phrases: list[Phrase], *, place: int) -> Found:
    """Read what those who are counted did as rows that they have: how many people | closed | bugs | in October."""
    verb, at = phrases[place], place - 1
    while phrase_at(phrases, place=at).name_kind == "team":  # how many people | in HARBOR | closed
        at -= 1
    asked, before = look_at(phrases, place=at - 1, size=2)
    is_act = verb.kind == "term" and not verb.is_negated and verb.has("predicate", "time", form="verb")
    if not is_act or "how_many" not in asked.marks or before.kind != "term":
        return None
    inside = _rows_from(phrases, place=place + 1, verb=verb)
    if not (before.has_entity("person") or before.has_entity("team")) or not (inside or verb.has("predicate")):
        return None
    [found], _ = _make_related(verb, inside=inside, verb=verb, is_negated=False)
    said = " ".join(one.said for one in (verb, *inside))
    return [replace(found, said=said, is_act=True)], len(inside) + 1


def _rows_from(phrases: list[Phrase], *, place: int, verb: Phrase) -> list[Phrase]:
    """Return the phrases that describe rows, with the days beside what was done to them."""
    end, is_timed = place, bool(verb)
    first = phrase_at(phrases, place=place)
    owner = next((at for at in range(place - 1, -1, -1) if "have" in phrases[at].marks), 0)
    is_owned = phrases[owner].said.lower() != "with" and asks_for_owners(phrases[:owner])
    if not verb and is_sprints(first) and not first.edge:
        is_of_issues = any(one.has_entity("issue") or _says_type(one) for one in phrases[:place])
        return [] if is_of_issues and not is_owned else [first]
    while one := phrase_at(phrases, place=end):
        is_owner = one.kind == "term" and end > place and one.has("dimension") and one.senses and all(
            sense.form == "verb" for sense in one.senses
        )  # fmt: skip
        is_detail = one.kind == "missing" or (one.kind == "bound" and bool(one.senses))
        is_owner = is_owner or _is_assigned(one, behind=phrase_at(phrases, place=end + 1))
        if not (_describes(one) or is_owner or (one.kind == "period" and is_timed) or (is_detail and end > place)):
            break
        is_timed = is_timed or one.has("predicate", "time")
        end += 1
    has_team = phrase_at(phrases, place=end).name_kind == "team"
    sprint, behind = look_at(phrases, place=end + has_team, size=2)
    is_of_owners = is_owned or any("who" in one.marks or one.has_entity("person") or one.has_entity("team")
                                   for one in phrases[:place])  # fmt: skip
    end += (1 + has_team) * (
        is_of_owners and bool(end > place or verb) and is_sprints(sprint) and not behind
    )  # nothing in sprint 7
    end = find_clause_end(phrases, place=end) if is_owned and end > place else end
    return [_as_adjective(one, behind=phrase_at(phrases, place=at + 1)) for at, one in
            enumerate(phrases[place:end], place)]  # fmt: skip


def _is_assigned(phrase: Phrase, *, behind: Phrase) -> bool:
    """Return whether a verb describes the rows behind it: assigned | issues."""
    is_verb = phrase.kind == "term" and any((one.name, one.form) == ("assignee", "verb") for one in phrase.senses)
    return is_verb and _names_rows([behind])


def _as_adjective(phrase: Phrase, *, behind: Phrase) -> Phrase:
    assigned = (Sense("predicate", "assigned", "adjective"),)
    return replace(phrase, senses=assigned) if _is_assigned(phrase, behind=behind) else phrase


def _names_rows(inside: Sequence[Phrase]) -> bool:
    return any(_says_type(one) or is_sprints(one) or one.has("entity", form="noun") for one in inside)


def _says_type(phrase: Phrase) -> bool:
    """Return whether it names a kind of issue: bugs, epics. One epic is a property of an issue."""
    is_property = phrase.has("dimension", form="noun") and not phrase.said.lower().endswith("s")
    return phrase.name_kind == "type" and not is_property


def _is_subject(phrase: Phrase) -> bool:
    is_asked = phrase.kind == "mark" and bool(phrase.marks & {"who", "which"})
    return is_asked or _says_type(phrase) or phrase.has("entity", form="noun")


def _make_related(
    first: Phrase, *, inside: Sequence[Phrase], verb: Phrase, is_negated: bool
) -> tuple[list[Phrase], int]:  # fmt: skip
    """Replace a quantifier, the verb beside it and the rows that they describe."""
    inside = [verb, *inside] if verb else inside
    said = " ".join([first.said, *(one.said for one in inside)])
    is_of_all = any(one.quantifier or (one.joined_by == "and" and len(one.names) > 1) for one in inside)
    is_of_now = verb.has("time", form="verb") and verb.has("predicate") and not verb.has("predicate", form="verb")
    is_unclear = is_of_now if is_negated else is_of_all  # started nothing: done ones were started too
    related = replace(
        first, kind="unknown" if is_unclear else "related", said=said, senses=(), marks=frozenset(),
        start=min(first.start, verb.start) if verb else first.start, is_negated=is_negated, is_act=bool(verb),
        alternatives=tuple(one for one in inside if one.kind != "mark"),
    )  # fmt: skip
    return [related], len(inside) + 1


def _describes(phrase: Phrase) -> bool:
    return (phrase.kind == "term" and phrase.has("predicate", "entity") and not phrase.is_negated) or (
        phrase.kind == "names" and phrase.name_kind in ("type", "label", "priority", "status")
    )
