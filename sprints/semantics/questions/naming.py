"""Rules for names: lists of them, and the nouns of what they name. Each is called as those in phrases.py."""

from dataclasses import replace

from sprints.semantics.questions.lexicon import Sense
from sprints.semantics.questions.phrase import SILENT_MARKS, Found, Phrase, leave_out, look_at, phrase_at

_ROLES = frozenset({"assignee", "reporter"})
_COMPARING = frozenset({"same", "differ", "distinct"})
_BETWEEN_ROLES = frozenset({"be", "not", "who", "anyone_who", "and", "to", "per"})


def list_names(phrases: list[Phrase], *, place: int) -> Found:
    """Read a list of names: ACCEL, ORBIT and HARBOR; bugs or stories."""
    first = phrases[place]
    if first.kind not in ("names", "key"):
        return None
    following, third = look_at(phrases, place=place + 1, size=2)
    link = following.marks & {"and", "or", "versus"} if following.kind == "mark" else set()
    second = third if link else following
    if second.kind != first.kind or second.name_kind != first.name_kind:
        return None
    further, lead = look_at(phrases, place=place - 2, size=2)
    lead = further if lead.has("dimension", form="verb") else lead  # not | assigned to | Zoë
    if following.said.lower() == "but" and (first.is_negated or lead.marks & {"not", "without", "except"}):
        return None  # not ORBIT | but | HARBOR
    is_swap = "swap" in phrase_at(phrases, place=place - 1).marks
    is_other_noun = first.name_kind == "type" and second.is_definite  # how many sub-tasks | do the stories | have
    if not link and (
        second.is_apart or is_swap or is_other_noun or (first.kind == "names" and first.name_kind == "sprint")
    ):
        return None
    if second.is_owned or (not link and _begins_clause(phrases, place=place + 1)):
        return None  # epics | and | their bugs
    names = tuple(dict.fromkeys((*first.names, *second.names)))
    both = replace(first, names=names, keys=(*first.keys, *second.keys), said=f"{first.said}, {second.said}")
    if "versus" in link:
        return [both, following], 3
    joined = "and" if "and" in link else "or" if link else first.joined_by
    return [replace(both, joined_by=joined or "and")], 3 if link else 2


def _begins_clause(phrases: list[Phrase], *, place: int) -> bool:
    """Return whether a person is the subject of what follows, and no item of a list: of Levi that | Sophia | has."""
    before, person, verb = look_at(phrases, place=place - 1, size=3)
    is_listed = before.start + len(f"{before.said}, ") == person.start
    is_verb = verb.has("dimension", "predicate", "time", form="verb") or bool(verb.marks & {"be", "have", "do"})
    return person.name_kind == "person" and is_verb and not is_listed


def join_compared(phrases: list[Phrase], *, place: int) -> Found:
    """Put side by side what is compared: bugs | ACCEL | has | compared to | HARBOR; in May | by ORBIT | vs | June."""
    link, second = look_at(phrases, place=place, size=2)
    kinds = ("names", "period", "sprints")
    kind = (second.kind, second.name_kind)
    same = [at for at, one in enumerate(phrases[:place]) if (one.kind, one.name_kind) == kind]
    is_end = all(one.kind in ("mark", "period", "sprints") for one in phrases[place + 2 :])
    if link.marks != {"versus"} or second.kind not in kinds or len(same) != 1 or same[0] == place - 1 or not is_end:
        return None
    first = phrases[same[0]]
    if first.is_negated or second.is_negated or (first.said, first.names) == (second.said, second.names):
        return None
    phrases[place : place + 2] = []
    phrases[same[0] + 1 : same[0] + 1] = [link, second]
    return None


def read_owner(phrases: list[Phrase], *, place: int) -> Found:
    """Skip "from" before a team or person: from | ORBIT. A direction finds no place: by | to | status."""
    first, second = look_at(phrases, place=place, size=2)
    if first.said.lower() in ("with", "by") and second.said.lower() in ("to", "from"):
        return [leave_out(second, lead=first)], 2
    is_owner = second.kind == "names" and second.name_kind in ("team", "person")
    return ([], 1) if is_owner and first.kind == "mark" and first.said.lower() == "from" else None


def read_role_of_person(phrases: list[Phrase], *, place: int) -> Found:
    """Read who has a role as the verb of it: whose | reporter | is | Levi. Two roles of one person find no place."""
    noun, verb, value = look_at(phrases, place=place, size=3)
    role = next((one.name for one in noun.senses if (one.kind, one.form) == ("dimension", "noun")
                 and one.name in _ROLES), "")  # fmt: skip
    is_clause = any(one.marks & {"whose", "have"} for one in phrases[:place])
    if not (role and is_clause and verb.marks == {"be"}):
        return None
    if any(sense.name in _ROLES for sense in value.senses):
        return [replace(value, kind="unknown", senses=(), said=f"{noun.said} {verb.said} {value.said}")], 3
    act = replace(noun, senses=(Sense("dimension", role, "verb"),), said=f"{noun.said} {verb.said}")
    return ([act, value], 3) if value.name_kind == "person" else None


def read_same_person(phrases: list[Phrase], *, place: int) -> Found:
    """
    Read two roles of an issue that are said to be one person, or two: whose | reporter | is | the assignee.

    So is an act by the one who has the other role: assigned to | their reporter; reported | by | their assignee.
    """
    before, first = look_at(phrases, place=place - 1, size=2)
    at = place + 1
    while phrase_at(phrases, place=at).marks & _BETWEEN_ROLES or phrase_at(phrases, place=at).has_entity("person"):
        if _find_role(phrases[at]):
            break
        at += 1
    second, between = phrase_at(phrases, place=at), phrases[place + 1 : at]
    if {_find_role(first), _find_role(second)} != _ROLES:
        return None
    end = at + 1
    while phrase_at(phrases, place=end).marks & (_COMPARING | {"be", "not"}):
        end += 1
    said = [one for one in (*between, *phrases[at + 1 : end]) if one.kind == "mark"]
    marks = {mark for one in said for mark in one.marks} | (before.marks & _COMPARING)
    is_named = second.is_definite or second.is_owned or bool(marks & {"anyone_who", "who"})
    is_act = first.has("dimension", form="verb") and is_named and "and" not in marks
    is_compared = bool(marks & _COMPARING) and not first.has("dimension", form="verb")
    is_copula = "and" not in marks and any(
        "be" in one.marks or one.said.lower().startswith(("is", "are")) for one in between
    )
    if not (is_act or is_compared or is_copula):
        return None
    end += phrase_at(phrases, place=end).has_entity("person") and is_compared
    is_other = bool(marks & {"differ", "distinct"}) != ("not" in marks)
    if before.marks & (_COMPARING | {"have", "whose", "where"}):
        phrases[place - 1] = replace(before, marks=frozenset({"be"}), senses=())
    if phrase_at(phrases, place=place - 2).marks & {"have"}:
        phrases[place - 2] = replace(phrases[place - 2], marks=frozenset({"be"}), senses=())
    said_of = " ".join(one.said for one in phrases[place:end])
    senses = (Sense("predicate", "assigned_to_other" if is_other else "self_assigned", "adjective"),)
    return [replace(first, kind="term", senses=senses, marks=frozenset(), said=said_of)], end - place


def _find_role(phrase: Phrase) -> str:
    """Return the role of an issue that a noun or a verb names. Empty if it names none."""
    senses = () if phrase.has_entity("person") else phrase.senses
    return next((one.name for one in senses if one.kind == "dimension" and one.name in _ROLES), "")


def read_people_of_team(phrases: list[Phrase], *, place: int) -> Found:
    """Read what the people of a team did as what the team did: what | did | ORBIT | folks | finish."""
    team, people, act = look_at(phrases, place=place, size=3)
    is_asked = phrases[0].marks == {"what"} or any(one.is_of_issues for one in phrases[:place])
    is_asked = is_asked and bool(team.names) and team.name_kind == "team"
    is_done = act.kind == "term" and act.has("predicate", form="verb")
    return ([team, act], 3) if is_asked and is_done and people.is_plural and people.has_entity("person") else None


def read_current_value(phrases: list[Phrase], *, place: int) -> Found:
    """Skip "the current" before a property, which always has its current value: the current | status."""
    first, second = look_at(phrases, place=place, size=2)
    is_current = first.kind == "term" and first.said.lower() in ("current", "present")
    is_property = second.kind == "term" and second.has("dimension", form="noun")
    return ([], 1) if is_current and is_property and not second.has("entity", form="noun") else None


def read_noun_of_name(phrases: list[Phrase], *, place: int) -> Found:
    """Read a kind before its name, not as a type of issue: the epic | Works offline."""
    before, first, behind, value = look_at(phrases, place=place - 1, size=4)
    if first.name_kind != "type" or not first.has("dimension", form="noun"):
        return None
    kinds = {sense.name for sense in first.senses}
    is_noun = any(one.kind == "names" and one.name_kind in kinds for one in (before, behind))
    is_noun = is_noun or ("without" in behind.marks and value.senses == first.senses)  # epic: | no | epic
    return ([replace(first, kind="term", names=(), name_kind="")], 1) if is_noun else None


def read_epic_key(phrases: list[Phrase], *, place: int) -> Found:
    """Read an epic's key as its content, not the epic itself: issues of | the epic | ACCEL-2."""
    before, first, second = look_at(phrases, place=place - 1, size=3)
    behind = range(place + 1, len(phrases))
    at = next((n for n in behind if not phrases[n].marks & (SILENT_MARKS | {"not", "except"})), place)
    if not any(sense.name == "epic" and sense.form == "noun" for sense in first.senses):
        return None
    is_asked = bool(before.marks & {"which", "what"})  # which epic | is | ACCEL-13 | in
    if at > place + 1 and phrases[at].kind == "key" and not is_asked:  # whose epic is not | X
        key = replace(phrases[at], name_kind="epic", said=f"{first.said} {phrases[at].said}")
        return [*phrases[place + 1 : at], key], at - place + 1
    if second.kind != "key" or second.name_kind:
        return None
    if second.is_apart:  # the epic of | ACCEL-13
        return ([replace(first, kind="term", names=(), name_kind=""), second], 2) if first.name_kind else None
    is_of_it = any(one is not first and (one.is_of_issues or one.has("measure")) for one in phrases)
    return ([replace(second, name_kind="epic", said=f"{first.said} {second.said}")], 2) if is_of_it else None


def read_whole_of_parts(phrases: list[Phrase], *, place: int) -> Found:
    """Read epics as what issues belong to, where these are measured: the progress of | our epics."""
    first, before = phrases[place], phrase_at(phrases, place=place - 1)
    if before.marks & {"which", "what", "rank"} or first.is_negated:
        return None
    if "whole" in first.marks and place + 1 < len(phrases):
        skipped = 1 + ("our" in phrases[place + 1].marks and place + 2 < len(phrases))  # of all | our | epics
        found = read_whole_of_parts(phrases, place=place + skipped)
        return (found[0], found[1] + skipped) if found else None
    if not any(sense.name == "done_rate" for one in phrases for sense in one.senses):
        return None
    if first.name_kind != "type" or not any(sense.name == "epic" for sense in first.senses):
        return None
    told = next((one for one in phrases if one is not first and not _is_beside_whole(one)), None)
    if told is not None:  # of the epics, or of the issues in them: progress of | open | epics
        return [leave_out(first, lead=told)], 1
    return [replace(first, kind="group", names=(), name_kind="", quantifier="each")], 1


def _is_beside_whole(phrase: Phrase) -> bool:
    """Return whether it says nothing of the rows but whose they are."""
    is_measure = phrase.has("measure", form="noun") and not phrase.has("entity")
    is_asked = phrase.kind in ("mark", "rank", "top", "number", "group")
    return is_measure or is_asked or phrase.name_kind in ("team", "epic") or phrase.has_entity("team")


def read_parent_key(phrases: list[Phrase], *, place: int) -> Found:
    """Read the keys beside sub-tasks as those of their parents: which | sub-tasks | does | ORBIT-15 | have."""
    first = phrases[place]
    if first.name_kind == "type" and any(name.text.casefold() in ("sub-task", "subtask") for name in first.names):
        for at, one in enumerate(phrases):
            if one.kind == "key" and not one.name_kind:
                phrases[at] = replace(one, name_kind="parent")
    return None


def read_key_property(phrases: list[Phrase], *, place: int) -> Found:
    """Read a noun beside a key as its property: what are | ORBIT-103's | labels and | epic; the estimate of it."""
    first = phrases[place]
    is_asked = bool(phrases[0].marks & {"what", "which", "who", "when"})
    keys = [at for at, one in enumerate(phrases) if one.kind == "key" and not one.name_kind]
    if not keys or not (is_asked or keys[0] == place - 1) or not first.has("dimension", form="noun"):
        return None
    if first.name_kind == "type" and not first.said.lower().endswith("s") and keys[0] < place:
        return [replace(first, kind="term", names=(), name_kind="")], 1
    nouns = tuple(one for one in first.senses if (one.kind, one.form) == ("dimension", "noun"))
    is_noun = first.kind == "term" and (first.is_definite or keys[0] == place - 1)
    return ([replace(first, senses=nouns)], 1) if is_noun and first.has("predicate", form="verb") else None


def read_passive_link(phrases: list[Phrase], *, place: int) -> Found:
    """Read a link from its other end: ORBIT-1 is | blocked | by | what; which issues are | blocked | by | ORBIT-1."""
    verb, by = look_at(phrases, place=place, size=2)
    senses = tuple(one for one in verb.senses if (one.kind, one.name, one.form) == ("predicate", "blocking", "verb"))
    before, behind = phrases[:place], phrases[place + 2 :]
    keys = [one for one in (*before, *behind) if one.kind == "key" and not one.name_kind and not one.is_negated]
    plain = not any(one.is_any for one in (*before, *behind)) and all(
        one in keys or one.marks & {"what", "which", "be"} or one.has_entity("issue") for one in (*before, *behind)
    )
    if not senses or verb.is_negated or by.said.lower() != "by" or len(keys) != 1 or not plain:
        return None
    asking = replace(by, marks=frozenset({"what"}), senses=())
    link = replace(verb, senses=senses)
    blocking, blocked = ([keys[0]], []) if keys[0] in behind else ([], [keys[0]])
    phrases[:place] = [Phrase(kind="mark", said=one.said, start=one.start, marks=SILENT_MARKS) for one in before]
    return [asking, *blocking, link, *blocked], len(phrases) - place
