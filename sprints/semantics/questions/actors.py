"""Who did what a verb says: who reopened the most bugs; what did Priya add; estimated by Priya."""

from collections.abc import Iterator, Sequence

from sprints.semantics.model import Entity, SemanticModel
from sprints.semantics.questions.phrase import Phrase, look_at, phrase_at

UNKNOWN_ACTOR = "I do not know who did that ('{said}'), only whose issues they are. Ask by the assignee."
TWO_ACTORS = (
    "I cannot say who did something with issues that another person {said}. "
    "Ask for the number of those issues per assignee instead."
)
_REPORTS = frozenset({"reporter", "created"})
_PERFECT = frozenset({"have", "past", "not", "ever"})


def find_unknown_act(phrases: Sequence[Phrase], *, entity: str, model: SemanticModel) -> Phrase | None:
    """Return the verb of an act if the model does not say of rows of the entity who does it."""
    return next(
        (
            phrase for place, phrase in enumerate(phrases)
            if phrase.kind == "term" and _find_actor(phrases, place=place)
            and not _knows_actor(phrase, entity=model.entities[entity], model=model)
        ), None,
    )  # fmt: skip


def _find_actor(phrases: Sequence[Phrase], *, place: int) -> Phrase | None:
    """
    Return the person who does what a verb says. None if it is no act of a person.

    In "who has reopened bugs" and "Priya's reopened bugs" it is no act but says which bugs.
    """
    following = phrase_at(phrases, place=place + 1)
    if not phrases[place].has("predicate", "time"):
        return None
    agent = next((one for one in phrases[place + 1 :] if one.kind != "period"), following)
    is_blocker = agent.name_kind == "team" and any(sense.name == "blocking" for sense in phrases[place].senses)
    if agent.by and (agent.name_kind == "person" or is_blocker):
        return agent
    at = place - 1
    while phrase_at(phrases, place=at).kind == "mark" and phrases[at].marks <= _PERFECT:
        at -= 1
    before, subject = look_at(phrases, place=at - 1, size=2)
    if at < place - 1 and (following.has("entity") or following.name_kind):
        return None
    is_asked = "who" in subject.marks or ("which" in before.marks and subject.has_entity("person"))
    is_base = phrases[place].has("predicate", "time", form="verb") and not phrases[place].said.lower().endswith("ed")
    is_act = is_base or "have" in before.marks  # did Priya reopen; has Priya | reopened
    return subject if is_asked or (is_act and subject.name_kind == "person") else None


def find_second_actor(phrases: Sequence[Phrase]) -> Phrase | None:
    """Return the verb of what a named person reported, if it is asked who did something else with it."""
    asks_people = any("who" in one.marks or one.has_entity("person") for one in phrases[:2])
    for place, phrase in enumerate(phrases[2:] if asks_people else (), start=2):
        beside = [one for one in phrases[place - 1 : place + 2 : 2] if one.name_kind == "person"]
        is_report = phrase.kind == "term" and any(sense.name == "reporter" for sense in phrase.senses)
        if is_report and any(len(one.names) == 1 and not one.is_negated for one in beside):
            return phrase
    return None


def _knows_actor(phrase: Phrase, *, entity: Entity, model: SemanticModel) -> bool:
    """Return whether the model says who does what a verb says, or the verb says no more than that: works on."""
    is_role = any(sense.kind == "dimension" and sense.form == "verb" for sense in phrase.senses)
    known = {*entity.joins, *entity.paths, *(relation.by for relation in entity.relations.values())}
    own = [model.predicates[sense.name] for sense in phrase.senses if sense.kind == "predicate"]
    if any(one.entity == entity.id for one in own) and any(relation.by for relation in entity.relations.values()):
        return True  # who left: what people themselves are
    return is_role or not model.names_actors or any(actor and actor in known for actor in _actors(phrase, model=model))


def _actors(phrase: Phrase, *, model: SemanticModel) -> Iterator[str | None]:
    for sense in phrase.senses:
        if sense.kind == "predicate":
            yield model.predicates[sense.name].actor
        elif sense.kind == "time":
            yield model.time_roles[sense.name].actor
        elif sense.kind == "measure" and sense.form == "verb":
            yield model.measures[sense.name].actor


def tells_of_reporters(phrases: Sequence[Phrase]) -> bool:
    """Return whether a verb says what a reporter did: created, raised."""
    return any(
        one.kind == "term" and any(sense.name in _REPORTS for sense in one.senses)
        and not any((sense.kind, sense.form) == ("predicate", "adjective") for sense in one.senses)  # open bugs
        for one in phrases
    )  # fmt: skip


def is_choice_of_teams(phrases: Sequence[Phrase]) -> bool:
    """Return whether it is one of the named teams who did more: who closed more bugs, ACCEL or ORBIT."""
    is_compared = any("versus" in one.marks for one in phrases)
    is_ranked = any(one.kind == "rank" or one.marks & {"more", "fewer"} for one in phrases)
    teams = [one for one in phrases if one.name_kind == "team" and len(one.names) > 1]
    is_choice = is_compared or (is_ranked and any(one.joined_by == "or" for one in teams))
    return bool(teams) and is_choice and not any(one.name_kind == "person" for one in phrases)


def limits_owner(limit: Phrase, *, before: Sequence[Phrase]) -> bool:
    """Return whether an owner's points are limited, not those of each issue: who has more than 20 points open."""
    are_rows = any(one.has_entity("issue") or one.name_kind == "type" for one in before)
    return any(sense.name == "points" for sense in limit.senses) and not are_rows
