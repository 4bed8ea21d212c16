"""What a pronoun of a follow-up question stands for: the issue, the owner or the rows of the question before."""

from collections.abc import Sequence
from itertools import pairwise

import regex

from sprints.linking.folding import normalise
from sprints.linking.names import NameIndex
from sprints.linking.references import SprintReference, find_sprint_references
from sprints.semantics.describe import split_conditions
from sprints.semantics.enums import Operator
from sprints.semantics.model import SemanticModel
from sprints.semantics.query import Comparison, InPeriod, MetricQuery, Reference, Value
from sprints.semantics.questions.lexicon import ASKING
from sprints.semantics.questions.tokens import PERSONAL, PRONOUNS, YES_OR_NO, Token, find_anaphor

SINGULAR = frozenset({"it", "its"})
_REFERRING = SINGULAR | PRONOUNS
_POSSESSIVE = frozenset({"its", "their", "his", "her"})
OWNING = SINGULAR | PERSONAL | {"they", "theirs"}
"""Pronouns that stand for who or what is named, not for rows."""
_SUBJECTS = frozenset({"it", "they", "he", "she"})
_OWNERS = ("team", "assignee", "reporter", "person", "sprint", "epic")
_NAMES = frozenset({"team", "person", "sprint", "epic"})
_THE_TEAM = regex.compile(r"\b(?:the|our) team\b(?! (?:with|that|which|who|has|had|is|was|of)\b)", regex.IGNORECASE)
_DID_IT = regex.compile(r"\bdid it\b", regex.IGNORECASE)
_OWNED = regex.compile(r"\bits\b", regex.IGNORECASE)
_OF_OWNER = regex.compile(r"\b(?:its|their|his|her) (?:[\w-]+ ){0,2}[\w-]+['\u2019]s?(?!\w)", regex.IGNORECASE)
"""A property of what is theirs: | its team's | velocity."""


def find_reference(tokens: Sequence[Token]) -> str:
    """Return the first word that stands for something of the question before. Empty if there is none."""
    return find_anaphor(tokens) or next((one.said for one in find_pronouns(tokens)), "")


def find_pronouns(tokens: Sequence[Token]) -> list[Token]:
    """Return the pronouns that nothing in the question itself explains: which epic does | it | belong to."""
    return [token for place, token in enumerate(tokens) if _get_word(token) in _REFERRING
            and not _is_explained(tokens, place=place)]  # fmt: skip


def _get_word(token: Token) -> str:
    return token.said.lower().replace("\u2019", "'").removesuffix("'s")


def _is_explained(tokens: Sequence[Token], *, place: int) -> bool:
    """
    Return whether something before a pronoun may be what it stands for, or whether it stands for nothing.

    What is asked about is not: which epic does | it; nor is the noun that a clause with it describes: the epic | it |
    belongs to.
    """
    token, before = tokens[place], tokens[:place]
    verb, following = (tokens[at] if 0 <= at < len(tokens) else None for at in (place - 1, place + 1))
    if verb is not None and following is not None and _get_word(token) == "it" and following.said.lower() == "take":
        return verb.said.lower() == "does"  # how long does it take
    is_inverted = verb is not None and verb.said.lower() in YES_OR_NO
    if is_inverted:
        asking = next((at for at, one in enumerate(before) if one.marks & ASKING), len(before))
        before = before[:asking] if sum(one.said.lower() in YES_OR_NO for one in before) == 1 else before
    elif verb is not None and _get_word(token) in _SUBJECTS and any(one.form == "noun" for one in verb.senses):
        if any(str(one.kind) in _NAMES for one in tokens[place:]):
            return True  # the points | that it had committed to did ORBIT complete
        before = before[:-1]
    return any(_may_explain(one, word=_get_word(token)) for one in before)


def _may_explain(token: Token, *, word: str) -> bool:
    """Return whether a word before a pronoun may be what it stands for: a name, a noun, who."""
    if word in PERSONAL:
        return token.kind == "person" or bool(token.marks & {"who", "whose"}) or _is_noun(token, of="person")
    is_named = str(token.kind) in _NAMES or bool(token.reference or token.key)
    is_rows = _is_noun(token) or token.kind == "type"
    if word in SINGULAR:
        return is_named or (is_rows and not token.said.lower().endswith("s"))
    return is_named or is_rows or bool(token.marks & {"who", "whose"})


def _is_noun(token: Token, *, of: str = "") -> bool:
    return any(one.kind == "entity" and one.form == "noun" and (not of or one.name == of) for one in token.senses)


def list_values(query: MetricQuery, *, field: str) -> list[Value]:
    """List the values that a query restricts a dimension to."""
    found: list[Value] = []
    for part in split_conditions(query.where):
        inner = part.where if isinstance(part, InPeriod) else part
        if isinstance(inner, Comparison) and inner.field == field and inner.op in (Operator.EQ, Operator.IN):
            found += inner.values
    return found


def find_sprint_before(question: str, *, context: MetricQuery, index: NameIndex) -> SprintReference | None:
    """Return where a question says "the sprint" after one that names sprints of which any does not run."""
    running = {name.value for name in index.sprints if name.state == "active"}
    keys = {one.key for one in list_values(context, field="sprint") if isinstance(one, Reference)}
    found = find_sprint_references(normalise(question)) if keys - running else []
    return next((one for one in found if one.said.lower() == "the sprint"), None)


def find_team_before(question: str, *, context: MetricQuery) -> tuple[str, str]:
    """Return the words for an unnamed team, and the only team of the question before. Empty if there is none."""
    found = _THE_TEAM.search(question)
    teams = _list_labels(context, fields=("team",))
    return (found[0], teams[0]) if found and len(teams) == 1 else ("", "")


def is_selection(query: MetricQuery) -> bool:
    """Return whether its rows are some that only its answer names: the oldest bugs, the team with the most."""
    return bool(query.rank or query.limit or query.having or query.compare or query.share)


def name_issue(text: str, *, tokens: Sequence[Token], context: MetricQuery) -> tuple[str, str]:
    """Return the one issue of the question before, and the text with it in place of "it". Empty if there is none."""
    keys = [str(value) for value in list_values(context, field="issue")]
    said = [token for token in find_pronouns(tokens) if _get_word(token) in SINGULAR]
    if len(keys) != 1:
        return "", ""
    if not said:
        is_other = any(str(token.kind) in _NAMES or token.key or token.reference for token in tokens)
        named = "" if is_other else _DID_IT.sub(f"did {keys[0]}", text)
        return (keys[0], named) if named not in ("", text) else ("", "")
    named = _put_in(keys[0], text=text, places=said)
    content = [token for token in tokens if "and" not in token.marks]
    if content[:1] != said[:1] or _get_word(said[0]) != "its":
        return keys[0], named
    verb = "are" if content[-1].said.lower().endswith("s") else "is"
    return keys[0], f"what {verb} {named[said[0].start :]}"  # its | epic


def _put_in(name: str, *, text: str, places: Sequence[Token]) -> str:
    """Return the text with a name in place of pronouns."""
    for token in reversed(places):
        owns = "'s" * (token.said.lower().replace("\u2019", "'").endswith("'s") or _get_word(token) in _POSSESSIVE)
        text = text[: token.start] + name + owns + text[token.end :]
    return text


def tells_of_issue(query: MetricQuery, *, key: str, text: str, model: SemanticModel) -> bool:
    """
    Return whether a query is about one issue: its properties, or what belongs to it.

    Other conditions on the issue itself were meant of what belongs to it: is its epic | done. So are a property of
    that (its team's velocity), its issues, and a share of them: its progress.
    """
    parts = split_conditions(query.where)
    is_own = any(isinstance(part, Comparison) and part.field == "issue" for part in parts)
    is_whole = any(model.measures[name].ratio for name in query.measures)
    is_itself = query.rows_of == "issue" and not query.columns and bool(_OWNED.search(text))
    is_named = f'"{key}"' in query.model_dump_json()
    is_other = is_own and (len(parts) > 1 or is_whole or is_itself)
    return is_named and not (is_other or _OF_OWNER.search(text))


def name_person(text: str, *, tokens: Sequence[Token], context: MetricQuery) -> str:
    """Return the text with the one person of the question before behind "by" or "to". Empty if it has none."""
    people = _list_labels(context, fields=("assignee", "reporter", "person"))
    said = [
        token for lead, token in pairwise(tokens)
        if _get_word(token) in ("her", "him") and lead.said.lower().split()[-1] in ("by", "to")
    ]  # fmt: skip
    is_one = len(people) == 1 and bool(said) and said == find_pronouns(tokens)
    return _put_in(people[0], text=text, places=said) if is_one else ""


def name_subject(text: str, *, tokens: Sequence[Token], context: MetricQuery) -> str:
    """Return the text with the one person of the question before in place of he or she. Empty if it has none."""
    people = _list_labels(context, fields=("assignee", "reporter", "person"))
    said = find_pronouns(tokens)
    is_one = len(people) == 1 and bool(said) and all(_get_word(one) in ("he", "she") for one in said)
    return _put_in(people[0], text=text, places=said) if is_one else ""


def name_owner(text: str, *, tokens: Sequence[Token], context: MetricQuery) -> tuple[str, str]:
    """
    Return the key of the owner that is all that limits the question before, and the text with its name.

    Empty if more limits it, so that the question with the name alone would drop that.
    """
    parts = split_conditions(context.where)
    said = find_pronouns(tokens)
    values = [value for field in _OWNERS for value in list_values(context, field=field)]
    is_all = len(parts) == 1 and len(values) == 1 and not (is_selection(context) or context.group_by)
    is_all = is_all and (context.rows_of is None or all(_get_word(one) in OWNING for one in said))
    if not is_all or not said or not isinstance(values[0], Reference):
        return "", ""
    return values[0].key, _put_in(values[0].label, text=text, places=said)


def has_owner(query: MetricQuery, *, word: str) -> bool:
    """Return whether a query names who or what a pronoun may stand for, one for "it" and "she"."""
    people = _list_labels(query, fields=("assignee", "reporter", "person"))
    teams, sprints, epics = (_list_labels(query, fields=(field,)) for field in ("team", "sprint", "epic"))
    if word in PERSONAL:
        return len(people) == 1
    if word in SINGULAR:
        return bool(teams or sprints or epics) and max(map(len, (teams, sprints, epics))) == 1
    return bool(people or teams)


def _list_labels(query: MetricQuery, *, fields: Sequence[str]) -> list[str]:
    values = [value for field in fields for value in list_values(query, field=field)]
    return list(dict.fromkeys(value.label for value in values if isinstance(value, Reference)))


def describe_rows(query: MetricQuery, *, index: NameIndex) -> str:
    """Return the words for the listed issues of one sprint that is over. Empty if they are other ones."""
    keys = {value.key for value in list_values(query, field="sprint") if isinstance(value, Reference)}
    sprints = [name for name in index.sprints if name.value in keys]
    teams = {value.key for value in list_values(query, field="team") if isinstance(value, Reference)}
    types = [str(value) for value in list_values(query, field="issue_type")]
    told = [one for one in ("sprint", "team", "issue_type") if list_values(query, field=one)]
    is_list = query.rows_of == "issue" and not is_selection(query)
    if not is_list or len(sprints) != 1 or sprints[0].state != "closed" or len(types) > 1:
        return ""
    is_all = len(told) == len(split_conditions(query.where)) and teams <= {str(sprints[0].team_id)}
    is_member = '"role":"' not in query.model_dump_json()
    plural = "stories" if types == ["Story"] else f"{types[0].lower()}s" if types else "issues"
    return f"{plural} in {sprints[0].text}" if is_all and is_member else ""
