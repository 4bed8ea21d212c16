"""Rules for names: lists of them, and the nouns of what they name. Each is called as those in phrases.py."""

from dataclasses import replace

from sprints.semantics.questions.phrase import SILENT_MARKS, Found, Phrase, phrase_at


def list_names(phrases: list[Phrase], *, place: int) -> Found:
    """Read a list of names: ACCEL, ORBIT and HARBOR; bugs or stories."""
    first = phrases[place]
    if first.kind not in ("names", "key"):
        return None
    following = phrase_at(phrases, place=place + 1)
    link = following.marks & {"and", "or", "versus"} if following and following.kind == "mark" else set()
    second = phrase_at(phrases, place=place + 2 if link else place + 1)
    if second is None or second.kind != first.kind or second.name_kind != first.name_kind:
        return None
    before = phrase_at(phrases, place=place - 1)
    is_swap = before is not None and "swap" in before.marks
    if not link and (second.is_apart or is_swap or (first.kind == "names" and first.name_kind == "sprint")):
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


def read_owner(phrases: list[Phrase], *, place: int) -> Found:
    """Skip "from" before a team or person: from | ORBIT. A direction finds no place: by | to | status."""
    first, second = phrases[place], phrase_at(phrases, place=place + 1)
    if first.said.lower() in ("with", "by") and second is not None and second.said.lower() in ("to", "from"):
        return [replace(second, kind="unknown", said=f"{first.said} {second.said}", marks=frozenset())], 2
    is_owner = second is not None and second.kind == "names" and second.name_kind in ("team", "person")
    return ([], 1) if is_owner and first.kind == "mark" and first.said.lower() == "from" else None


def read_current_value(phrases: list[Phrase], *, place: int) -> Found:
    """Skip "the current" before a property, which always has its current value: the current | status."""
    first, second = phrases[place], phrase_at(phrases, place=place + 1)
    if first.said.lower() not in ("current", "present") or second is None or second.has("entity", form="noun"):
        return None
    is_property = second.kind == "term" and second.has("dimension", form="noun")
    return ([], 1) if is_property and first.kind == "term" else None


def read_noun_of_name(phrases: list[Phrase], *, place: int) -> Found:
    """Read a kind before its name, not as a type of issue: the epic | Works offline."""
    first = phrases[place]
    if first.name_kind != "type" or not first.has("dimension", form="noun"):
        return None
    kinds = {sense.name for sense in first.senses}
    beside = [phrase_at(phrases, place=at) for at in (place - 1, place + 1)]
    is_noun = any(one is not None and one.kind == "names" and one.name_kind in kinds for one in beside)
    value = phrase_at(phrases, place=place + 2)  # epic: | no | epic
    is_noun = is_noun or bool(value and "without" in phrases[place + 1].marks and value.senses == first.senses)
    return ([replace(first, kind="term", names=(), name_kind="")], 1) if is_noun else None


def read_epic_key(phrases: list[Phrase], *, place: int) -> Found:
    """Read an epic's key as its content, not the epic itself: issues of | the epic | ACCEL-2."""
    first, second = phrases[place], phrase_at(phrases, place=place + 1)
    is_noun = any(sense.name == "epic" and sense.form == "noun" for sense in first.senses)
    before = phrase_at(phrases, place=place - 1)
    is_asked = before is not None and bool(before.marks & {"which", "what"})  # which epic | is | ACCEL-13 | in
    is_value = second is not None and bool(second.marks & (SILENT_MARKS | {"not", "except"}))  # whose epic is not | X
    if is_noun and is_value and not is_asked:
        key = next((one for one in phrases[place + 1 :] if not one.marks & (SILENT_MARKS | {"not", "except"})), None)
        if key is not None and key.kind == "key":
            at = phrases.index(key)
            return [*phrases[place + 1 : at], replace(key, name_kind="epic", said=f"{first.said} {key.said}")], (
                at - place + 1)  # fmt: skip
    if not is_noun or second is None or second.kind != "key" or second.name_kind:
        return None
    if second.is_apart:  # the epic of | ACCEL-13
        return ([replace(first, kind="term", names=(), name_kind=""), second], 2) if first.name_kind else None
    others = [one for one in phrases if one is not first]
    is_of_it = any(one.has_entity("issue") or one.name_kind == "type" or one.has("measure") for one in others)
    return ([replace(second, name_kind="epic", said=f"{first.said} {second.said}")], 2) if is_of_it else None
