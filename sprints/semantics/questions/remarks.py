"""
Remarks that restrict a question only if the data mentions what they are of: I'm writing the monthly note.

Read where nothing else reads the question. A noun that is the object or the place of what people do is presumed to
restrict nothing; the caller must look whether a row mentions it. What may restrict it whatever the data
says is not presumed: values, the subject of a statement, a topic ("about the note"), what the asker owns or works on.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from sprints.semantics.questions.clauses import (
    ABSTRACT,
    BEING,
    NONE,
    PLURAL,
    SAYS_NOTHING,
    SINGULAR,
    SPEAKERS,
    Item,
    State,
    get_item,
    is_about_speaker,
    is_repeated,
    is_talk,
    list_meanings,
    set_aside,
)
from sprints.semantics.questions.lexicon import ASKING, Lexicon
from sprints.semantics.questions.tokens import YES_OR_NO, Token

_PEOPLE = SPEAKERS | {
    "they", "theyre", "he", "hes", "she", "shes", "him", "her", "somebody", "someone", "everybody", "everyone",
    "nobody", "people",
}  # fmt: skip
_TOPICS = frozenset({
    "about", "for", "on", "after", "regarding", "concerning", "re", "wrt", "under", "during", "before", "since",
    "until", "till", "throughout", "within", "without", "as",
})  # fmt: skip
_ADDRESSING = frozenset({"told", "asked", "tell", "ask", "promised", "promise"})
_WIDE = frozenset({"entity", "measure", "dimension", "grain", "unit"})
_HARMLESS = SAYS_NOTHING | {"follow", "after", "since", "degree", "anyone_who", "move"}
_HEADS = ASKING | {"how_long", "how_often", "when", "what", "who", "whose", "which"}
_LINKS = frozenset({"and", "but", "so", "or", "also", "then"})
_NEW = frozenset({"a", "an", "some", "another", "my", "your", "his", "her"})
_DEFINITE = frozenset({"the", "our", "their", "this", "that", "these", "those", "any"})
_PARTICLES = frozenset({"up", "out", "off", "down", "away", "along", "loud"})
_CONDITIONS = frozenset({"while", "when", "if", "unless", "in", "on", "at"})
_ROWS = frozenset({"those", "these", "ones"})
_NEARING = frozenset({"coming", "approaching", "around", "looming", "ahead"})
MAX_HOUR = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Presumption:
    """A question without its talk, which restricts nothing if no row of the data mentions the words."""

    text: str
    aside: tuple[str, ...]
    words: tuple[str, ...]


def presume(text: str, *, tokens: Sequence[Token], lexicon: Lexicon) -> Presumption | None:
    """Return a question without its talk, and the nouns of that which no row may mention. None if it has no talk."""
    presumed: list[str] = []

    def judge(items: Sequence[Item], *, core: Sequence[Item]) -> bool:
        if not items or is_talk(items, core=core):
            return bool(items)
        remark = _Remark(items=items, core=core)
        is_harmless = remark.restricts_nothing()
        presumed.extend(remark.presumed if is_harmless else ())
        return is_harmless

    rest, aside = set_aside(text, tokens=tokens, lexicon=lexicon, judge=judge)
    return Presumption(text=rest, aside=aside, words=tuple(dict.fromkeys(presumed))) if aside else None


@dataclass(slots=True, kw_only=True)
class _Remark:
    """A statement beside the words that ask, read word by word."""

    items: Sequence[Item]
    core: Sequence[Item]
    presumed: list[str] = field(default_factory=list)
    subject: str = ""
    """Who or what is told of, as far as it is read."""
    is_person: bool = False
    is_verb_next: bool = False
    is_copula: bool = False
    """Whether the verb only says what somebody is or thinks, so that a noun behind it is no object."""
    preposition: str = ""
    is_place: bool = False
    """Whether the preposition leads to a place or an occasion, not to a topic or a role."""
    article: str = ""
    is_claim: bool = False
    has_duty: bool = False

    def restricts_nothing(self) -> bool:
        """Return whether each word restricts nothing, if no row mentions those that are presumed."""
        first = self.items[0].folded
        is_scope = any(one.is_of("scopes") or one.folded in _ROWS for one in self.items)
        is_told = first in ("out", "with", "all") or any(
            one.is_of("nouns", "speech", "thanks", "reports") or one.folded in _PEOPLE | BEING for one in self.items
        )
        if first in _CONDITIONS or self._asks() or is_scope or not is_told:
            return False
        is_near = first == "with" and any(one.folded in _NEARING for one in self.items)
        if is_near or [one.folded for one in self.items[:2]] == ["out", "of"]:
            self.subject, self.is_person = first, True
        return all(self._read(place) for place in range(len(self.items)))

    def _asks(self) -> bool:
        """Return whether it is a question of its own: and who has them, since when."""
        at = next((at for at, one in enumerate(self.items) if one.folded not in _LINKS), 0)
        one, following = self.items[at], get_item(self.items, place=at + 1)
        is_head = bool(one.token.marks & _HEADS) or one.folded in ("why", "where", "how")
        is_verb = one.token.said.lower() in YES_OR_NO and following.folded != "you"
        return (is_head or is_verb) and following.folded not in SINGULAR

    def _read(self, place: int) -> bool:
        """Read a word. False if it may restrict what is asked."""
        one, following = self.items[place], get_item(self.items, place=place + 1)
        if one.has_value:
            return self._read_value(place, following=following)
        if one.is_of("duties") and not (one.folded == "own" and self.article):
            self.has_duty |= self.is_person or self.article not in ("", "the")
        if one.state is not None:
            self._read_closed(place, following=following)
            return True
        if one.is_frame or one.is_of("speech", "thanks", "reports"):
            return self._read_frame(one, following=following)
        if one.is_term:
            return self._read_term(place, following=following)
        if one.token.is_known:
            is_idiom = (one.folded, following.folded) in (("which", "i"), ("rest", "of"))
            return not one.token.marks - _HARMLESS or is_idiom or (one.folded == "most" and _is_open(following))
        is_name = bool(place) and one.token.said.lower() != one.token.said
        return not is_name and self._read_open_word(place, following=following)

    def _read_value(self, place: int, *, following: Item) -> bool:
        """Read a name, a time or a number, which the question must say too, unless it is that of an occasion."""
        one = self.items[place]
        if one.token.kind == "person" and not self.preposition:
            self._begin(one.folded, is_person=True)
        else:
            self._end_noun()
        is_same = is_repeated(self.items, place=place, following=following, core=self.core)
        is_same = is_same or self._is_told_of(place)
        is_count = one.token.number is not None and following.is_of("nouns")
        return is_same or is_count or self._is_occasion(place) or self._is_of_person(one)

    def _read_closed(self, place: int, *, following: Item) -> None:
        """Read a word of a closed class, from which follows what stands behind it."""
        one = self.items[place]
        if one.folded in ("and", "or"):
            self._end_phrase()
        elif one.state in ("new", "definite") and one.folded != "that":
            self.article, self.is_verb_next = one.folded, False
        elif one.state == "start" or one.folded in ("that", "what", "who"):
            self._begin("", is_person=False)
            self.article = one.folded if one.folded == "that" else ""
        elif one.folded in ("me", "us", "you", "him", "her", "it") and self.subject:
            self.is_person, self.is_verb_next = self.is_person or one.folded in ("me", "us"), False
            self._end_phrase()
        elif one.state == "subject" or one.folded in _PEOPLE:
            self._begin(one.folded, is_person=one.folded in _PEOPLE)
            self.is_copula = one.folded in BEING
        elif one.state == "verb":
            self._end_phrase()
            self.subject = self.subject or (one.folded if one.folded in BEING else "")  # it's, that's
            self.is_verb_next, self.is_copula = bool(self.subject), one.folded in BEING
        elif one.state == "preposition" and one.folded != "of":
            before = get_item(self.items, place=place - 1)
            is_act = before.folded.endswith(("ing", "ed")) and self.subject in SINGULAR
            is_act = is_act and one.folded == "on" and following.state == "definite"  # scribbling on the whiteboard
            is_role = self.is_verb_next and (self.is_copula or following.state is None)  # someone in translation
            is_role = is_role or (before.is_of("nouns", "reports") and before.folded != "back")
            self.is_place = self.is_person and not is_role and (one.folded not in _TOPICS or is_act)
            self.preposition, self.article, self.is_verb_next = one.folded, "", False

    def _read_frame(self, one: Item, *, following: Item) -> bool:
        if one.is_of("speech"):
            self._end_phrase()
            self.is_verb_next, self.is_copula = False, one.folded not in _ADDRESSING
        elif one.is_of("nouns", "reports"):
            if self.article in _DEFINITE and _is_open(following) and not following.folded.endswith(("ing", "s")):
                return False  # the report generator
            if self.subject or self.preposition:
                self._end_noun()
            else:
                self._begin(one.folded, is_person=one.is_of("nouns"))
        return True

    def _read_term(self, place: int, *, following: Item) -> bool:
        """Read a word of the model: one that the question says too, or of a kind that restricts no rows."""
        one = self.items[place]
        is_asked = any(other.has("entity", "measure") or other.token.kind == "type" for other in self.core)
        is_all = get_item(self.items, place=place - 1).folded == "all"  # all teams
        kinds = _WIDE - {"entity"} if self.is_copula else _WIDE
        is_wide = all(sense.kind in kinds and sense.form != "verb" for sense in one.token.senses)
        is_wide = is_wide and (is_asked or is_all)
        state: State = "verb" if self.is_verb_next else "new" if self.article in _NEW else "object"
        is_own = (state == "new" and one.folded == "own") or bool(_NEARING & {*one.token.said.lower().split()})
        is_act = self.is_verb_next and not self.is_copula and any(sense.form == "verb" for sense in one.token.senses)
        is_own = is_own or (is_act and (self.subject in _PEOPLE or self.is_claim))
        if is_wide and not (self.subject or self.preposition) and self.article == "that":
            self._begin(one.folded, is_person=False)  # I heard that | things
            self.is_claim = True
            return True
        is_harmless = (
            is_own or is_wide or self._is_of_person()
            or is_repeated(self.items, place=place, following=following, core=self.core)
            or is_about_speaker(self.items, place=place, state=state, following=following)
        )  # fmt: skip
        if self.article and not (is_own or _is_open(following)):
            self._end_noun()
        self.is_verb_next = False
        return is_harmless

    def _read_open_word(self, place: int, *, following: Item) -> bool:
        """Read an unknown word: a verb, an adverb, or a noun that is presumed to restrict nothing."""
        one, before = self.items[place], get_item(self.items, place=place - 1)
        is_noun = bool(PLURAL.search(one.folded) or ABSTRACT.search(one.folded))
        is_bare_noun = is_noun and (self.is_copula or self.subject in SPEAKERS | {"they"})
        if self.subject == "out":
            self.presumed.append(one.token.said)
            return not one.is_near_term
        if one.is_of("departments") or (self.has_duty and not (one.is_plain and self.is_verb_next)):
            return False
        if self.is_verb_next and not is_bare_noun:
            self.is_verb_next = False
            self.is_copula = self.is_copula and not one.folded.endswith(("ing", "ed"))
            return not one.is_near_term or self.subject in SPEAKERS
        if one.is_plain and (following.is_frame or (self.article and following.is_plain and _is_open(following))):
            return True  # a long discussion
        if one.folded in _PARTICLES or (one.is_plain and following.folded == "of"):
            return True  # zoned out, for the rest of
        if not (self.subject or self.preposition or self.items[0].is_of("thanks")):
            return self._read_first_word(one, following=following)
        if (
            one.is_near_term
            or (following.is_of("nouns") and not one.is_plain)
            or not self._may_presume(one, before=before, following=following)
        ):
            return False
        if self.article or not one.folded.endswith("ed"):
            self.presumed.append(one.token.said)
        if not _is_open(following):
            self._end_noun()
        return True

    def _read_first_word(self, one: Item, *, following: Item) -> bool:
        """Read an unknown word without a subject before it: typing this on my phone, an investor called."""
        if self.article in _NEW:
            if not _is_open(following) or following.folded.endswith("ed"):
                self._begin(one.folded, is_person=False)
            self.presumed.append(one.token.said)
            return not one.is_near_term
        is_act = one.folded.endswith("ing") and not self.article and not one.is_of("duties")
        self._begin("i", is_person=True)
        self.is_verb_next = False
        is_act = is_act and any(other.folded in SINGULAR for other in self.items)
        return is_act or (one.is_plain and following.folded in SINGULAR)  # somehow I lost it

    def _may_presume(self, one: Item, *, before: Item, following: Item) -> bool:
        """Return whether an unknown noun is the object or the place of what people do."""
        is_plural = bool(PLURAL.search(one.folded)) and not ABSTRACT.search(one.folded)
        is_bare = is_plural or one.is_plain or before.state is None or _is_open(following)
        is_bare = is_bare or any(other.folded == "back" for other in self.items)  # back from parental leave
        if self.subject == "with" or self.items[0].is_of("thanks") or (self.article in ("my", "your") and self.subject):
            return True
        if self.preposition:
            is_own = any(other.folded == "own" for other in self.items)
            return is_own or (self.is_place and bool(self.article or is_bare))
        if self.is_copula or not self.is_person:
            return one.is_plain and not self.article and self.is_person
        is_free = is_bare and not (before.is_of("speech") or before.folded in _ADDRESSING)
        is_object = bool(self.article) or is_free
        return (self.subject in SINGULAR or (self.subject == "we" and self.article not in _DEFINITE)) and is_object

    def _begin(self, subject: str, *, is_person: bool) -> None:
        self.subject, self.is_person, self.is_verb_next, self.is_copula = subject, is_person, bool(subject), False
        self._end_phrase()

    def _end_phrase(self) -> None:
        self.preposition = self.article = ""

    def _end_noun(self) -> None:
        self.article, self.is_verb_next = "", bool(self.preposition) and self.is_verb_next

    def _is_occasion(self, place: int) -> bool:
        """Return whether a time is that of something people do: at three, away for two weeks, I joined on Monday."""
        one, before = self.items[place], get_item(self.items, place=place - 1)
        is_now = not any(
            other.folded in ("did", "was", "were", "had", "got") or (other.has("time") and other.folded.endswith("ed"))
            for other in self.core
        )
        if one.token.period is not None:
            is_own = any(other.folded in SINGULAR for other in self.items) or self._is_of_person()
            is_day = one.token.period.unit == "day" and (is_own or self.items[0].is_of("thanks"))
            is_adverbial = before.state != "preposition" or before.folded in ("on", "from")
            is_adverbial = is_adverbial or self.items[0].is_of("thanks")
            is_adverbial = is_adverbial and not one.token.said.lower().startswith(("until", "till", "since"))
            return is_now and is_adverbial and (is_day or self._is_of_person())
        if one.token.days is not None:
            is_length = before.folded in ("for", "from") or before.token is one.token
            return is_length and is_now and (self.is_person or self._is_of_person())
        return one.token.number is not None and one.token.number <= MAX_HOUR and before.folded == "at"

    def _is_told_of(self, place: int) -> bool:
        """Return whether the question has a value behind "our" or "their" too: our customers, of label customer."""
        one = self.items[place]
        before, meanings = get_item(self.items, place=place - 1), list_meanings(one.token)
        is_ours = one.token.kind == "label" and before.folded in ("our", "their")
        is_theirs = before.folded == "their" and any(other.token.kind == "label" for other in self.items[:place])
        return (is_ours or is_theirs) and any(meanings <= list_meanings(other.token) for other in self.core)

    def _is_of_person(self, one: Item | None = None) -> bool:
        """Return whether somebody is told of whom the question names."""
        told = [one] if one else self.items
        people = [list_meanings(other.token) for other in told if other.token.kind == "person"]
        return any(meanings <= list_meanings(other.token) for meanings in people for other in self.core)


def _is_open(item: Item) -> bool:
    """Return whether a word may be a noun that the one before it is said of."""
    return item is not NONE and item.state is None and not (item.token.is_known or item.folded.endswith("ed"))
