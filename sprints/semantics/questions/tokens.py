"""Tokens of a question: linked names, days, sprints and numbers, and words of the lexicon."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import regex

from sprints.linking.folding import Word, fold, words
from sprints.linking.link import LinkedQuestion
from sprints.linking.names import Kind, Name, NameIndex
from sprints.linking.numbers import NUMBERS
from sprints.linking.periods import Period
from sprints.linking.references import Amount, SprintReference, put_behind
from sprints.linking.spotting import SpottedName
from sprints.linking.sprint_choice import chosen_sprints
from sprints.semantics.questions.homonyms import means_name
from sprints.semantics.questions.lexicon import ASKING, Lexicon, Sense
from sprints.semantics.questions.spelling import find_candidates, is_other_word
from sprints.semantics.questions.topics import find_topics

MAX_TOKENS = 60
YES_OR_NO = frozenset({"did", "does", "do", "has", "have", "had", "is", "are", "was", "were"})
_SPEAKS = ("status", "label", "priority", "type")
MAX_OBJECT_WORDS = 3
_LEADS_ON = frozenset({"the", "a", "an", "last", "this", "all", "two", "three", "four", "five", "six"})
_QUANTIFIERS = frozenset({"nothing", "without", "more", "fewer", "top", "bottom", "articles", "pronouns", "how_many"})
PERSONAL = frozenset({"he", "she", "his", "her", "him", "hers"})
_DEMONSTRATIVE = frozenset({"these", "those"})
_POINTING = _DEMONSTRATIVE | {"such"}
_PLURAL = frozenset({"they", "them", "their", "theirs"})
PRONOUNS = PERSONAL | _PLURAL
_OWNERS = frozenset({"his", "her", "their"})
_EACH = regex.compile(r"\b(?:each|every|per|by) (?:of (?:the )?)?$", regex.IGNORECASE)
_EACH_EPIC = regex.compile(r"(?:['\u2019]s)? (epics?)\b", regex.IGNORECASE)
_UNREAD = regex.compile(r"[(\[{](?=[^)\]}]*\w)[^)\]}]*[)\]}]?|[<>=~\u2260\u2264\u2265%$\u20ac\u00a3*^|]+")
DASH = regex.compile(r" ?[-\u2013\u2014] ?")
_DAYS = frozenset({"how many days", "for how many days"})  # "how long" may ask for a mean
_DEFINITE = frozenset(
    {"the", "all", "our", "these", "both", "across all", "of all", "over all", "for all", "among all"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """One or more words of the question. `said` is their original text. Without any meaning it is unknown."""

    said: str
    start: int
    end: int
    senses: tuple[Sense, ...] = ()
    kind: Kind | None = None
    names: tuple[Name, ...] = ()
    period: Period | None = None
    reference: SprintReference | None = None
    sprints: tuple[Name, ...] = ()
    key: str = ""
    number: float | None = None
    days: float | None = None
    top: int | None = None

    @property
    def is_known(self) -> bool:
        """Return whether it has a meaning."""
        value = (self.senses, self.names, self.period, self.reference, self.key)
        return any(value) or any(one is not None for one in (self.number, self.days, self.top))

    @property
    def marks(self) -> set[str]:
        """Return its possible marks of the grammar."""
        return {sense.name for sense in self.senses if sense.kind == "mark"}

    @property
    def is_free(self) -> bool:
        """Return whether it may be skipped."""
        return any(sense.kind == "free" for sense in self.senses)

    @property
    def is_polite(self) -> bool:
        """Return whether it is a greeting, or a word of thanks or request."""
        return any(sense.kind == "free" and sense.name == "polite" for sense in self.senses)

    @property
    def is_preposition(self) -> bool:
        """Return whether it is a preposition."""
        return any(sense.kind == "free" and sense.name == "prepositions" for sense in self.senses)


def put_teams_behind(linked: LinkedQuestion) -> str:
    """Return the text with a team inside a reference to sprints or epics behind it: the current ACCEL sprint."""
    team = next((one for one in linked.spotted if one.kind == "team"), None)
    if team and (epics := _EACH_EPIC.match(linked.text, team.end)) and _EACH.search(linked.text[: team.start]):
        return (
            f"{linked.text[: team.start]}{epics[1]} of {linked.text[team.start : team.end]}{linked.text[epics.end() :]}"
        )
    return put_behind(linked.text, start=team.start, end=team.end) if team else linked.text


def find_unread_sign(linked: LinkedQuestion) -> str:
    """
    Return a sign or bracket that says something and was read as no word. Empty if there is none outside of names.

    A team in brackets behind a name is part of it: Avery Hernandez (ACCEL). A dash between two names of a kind may
    stand for what lies between them: Low-High.
    """
    text, spotted = linked.text, sorted(linked.spotted, key=lambda one: one.start)
    spans = [(one.start, one.end) for one in spotted]
    spans += [
        (one.end, other.end + 1) for one, other in pairwise(spotted) if text[one.end : other.start].strip() == "("
    ]
    pairs = [(one.start, one.end, other.start, other.end) for one, other in pairwise(linked.keys)]
    pairs += [(one.start, one.end, other.start, other.end) for one, other in pairwise(spotted)
              if one.kind == other.kind]  # fmt: skip
    if dashed := next((text[start:end] for start, *gap, end in pairs if DASH.fullmatch(text[slice(*gap)])), ""):
        return dashed
    found = _UNREAD.finditer(text)
    return next((one[0] for one in found if not any(start <= one.start() < end for start, end in spans)), "")


def cut(
    linked: LinkedQuestion, *, lexicon: Lexicon, index: NameIndex, teams: frozenset[str] = frozenset()
) -> list[Token]:
    """Split a linked question into tokens, the longest at each word. Sprints are those of `teams` if it names none."""
    found = linked.words[: MAX_TOKENS + 1]
    tokens, place = [], 0
    named = sorted(
        _linked_tokens(linked, index=index, teams=teams, lexicon=lexicon), key=lambda token: (token.start, -token.end)
    )
    particles: set[int] = set()
    while place < len(found):
        if place in particles:
            place += 1
            continue
        if split := _split_verb(place, found=found, lexicon=lexicon):
            word, (senses, rest) = found[place], split
            particles.update(rest)
            said = linked.text[word.start : word.end]
            tokens.append(Token(said=said, start=word.start, end=word.end, senses=senses))
            place += 1
            continue
        is_number = _counts_rows(found[place : place + 3], tokens=tokens, lexicon=lexicon)
        is_owner = bool(tokens) and tokens[-1].said.lower() in ("each", "every")  # each | team's | velocity
        is_alone = is_number or (is_owner and linked.text[: found[place].end].endswith(("'s", "\u2019s")))
        end = place + 1 if is_alone else len(found)
        token, size = _token_at(place, found=found[:end], linked=linked, named=named, lexicon=lexicon)
        known = next((one for one in named if one.start == token.start and one.end == token.end), token)
        tokens.append(known if known.names and _lists_name(known, tokens=tokens) else token)
        place += size
    tokens = _read_still(_sum_days(tokens, lexicon=lexicon), lexicon=lexicon)
    tokens = _share_heads(_count_ones(_read_holdings(tokens, lexicon=lexicon)), lexicon=lexicon)
    return _name_teams(_without_counts(tokens, index=index), text=linked.text, index=index)


def _name_teams(tokens: Sequence[Token], *, text: str, index: NameIndex) -> list[Token]:
    """Read the team of a person as its name: bugs of | Levi's | team; in Levi's | and | Grace's | team."""
    teams, named = {name.value: name for name in index.of_kind("team")}, list(tokens)
    for place in range(len(tokens) - 1, 0, -1):
        first, second, third = tokens[place - 1], tokens[place], tokens[min(place + 1, len(tokens) - 1)]
        noun, person, end = (first, third, third.end) if second.said.lower() == "of" else (second, first, second.end)
        is_team = any((one.kind, one.name, one.is_plural) == ("entity", "team", False) for one in noun.senses)
        owner = _find_team(person, teams=teams) if is_team else None
        is_asked = all(
            one.is_free or one.marks & {"what", "which", "be"} for one in tokens if one not in (noun, person)
        )
        if owner is None or is_asked:
            continue  # what is | Levi's | team
        named[place - 1 : place + 1 + (noun is first)] = [
            Token(said=text[first.start : end], start=first.start, end=end, kind="team", names=(owner,))
        ]
        for at in range(place - 3, -1, -2):
            other = _find_team(named[at], teams=teams)
            if other is None or not named[at + 1].marks & {"and", "or"}:
                break
            named[at] = replace(named[at], kind="team", names=(other,))
    return named


def _find_team(token: Token, *, teams: Mapping[str, Name]) -> Name | None:
    """Return the team of the person that a token names."""
    keys = {name.team_id for name in token.names} if token.kind == "person" else set()
    return teams.get(keys.pop()) if len(keys) == 1 else None


def _sum_days(tokens: list[Token], *, lexicon: Lexicon) -> list[Token]:
    """Read the days of all rows as the noun of their number: how many days were | issues of ORBIT | blocked."""
    asked, known = tokens[0] if tokens else None, lexicon.settings["spent"]
    states = [one for one in tokens if any((sense.kind == "predicate") and sense.name in known for sense in one.senses)]
    verb = next((one for one in tokens if one.said.lower() in ("was", "were")), None)
    senses = lexicon.phrases.get(("days", fold(states[0].said))) if len(states) == 1 else None
    if asked is None or verb is None or not senses or asked.said.lower() not in _DAYS or any(
        one.key for one in tokens
    ):  # fmt: skip
        return tokens
    rows = [one for one in tokens if any((sense.kind, sense.name) == ("entity", "issue") for sense in one.senses)]
    rest = [one for one in tokens[1:] if one not in (verb, *states, *rows)]
    return [replace(asked, senses=senses), *rest]


def _read_still(tokens: list[Token], *, lexicon: Lexicon) -> list[Token]:
    """Read what is still so much as what remains of it: hours | still | estimated."""
    known, read = lexicon.settings["still"], list(tokens)
    for at, token in enumerate(tokens):
        if at and tokens[at - 1].said.lower() == "still":
            senses = (replace(one, name=known[one.name]) if one.name in known else one for one in token.senses)
            read[at] = replace(token, senses=tuple(senses))
    return read


def _read_holdings(tokens: Sequence[Token], *, lexicon: Lexicon) -> list[Token]:
    """Read where somebody's work lies as work to do: on Hannah's | plate; in whose | hands; on her | list."""
    read = list(tokens)
    for place, (owner, token) in enumerate(pairwise(tokens), start=1):
        is_owner = owner.kind == "person" or "whose" in owner.marks or owner.said.lower() in _OWNERS
        if is_owner and fold(token.said) in lexicon.settings["holdings"]["places"]:
            read[place] = replace(token, senses=(Sense("predicate", "open", "adjective"),))
    return read


def _count_ones(tokens: Sequence[Token]) -> list[Token]:
    """Read "one" behind a comparison as a number: more than | one | label."""
    return [
        replace(token, senses=(), number=1.0)
        if place and token.said.lower() == "one" and tokens[place - 1].marks & {"gt", "ge", "lt", "le", "eq"} else token
        for place, token in enumerate(tokens)
    ]  # fmt: skip


def _split_verb(
    place: int, *, found: Sequence[Word], lexicon: Lexicon
) -> tuple[tuple[Sense, ...], range] | None:  # fmt: skip
    """Read a verb with its object inside: carried nothing over, took two issues out."""
    for rest, senses in lexicon.separable.get(found[place].folded, ()):
        for gap in range(1, MAX_OBJECT_WORDS + 1):
            at = place + 1 + gap
            inside, after = found[place + 1 : at], found[at + len(rest) : at + len(rest) + 1]
            if tuple(word.folded for word in found[at : at + len(rest)]) != rest:
                continue
            is_object = all(_is_object(word.folded, lexicon=lexicon) for word in inside)
            leads_on = (
                len(rest) == 1
                and rest != ("into",)
                and any(word.folded in _LEADS_ON or word.folded.isdigit() for word in after)
            )
            if is_object and not leads_on:
                return senses, range(at, at + len(rest))
    return None


def _counts_rows(found: Sequence[Word], *, tokens: Sequence[Token], lexicon: Lexicon) -> bool:
    """Return whether "most" is said of the rows of people or teams, not of their state: who has the most | overdue."""
    keys = [word.folded for word in found]
    is_state = any(one.kind == "predicate" for one in lexicon.phrases.get(tuple(keys[1:2]), ()))
    is_degree = any(one.form == "superlative" for one in lexicon.phrases.get(tuple(keys[:2]), ()))
    asks = any(
        "who" in token.marks or any((one.kind, one.form) == ("entity", "noun") and one.name != "issue"
                                    for one in token.senses) for token in tokens
    )  # fmt: skip
    return is_state and is_degree and asks and keys[0] == "most" and keys[-1].endswith("s")


def _is_object(word: str, *, lexicon: Lexicon) -> bool:
    """Return whether a word may be between a verb and its particle: how much, and of what."""
    senses = lexicon.phrases.get((word,), ())
    names = {sense.name for sense in senses}
    is_noun = any(sense.form == "noun" and sense.kind in ("entity", "measure", "unit") for sense in senses)
    return is_noun or bool(names & _QUANTIFIERS) or word in NUMBERS or word.isdigit()


def _lists_name(known: Token, *, tokens: Sequence[Token]) -> bool:
    """Return whether a word continues a list of names of its kind: in status To Do or | In Progress."""
    lead, link = tokens[-2:] if len(tokens) > 1 else (None, None)
    return bool(lead and link and link.marks & {"and", "or"} and lead.kind == known.kind and not lead.senses)


def _share_heads(tokens: Sequence[Token], *, lexicon: Lexicon) -> list[Token]:
    """
    Complete words that share a noun: estimated versus | logged hours; start and | end dates.

    So are all those of a list: committed, | added and | how many | completed points.
    """
    shared = list(tokens)
    for place, second in enumerate(tokens):
        kinds = {one.kind for one in second.senses} & {"measure", "dimension"}
        said = [word.folded for word in words(fold(second.said))]
        for size in range(1, 1 if second.names else len(said)):
            at = place
            while (at := _find_item_before(tokens, place=at)) >= 0 and not tokens[at].names:
                start = [word.folded for word in words(fold(tokens[at].said))]
                known = lexicon.phrases.get((*start, *said[size:]), ())
                senses = tuple(one for one in known if one.kind in kinds and one.form == "noun")
                if not senses:
                    break
                shared[at] = replace(tokens[at], senses=senses)
    return shared


def _find_item_before(tokens: Sequence[Token], *, place: int) -> int:
    """Return the place of the item of a list before another one, -1 if there is none: behind a link, or a comma."""
    token, before = tokens[place], tokens[place - 1] if place else None
    if before is not None and "how_many" in before.marks:
        token, before, place = before, tokens[place - 2] if place > 1 else None, place - 1
    if before is not None and before.marks & {"and", "or", "versus"}:
        return place - 2
    return place - 1 if before is not None and before.end + len(", ") == token.start else -1


def _without_counts(tokens: list[Token], *, index: NameIndex) -> list[Token]:
    """Skip a number that only counts a complete set: the three teams, if there are three."""
    teams, kept = float(len(index.of_kind("team"))), list(tokens)
    for before, count, noun in zip(tokens, tokens[1:], tokens[2:], strict=False):
        is_team = any((one.kind, one.name, one.is_plural) == ("entity", "team", True) for one in noun.senses)
        if is_team and count.number == teams and before.said.lower() in _DEFINITE:
            kept.remove(count)
    return kept


def _token_at(
    place: int, *, found: Sequence[Word], linked: LinkedQuestion, named: Sequence[Token], lexicon: Lexicon
) -> tuple[Token, int]:
    word = found[place]
    phrase_size, senses = _longest_phrase(found, place=place, lexicon=lexicon)
    known = next((token for token in named if token.start <= word.start < token.end), None)
    size = sum(known.start <= other.start < known.end for other in found[place:]) if known else 0
    end = found[place + max(phrase_size, 1) - 1].end
    phrase = Token(said=linked.text[word.start : end], start=word.start, end=end, senses=senses)
    if known and size >= phrase_size:
        if known.kind in _SPEAKS and size == phrase_size and senses:
            lead = [word.folded for word in found[max(place - 2, 0) : place]]
            before = "out" if lead == ["out", "of"] else lead[-1] if lead else ""
            behind = found[place + size : place + size + 1]
            is_timed = any(one.period and one.start <= other.start < one.end for one in named for other in behind)
            if means_name(
                known.said, names=known.names, before=before, after="".join(one.folded for one in behind),
                is_timed=is_timed, categories=lexicon.model.dimensions["status_category"].values,
            ):  # fmt: skip
                return known, size
            both = replace(known, senses=senses)
            return (both if known.kind == "type" else replace(both, kind=None, names=())), size
        return known, size
    if senses:
        return phrase, phrase_size
    if word.folded in NUMBERS and word.folded not in ("a", "an"):
        return Token(said=word.folded, start=word.start, end=word.end, number=float(NUMBERS[word.folded])), 1
    if negated := _without_prefix(word, text=linked.text, lexicon=lexicon):
        return negated, 1
    return phrase, 1


def _without_prefix(word: Word, *, text: str, lexicon: Lexicon) -> Token | None:
    """Read un- before a known adjective or verb as its negation: unblocked, untouched."""
    rest = word.folded.removeprefix("un")
    senses = tuple(one for one in lexicon.phrases.get((rest,), ()) if one.kind in ("predicate", "time"))
    if rest == word.folded or not senses:
        return None
    said = text[word.start : word.end]
    return Token(said=said, start=word.start, end=word.end, senses=(Sense("mark", "un", "word"), *senses))


def _longest_phrase(found: Sequence[Word], *, place: int, lexicon: Lexicon) -> tuple[int, tuple[Sense, ...]]:
    """
    Return the longest phrase at a word, unless a longer one begins with its last word: work | on their plate.

    A mark gives its last word to a term as well: but | not started, which is not all that is not in progress.
    """
    sizes = _list_sizes(found, place=place, lexicon=lexicon)
    keys = [word.folded for word in found]
    if len(sizes) > 1 and sizes[1] == sizes[0] - 1:
        at = place + sizes[1]
        size = next(iter(_list_sizes(found, place=at, lexicon=lexicon)), 0)
        is_mark = all(one.kind == "mark" for one in lexicon.phrases[tuple(keys[place : at + 1])])
        is_term = size > 1 and any(one.kind == "predicate" for one in lexicon.phrases[tuple(keys[at : at + size])])
        sizes = sizes[1:] if size > sizes[0] or (is_mark and is_term) else sizes
    size = next(iter(sizes), 0)
    return size, lexicon.phrases[tuple(keys[place : place + size])] if size else ()


def _list_sizes(found: Sequence[Word], *, place: int, lexicon: Lexicon) -> list[int]:
    """List the lengths of the phrases that begin at a word, the longest first."""
    longest = min(lexicon.max_words, len(found) - place)
    return [
        size for size in range(longest, 0, -1)
        if lexicon.phrases.get(tuple(word.folded for word in found[place : place + size]))
    ]  # fmt: skip


def find_anaphor(tokens: Sequence[Token]) -> str:
    """
    Return the pronoun that refers to the previous question. Empty if it refers to this one.

    "He" stands for a person, "they" for any rows that are named before; "of those" for what follows it, if it says.
    """
    has_person = has_rows = has_one = has_it = False
    for place, token in enumerate(tokens):
        following = tokens[place + 1] if place + 1 < len(tokens) else None
        if "anaphor" in token.marks and not (following and any(one.kind == "predicate" for one in following.senses)):
            return token.said
        word = token.said.lower()
        is_named = any(one.kind == "team" for one in tokens[place:]) and _is_relative(tokens[:place])
        if has_it and not (has_rows or is_named) and any(one.kind == "predicate" for one in token.senses):
            return "it"
        is_object = following is None or following.is_free or bool(following.marks & {"and", "or"})
        if word == "it" and is_object and not has_one:
            return token.said  # who reported it, as opposed to: is it blocked
        has_it = (has_it or word.partition("'")[0] == "it") and not token.marks & ASKING
        if (word in _DEMONSTRATIVE and _stands_alone(following)) or _points_back(tokens, place=place):
            return token.said
        if (word in PERSONAL and not has_person) or (word in _PLURAL and not has_rows):
            return token.said
        has_person = has_person or token.kind == "person" or bool(token.marks & {"who", "whose"})
        is_row = any(one.kind == "entity" and one.form == "noun" for one in token.senses)
        has_rows = has_rows or is_row or bool(token.names or token.reference or token.key)
        is_one = is_row and not any(one.is_plural for one in token.senses)
        has_one = has_one or is_one or bool(token.names or token.reference or token.key)
    return ""


def _points_back(tokens: Sequence[Token], *, place: int) -> bool:
    """Return whether a demonstrative stands for what was named before: that team, those bugs, how many is that."""
    before, following = (tokens[at] if 0 <= at < len(tokens) else None for at in (place - 1, place + 1))
    word = tokens[place].said.lower()
    if word != "that":
        return word in _POINTING and following is not None and _is_noun(following)
    if before is None or following is None:
        return True
    is_pronoun = any(one.name == "pronouns" for one in before.senses) or before.said.lower() in _DEMONSTRATIVE
    if is_pronoun or following.said.lower() == "of":
        return False
    if _is_noun(following):
        return bool(before.marks) or before.is_free  # behind a noun it begins a relative clause
    return bool(before.marks & {"be", "do"}) or before.is_preposition


def _is_noun(token: Token) -> bool:
    return token.kind == "type" or any(
        sense.form == "noun" and sense.kind in ("entity", "measure", "dimension") for sense in token.senses
    )


def _is_relative(before: Sequence[Token]) -> bool:
    """Return whether "it" is the subject of a relative clause, whose name may follow: the points | it | had."""
    at = max((place for place, one in enumerate(before) if one.said.lower().partition("'")[0] == "it"), default=0)
    return at > 0 and any(one.form == "noun" for one in before[at - 1].senses)


def _stands_alone(following: Token | None) -> bool:
    """Return whether no noun follows a demonstrative, as in how many points these are."""
    return following is None or bool(following.marks & {"be", "have", "do", "per", "and"} or following.is_preposition)


def marks_in(text: str, *, lexicon: Lexicon) -> frozenset[str]:
    """Return the marks of the grammar in a text: negations, comparisons, averages, groups."""
    found, place = words(fold(text)), 0
    marks: set[str] = set()
    while place < len(found):
        size, senses = _longest_phrase(found, place=place, lexicon=lexicon)
        marks |= {sense.name for sense in senses if sense.kind == "mark"}
        place += max(size, 1)
    return frozenset(marks)


def _linked_tokens(
    linked: LinkedQuestion, *, index: NameIndex, teams: frozenset[str], lexicon: Lexicon
) -> Iterator[Token]:
    for key in linked.keys:
        yield Token(said=linked.text[key.start : key.end], start=key.start, end=key.end, key=key.said)
    teams = frozenset(team.value for team in linked.list_asked_teams()) or teams
    for reference in linked.sprint_references:
        ours = [name for name in index.sprints if not teams or name.team_id in teams]
        chosen = tuple(chosen_sprints(reference, sprints=ours))
        yield Token(said=reference.said, start=reference.start, end=reference.end, reference=reference, sprints=chosen)
    for topic in find_topics(linked.text, found=linked.words, lexicon=lexicon, index=index):
        titles = tuple(Name(kind="title", value=one, text=one) for one in topic.values)
        yield Token(said=topic.said, start=topic.start, end=topic.end, kind="title", names=titles)
    for period in linked.periods:
        yield Token(said=period.said, start=period.start, end=period.end, period=period)
    for one in linked.spotted:
        if not one.is_exact and _is_other(one, lexicon=lexicon):
            continue
        yield Token(said=one.said, start=one.start, end=one.end, kind=one.kind, names=one.names)
    yield from (_amount(one, lexicon=lexicon) for one in linked.amounts)


def _is_other(spotted: SpottedName, *, lexicon: Lexicon) -> bool:
    """Return whether a word is not the name that it is similar to, or may be another one: skipped is not Shipped."""
    said = fold(spotted.said)
    is_hard = spotted.kind not in _SPEAKS
    if is_hard and not spotted.said.islower():
        return False
    is_other = not is_hard and all(is_other_word(said, known=fold(name.text)) for name in spotted.names)
    return is_other or bool(find_candidates(said, lexicon=lexicon))


def _amount(one: Amount, *, lexicon: Lexicon) -> Token:
    number = int(one.value) if one.kind == "top" else one.value
    known = lexicon.phrases.get((f"{one.adjective}er",), ())
    senses = tuple(sense for sense in known if sense.form == "comparative" and sense.is_descending)
    return Token(said=one.said, start=one.start, end=one.end, senses=senses, **{one.kind: number})  # type: ignore[arg-type]
