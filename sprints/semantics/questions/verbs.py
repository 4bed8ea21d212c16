"""Words that are verbs because of where they stand: did ORBIT | open | and | close; and orders: close ACCEL-107."""

from collections.abc import Sequence
from dataclasses import replace

from sprints.semantics.questions.lexicon import Lexicon, Sense
from sprints.semantics.questions.tokens import Token

_DO = frozenset({"do", "does", "did"})
_BEFORE_VERBS = frozenset({"to", "we", "they", "you", "i", "will", "can", "could", "should", "who"})
_OWNERS = frozenset({"team", "person", "sprint"})
_OWED = frozenset({"have", "has", "got", "need", "needs", "remain", "remains"})
_LEADS_TO_ACT = frozenset({"what", "be", "still"})
_MUCH = frozenset({"most", "least", "more", "less", "much", "nothing", "anything", "something"})
_THINGS = frozenset({"anything", "something", "everything"})
_YET_TO_DO = (Sense("predicate", "open", "adjective"), Sense("predicate", "left_in_sprint", "adjective"))


def read_infinitives(tokens: Sequence[Token]) -> list[Token]:
    """
    Return the tokens with "to do" as what is not done where a verb owes it: need | to do; has | ORBIT | to do.

    As a status it stands behind a noun, a preposition or a form of "be": issues | to do. What was owed once is not
    what is open: did we need | to do.
    """
    kept = list(tokens)
    for place, token in enumerate(tokens):
        if token.said.lower() != "to do" or token.names or not token.senses:
            continue
        at = place - 1
        while at > 0 and _may_stand_between(tokens[at]):
            at -= 1
        verb = tokens[at].said.lower().split()[-1] if at >= 0 else ""
        if verb in _OWED:
            is_past = any(one.said.lower() in ("did", "had") for one in tokens[:at])
            owed = () if is_past else (Sense("mark", "have", "word"),)
            kept[at] = replace(tokens[at], senses=owed) if verb.startswith("need") or is_past else tokens[at]
            kept[place] = replace(token, senses=_YET_TO_DO)
        elif _asks_what_is(tokens[:place]) or (place and tokens[place - 1].said.lower() in _THINGS):
            kept[place] = replace(token, senses=_YET_TO_DO)
    return kept


def _asks_what_is(before: Sequence[Token]) -> bool:
    """Return whether words ask what is to be done: what is | to do; what is there | to do. Not: what is in | to do."""
    is_now = all(one.is_free or one.marks & _LEADS_TO_ACT for one in before) and not any(
        one.said.lower() in ("was", "were") for one in before
    )
    return is_now and any("what" in one.marks for one in before) and not before[-1].is_preposition


def _may_stand_between(token: Token) -> bool:
    """Return whether a word may stand between a verb and "to do": has | ORBIT | the most | bugs | to do."""
    is_rows = token.kind == "type" or any((one.kind, one.name) == ("entity", "issue") for one in token.senses)
    is_article = any(sense.name in ("articles", "fillers") for sense in token.senses)
    return token.said.lower() in _MUCH or is_rows or is_article or _is_owner(token)


def keep_verbs(tokens: Sequence[Token]) -> list[Token]:
    """
    Return the tokens without the adjectives of the acts behind do, does or did and their subject.

    What is a noun of rows as well ("burn down") is the act only there, or behind a pronoun, "to" or a modal.
    """
    kept, is_behind, has_subject = _keep_first_noun(tokens), False, False
    for place, token in enumerate(tokens):
        acts = tuple(one for one in token.senses if one.form == "verb")
        rows = tuple(one for one in token.senses if one.form == "noun" and one.kind == "entity")
        has_time = any(one.kind == "time" for one in acts)
        before = tokens[place - 1].said.lower() if place else ""
        if rows and acts and not (is_behind and has_subject) and before not in _BEFORE_VERBS and not has_time:
            kept[place] = replace(token, senses=rows)  # the | burn down | of the sprint
        elif token.said.lower() in _DO:
            is_behind, has_subject = True, False
        elif is_behind and has_subject and has_time:
            kept[place] = replace(token, senses=acts)
            is_behind = "and" in (tokens[place + 1].marks if place + 1 < len(tokens) else ())
        elif is_behind and "and" not in token.marks:
            is_subject = _is_owner(token)
            is_behind, has_subject = is_subject or token.is_free, has_subject or is_subject
    return kept


def _keep_first_noun(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens with the first one as the property that it names, if the rest is of it: estimates | of."""
    kept, at = list(tokens), next((place for place, one in enumerate(tokens) if not _may_precede_noun(one)), 0)
    nouns = tuple(one for one in tokens[at].senses if one.form == "noun") if tokens else ()
    is_property = any(one.kind == "dimension" for one in nouns)
    behind = tokens[at + 1] if tokens[at + 1 :] else None
    if is_property and (behind is None or behind.said.lower() == "of" or "per" in behind.marks):
        kept[at] = replace(tokens[at], senses=nouns)
    return kept


def _may_precede_noun(token: Token) -> bool:
    return token.is_free or bool(token.marks & {"what", "be"})


def put_still_first(tokens: Sequence[Token]) -> Sequence[Token]:
    """Put "still" before the verb that it stands behind: what has | HARBOR | still; what do we have | still."""
    at = next((n for n, one in enumerate(tokens) if n and one.said.lower() == "still"), 0)
    verb = at - 1
    while verb > 0 and (_is_owner(tokens[verb]) or tokens[verb].is_free or tokens[verb].reference):
        verb -= 1
    is_state = any(one.marks & {"without", "not"} for one in tokens[at + 1 : at + 2])  # have still | no estimate
    if not at or is_state or "have" not in tokens[verb].marks or tokens[verb].said.lower() == "with":
        return tokens
    return [*tokens[:verb], tokens[at], *tokens[verb:at], *tokens[at + 1 :]]


def find_order(tokens: Sequence[Token], *, lexicon: Lexicon) -> str:
    """Return the verb that orders a change instead of asking: please | close | ACCEL-107. Empty if none does."""
    place = next((at for at, one in enumerate(tokens) if not _may_precede(one)), len(tokens))
    if place + 1 >= len(tokens):
        return ""
    token, following = tokens[place], tokens[place + 1]
    acts = [one for one in token.senses if one.form == "verb" and one.kind in ("predicate", "time", "dimension")]
    is_other = len(acts) < len(
        [one for one in token.senses if one.kind != "measure"]
    )  # also an adjective or a noun: open, estimate
    kinds = {one.kind for one in following.senses}
    is_object = "mark" not in kinds and ("measure" not in kinds or "entity" in kinds)  # carry over | points by sprint
    is_noun = any(one.name == "carried_over" for one in acts)  # carry over | last sprint; | of sprint 8
    is_noun = is_noun and (bool(following.reference) or following.said.lower() == "of")
    if not acts or not is_object or is_noun or (is_other and not following.key):
        return ""
    return token.said if lexicon.is_infinitive(token.said) else ""


def _may_precede(token: Token) -> bool:
    """Return whether a word may stand before an order: please, can you."""
    return token.is_polite or any((one.kind, one.name) == ("free", "auxiliaries") for one in token.senses)


def _is_owner(token: Token) -> bool:
    """Return whether a token may be the subject: the ACCEL folks, we, each team."""
    is_entity = any(one.kind == "entity" and one.name in _OWNERS for one in token.senses)
    return is_entity or token.kind in _OWNERS or bool(token.marks & {"our", "per"})
