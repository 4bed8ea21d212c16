"""A follow-up question as it is said: its words and phrases, and which kind of change they call for."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import regex

from sprints.linking.folding import normalise, words
from sprints.linking.link import MAX_QUESTION, LinkedQuestion, link
from sprints.linking.names import NameIndex
from sprints.linking.sprint_choice import write_assumption
from sprints.semantics.describe import split_conditions
from sprints.semantics.lookup import get_entity
from sprints.semantics.query import (
    Comparison,
    Condition,
    DimensionGroup,
    InPeriod,
    MetricQuery,
    NamedCondition,
    Reference,
    TimeRange,
)
from sprints.semantics.questions.actors import tells_of_reporters
from sprints.semantics.questions.context_changes import ALSO, AT_PRESENT
from sprints.semantics.questions.grammar import ANAPHOR, Parse, keep_assumptions, parse_question
from sprints.semantics.questions.inherited_scope import (
    drop_groups,
    is_elliptic,
    is_noun,
    is_unit,
    list_scope,
    says_all,
)
from sprints.semantics.questions.lexicon import Lexicon
from sprints.semantics.questions.merging import ChangeMode, excludes, get_subject, is_state
from sprints.semantics.questions.phrase import Phrase, phrase_at
from sprints.semantics.questions.phrases import read_phrases
from sprints.semantics.questions.references import is_selection, list_values
from sprints.semantics.questions.signs import spell_signs
from sprints.semantics.questions.spelling import correct_words, say_corrections
from sprints.semantics.questions.tense import find_verb
from sprints.semantics.questions.tokens import MAX_TOKENS, Token, cut, find_unread_sign, put_teams_behind
from sprints.semantics.questions.unreadable import find_dangling, find_recipient

JOINING = frozenset({"follow", "and"})
_STANDS_FOR = regex.compile(
    r"(?<=^how (?:many|much) \w+(?: \w+)?) (?:(?:is|are|was|were) (?:that|those|these|they|it)"
    r"|(?<=points |hours )do (?:they|those|these) have)(?: in total| in all| altogether)?(?=\W*$)"
    r"|(?<=^(?:and )?(?:which|what)) (?:are|were) (?:they|those|these)(?=\W*$)",
    regex.IGNORECASE,
)
"""What stands for the rows of the question before: how many points | is that; which | are they."""
_SAME_OF = regex.compile(r"^(?:and )?what (?:is|was|are|were) (?:it|that|they) (?=for )", regex.IGNORECASE)
"""What stands for the number of the question before: | what is it | for stories."""
_CORRECTION = regex.compile(r"^(?:no|nope|sorry|wait), +(?:i meant? +)?(.*?)[ .?!]*$", regex.IGNORECASE)
_AGAINST = regex.compile(
    r"^(?:and |but )?"
    r"(?:(?:how (?:does|do|did|is) )?(?:that |this |it |they )?(?:versus|vs\.?|compared? (?:with|to|against))"
    r"|(?:is|was|are|were) (?:that|this|it|they|those) (?:more|less|fewer|higher|lower|better|worse) than) ",
    regex.IGNORECASE,
)
"""What sets another number beside that of the question before: | versus | ORBIT; | is that more than | Priya."""
_PREVIOUS = regex.compile(r"\b(?:previous|prior|preceding) one\b", regex.IGNORECASE)
_NOT_BUT = regex.compile(
    r"^not ([^,]+?), +(?!(?:and|or|but|nor|not|for|in|of|by)\b)((?:(?! or | and )[^,])+?)[ .?!]*$", regex.IGNORECASE
)
"""Of two things that a comma parts, the second takes the place of the first: | not bugs, stories."""
_ADDING = frozenset({"also", "plus", "along with", "together with", "as well as", "include", "including"})
_ARTICLES = frozenset({"a", "an", "the", "all", "any", "some"})
_RELATING = frozenset({"with", "in", "have", "has", "having"})
_LAST = regex.compile(r"(?<=^(?:and |only |just )?(?:the )?last \d+)(?=\W*$)", regex.IGNORECASE)
_DIVIDING = ("break ", "split ", "divide ")
LIMITING = frozenset({"only", "except", "without", "not"})
LEADS = LIMITING | JOINING
HEADS = frozenset({"what", "which", "who", "how_many", "how_much", "when", "share", "compare"})


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUp:
    """A follow-up question, read word by word, and the query that it follows."""

    question: str
    context: MetricQuery
    linked: LinkedQuestion
    tokens: Sequence[Token]
    phrases: Sequence[Phrase]
    corrected: tuple[str, ...]
    is_compared: bool
    index: NameIndex
    today: date
    lexicon: Lexicon

    def parse_whole(self, text: str) -> Parse:
        """Parse a text as a question of its own."""
        return parse_question(text, index=self.index, today=self.today, lexicon=self.lexicon)

    def make_parse(self, query: MetricQuery | None, *, why: str = "", assumed: Sequence[str] = ()) -> Parse:
        """Return a query, or why there is none. No other reading of the question is taken instead."""
        return Parse(linked=self.linked, query=query, why="" if query else why, phrases=tuple(self.phrases),
                     assumptions=(*self.corrected, *assumed), is_final=query is None)  # fmt: skip

    def list_assumptions(self, *, instead: Sequence[str]) -> tuple[str, ...]:
        """Return the assumptions about its names and times, with those that the change of the query made instead."""
        told = [
            write_assumption(one.reference, chosen=one.sprints) for one in self.tokens if one.reference and one.sprints
        ]
        return (*keep_assumptions(self.linked, instead=(*instead, *told)), *told, *instead)

    def find_verb(self) -> str:
        """Return its auxiliary: which of them | are | blocked. Empty if it has none."""
        return find_verb(self.phrases, place=len(self.phrases) - 1)

    def ask_about(self, anaphor: str) -> Parse:
        """Ask what a word refers to."""
        return Parse(linked=self.linked, why=ANAPHOR.format(said=anaphor), anaphor=anaphor, phrases=tuple(self.phrases))


def read_follow_up(
    question: str, *, context: MetricQuery, index: NameIndex, today: date, lexicon: Lexicon
) -> FollowUp | None:
    """Read the words of a question. None if they are not all known, or are unclear."""
    question = _CORRECTION.sub(r"\1 instead", _SAME_OF.sub("and ", _STANDS_FOR.sub("", question)))
    question = _PREVIOUS.sub("one before", question)
    question = _NOT_BUT.sub(r"\2 instead of \1", question)
    is_compared = bool(context.measures) and _AGAINST.match(question) is not None
    question = _AGAINST.sub(f"{ALSO} ", question) if is_compared else question
    if context.measures and lexicon.model.measures[context.measures[0]].entity == "sprint":
        question = _LAST.sub(" sprints", question)  # velocity of ACCEL, | the last 3
    text = spell_signs(normalise(question)[:MAX_QUESTION], index=index)
    text, corrected = correct_words(text, found=words(text), lexicon=lexicon, index=index)
    teams = frozenset(one.key for one in list_values(context, field="team") if isinstance(one, Reference))
    linked, tokens = _link_tokens(text, index=index, today=today, lexicon=lexicon, teams=teams, namesakes=teams)
    if teams and tells_of_reporters(read_phrases([one for one in tokens if one.is_known])):
        linked, tokens = _link_tokens(text, index=index, today=today, lexicon=lexicon, teams=teams)
    if not tokens or len(tokens) > MAX_TOKENS or not all(token.is_known for token in tokens):
        return None
    if linked.unclear or find_unread_sign(linked) or find_dangling(tokens) or find_recipient(tokens):
        return None
    return FollowUp(
        question=question, context=context, linked=linked, tokens=tokens, phrases=read_phrases(tokens),
        corrected=say_corrections(corrected), is_compared=is_compared, index=index, today=today, lexicon=lexicon,
    )  # fmt: skip


def _link_tokens(
    text: str, *, index: NameIndex, today: date, lexicon: Lexicon, teams: frozenset[str],
    namesakes: frozenset[str] = frozenset(),
) -> tuple[LinkedQuestion, list[Token]]:  # fmt: skip
    """Link and cut a text. Of people with one name those of the teams of `namesakes` are meant."""
    linked = link(text, index=index, today=today, reserved=lexicon.reserved_phrases, teams=namesakes)
    if (moved := put_teams_behind(linked)) != linked.text:
        linked = link(moved, index=index, today=today, reserved=lexicon.reserved_phrases, teams=namesakes)
    return linked, cut(linked, lexicon=lexicon, index=index, teams=teams)


def asks_for_list(tokens: Sequence[Token]) -> bool:
    """Return whether it begins with a request for rows: list, please show."""
    first = next((one for one in tokens if not one.is_polite), tokens[0])
    return any(sense.name == "asking" for sense in first.senses)


def is_follow_up(leading: set[str], *, phrases: Sequence[Phrase], tokens: Sequence[Token]) -> bool:
    """Return whether the question is a follow-up: it begins as one, or is incomplete."""
    if leading & LEADS or is_elliptic(phrases):
        return True
    if tokens[0].is_preposition and not any(token.marks & HEADS for token in tokens):
        return True  # in the current sprint
    asks = any(phrase.marks & HEADS and phrase.kind == "mark" for phrase in phrases)
    names = any(phrase.kind == "term" and phrase.has("measure", "entity", form="noun") for phrase in phrases)
    return bool(phrases) and not asks and (not names or is_unit(phrases))


def asks_for_rows(phrases: Sequence[Phrase], *, tokens: Sequence[Token]) -> bool:
    """Return whether only the rows are requested: "which ones?", "list them"."""
    is_asking = any(sense.name == "asking" for token in tokens for sense in token.senses)
    return (bool(phrases) or is_asking) and all(
        phrase.kind == "mark" and phrase.marks <= {"which", "what", "be", "who"} for phrase in phrases
    )


def ranks_rows(phrases: Sequence[Phrase]) -> bool:
    """Return whether the rows of the question before are ranked: "the oldest?", "which is the largest one?"."""
    ranks = [one for one in phrases if one.kind == "rank" and one.has("dimension")]
    return bool(ranks) and all(one in ranks or one.kind == "mark" for one in phrases)


def adds_rows(tokens: Sequence[Token]) -> bool:
    """Return whether other rows are added to those before: also stories, and stories as well."""
    said = [token.said.lower() for token in tokens]
    return bool(_ADDING & {*said[:2]}) or said[-2:] == ["as", "well"]


def tells_of_present(asked: FollowUp) -> bool:
    """Return whether it says what rows of a time or a sprint are now: blocked last week, | still blocked."""
    is_past = any(isinstance(one, TimeRange | InPeriod) for one in split_conditions(asked.context.where))
    is_past |= bool(list_values(asked.context, field="sprint"))
    is_of_other = any(one.period or one.reference or one.names for one in asked.tokens)
    return is_past and not is_of_other and any(one.said.lower() in AT_PRESENT for one in asked.tokens)


def restates_count(asked: FollowUp) -> bool:
    """Return whether what is counted is said again in another state alone: open issues by team, | done issues."""
    context, model = asked.context, asked.lexicon.model
    counted = {*context.measures, *(model.measures[one].entity for one in context.measures)}
    nouns = [one for one in asked.phrases if is_noun(one)]
    is_same = len(nouns) == 1 and any(one.name in counted for one in nouns[0].senses)
    return bool(context.measures) and is_same and all(one.kind == "term" for one in asked.phrases)


def loses_time(asked: FollowUp, *, query: MetricQuery) -> bool:
    """Return whether the same is asked of others without the time or the sprint before: finished by Sophia."""
    context, model = asked.context, asked.lexicon.model
    if bool(query.measures) != bool(context.measures) or query.group_by != context.group_by or query.where is None:
        return False
    named = [{get_subject(part, model=model) for part in split_conditions(one.where)} for one in (query, context)]
    parts = split_conditions(context.where)
    states = {one.predicate for one in parts if isinstance(one, NamedCondition)}
    states |= {name for one in context.measures for name in model.measures[one].where}
    said = {sense.name for token in asked.tokens for sense in token.senses}
    is_same = bool(states & said) or (query.measures == context.measures != ())
    return is_same and not named[0] & {"time", "sprint"} and bool(named[1] & {"time", "sprint"})


def says_less(asked: FollowUp, *, query: MetricQuery, is_joined: bool) -> bool:
    """
    Return whether it does not say what is counted: who closed the most; or the rows alone: which teams.

    Or it is joined and drops whose it is: "and how many bugs?" after the velocity of a team.
    """
    phrases = asked.phrases
    if is_elliptic(phrases) or all(one.kind in ("mark", "rank") for one in phrases):
        return True
    counted = {sense.name for one in phrases for sense in one.senses if sense.form == "noun"}
    is_less = bool(query.measures) and not counted & {*query.measures, "issue", "points", "hours"}
    is_less = is_less and not any(one.name_kind == "type" for one in phrases)
    if is_joined:
        asks = bool(query.measures) or any(one.marks & HEADS for one in phrases)
        is_less = is_less or not asks or (query.where is None and not query.group_by)
    is_order = "rank" in phrases[0].marks and not query.group_by  # of the rows before
    return is_less or is_order or _names_rows_alone(asked, query=query)


def _names_rows_alone(asked: FollowUp, *, query: MetricQuery) -> bool:
    """Return whether only a noun of rows is said, so that all of them are listed: which teams; stories."""
    phrases = asked.phrases
    is_of_kind = isinstance(query.where, Comparison) and query.where.field == "issue_type"
    if query.rows_of is None or not (query.where is None or is_of_kind) or asks_for_list(asked.tokens):
        return False
    if sum(one.kind != "mark" for one in phrases) != 1 or any("be" in one.marks for one in phrases):
        return False  # which teams | are there
    return len(phrases) > 1 or phrases[0].is_plural or phrases[0].name_kind == "type"


def list_lost(asked: FollowUp, *, query: MetricQuery) -> list[Condition]:
    """
    Return the conditions of the query before that a whole question loses, if it names no rows. Empty if it names some.

    It measures them (open bugs, | average age), or says whose they are (open bugs, | what belongs to ORBIT).
    """
    context, model, said = asked.context, asked.lexicon.model, split_conditions(query.where)
    names_rows = any(one.is_of_issues or one.name_kind == "type" for one in asked.phrases)
    if names_rows or get_entity(query, model=model) != get_entity(context, model=model) or says_all(asked.tokens):
        return []
    names_nothing = not any(is_noun(one) for one in asked.phrases)
    is_clause = names_nothing and not query.measures and not any(is_state(part, model=model) for part in said)
    is_measure = bool(query.measures) and not list_scope(drop_groups(query), model=model)
    if not (is_clause or is_measure):
        return []
    kept = {get_subject(part, model=model) for part in said}
    kept |= {one.dimension for one in query.group_by if isinstance(one, DimensionGroup)}
    lost = [part for part in split_conditions(context.where) if get_subject(part, model=model) not in kept]
    return [] if any(excludes(one, other=other, model=model) for one in lost for other in said) else lost


def relates_type(asked: FollowUp) -> bool:
    """Return whether a type is what rows have or belong to: with | an epic; of the epic | Works offline."""
    is_of_epic = bool(list_values(asked.context, field="epic"))
    for place, phrase in enumerate(asked.phrases):
        if phrase.name_kind != "type":
            continue
        before = [one.said.lower().split() for one in asked.tokens if one.end <= phrase.start]
        lead = next((one[0] for one in reversed(before) if one[-1] not in _ARTICLES or one[0] == "in"), "")
        following = phrase_at(asked.phrases, place=place + 1)
        is_named = following.kind == "key" or following.name_kind in ("epic", "title")
        is_kind = is_of_epic and any(sense.name == "epic" for sense in phrase.senses)
        if lead in _RELATING or is_named or is_kind:
            return True
    return False


def is_of_other_rows(asked: FollowUp, *, leading: set[str]) -> bool:
    """
    Return whether it cannot be said of the rows before: of one issue, | bugs; the five oldest, | which are blocked.

    Neither can a type that rows have or belong to: open bugs, | with an epic.
    """
    phrases = asked.phrases
    is_clause = any("what" in one.marks for one in phrases) and any(one.has("predicate") for one in phrases)
    names_rows = is_clause or any(is_noun(one) for one in phrases)
    is_of_one = bool(list_values(asked.context, field="issue")) and names_rows
    is_chosen = "which" in leading and is_selection(asked.context) and bool(asked.context.rows_of)
    return is_of_one or is_chosen or _asks_of_ranked(asked) or relates_type(asked)


def _asks_of_ranked(asked: FollowUp) -> bool:
    """Return whether rows or a number of what came first are asked for: who has the most, | how many are overdue."""
    is_ranked = asked.context.rank is not None and bool(asked.context.group_by)
    asks = any(one.marks & {"how_many", "how_much", "which"} for one in asked.tokens)
    return is_ranked and asks and not any(one.kind in ("rank", "group") for one in asked.phrases)


def read_mode(asked: FollowUp, *, leading: set[str]) -> ChangeMode:
    """Return how it changes the query."""
    tokens, phrases = asked.tokens, asked.phrases
    is_more, is_about = adds_rows(tokens), any("follow" in token.marks for token in tokens)
    names_replaced, is_of_groups = (
        any("swap" in one.marks for one in tokens),
        all(one.kind == "group" for one in phrases),
    )
    is_which = "which" in tokens[1].marks and "be" in tokens[2].marks if tokens[2:] else False  # and | which | are late
    is_limited = (is_which or bool(leading & (LIMITING | {"which"}))) and not names_replaced
    return ChangeMode(
        is_part=tells_of_present(asked),
        is_swap=any(one.said.lower() == "instead" for one in tokens) or (names_replaced and is_of_groups),
        names_replaced=names_replaced and not is_of_groups,
        is_more=is_more,
        is_compared=asked.is_compared,
        is_joined=bool(leading & JOINING),
        is_and=is_more or ("and" in leading and not is_about) or tokens[0].said.lower().startswith(_DIVIDING),
        is_filter=is_limited or any(one.is_any for one in phrases),
        verb=asked.find_verb(),
    )
