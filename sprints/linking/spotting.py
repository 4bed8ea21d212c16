"""Names in a question: complete names before partial ones, exact spelling before typing mistakes."""

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files

from rapidfuzz.distance import OSA

from sprints.linking.folding import Word, fold, is_unspaced
from sprints.linking.names import MAX_NAME_WORDS, Kind, Name, NameIndex

ORDINARY = frozenset((files("sprints.linking") / "ordinary_words.txt").read_text(encoding="utf-8").split())
HARD: tuple[Kind, ...] = ("person", "team", "sprint", "epic")
"""Kinds with proper names. An answer that ignores one answers another question."""
_ORDER: tuple[Kind, ...] = ("team", "person", "sprint", "epic", "status", "priority", "type", "label")
Reserved = Container[tuple[str, ...]]
"""Phrases by their folded words that mean something of their own."""
MIN_LETTERS = 4
MAX_WORDS = 80
"""The maximum words searched for names. A question has fewer; a pasted page has more."""
_KINDS_BEHIND: tuple[Kind, ...] = ("status", "priority")
"""Kinds that are said behind their names: the Done status. A sprint, a label or a type is said before: no label."""
_HINTS: dict[str, Kind] = {
    "status": "status", "state": "status", "column": "status", "priority": "priority", "label": "label",
    "labels": "label", "labelled": "label", "labeled": "label", "tagged": "label", "tag": "label", "team": "team",
    "sprint": "sprint", "type": "type", "epic": "epic", "epics": "epic",
}  # fmt: skip


_LEADS_TO_TITLE = frozenset({"in", "of", "for", "on", "with", "is", "from", "to", "under", "about", "by"})
_LEADS_TO_STATUS = frozenset({"in", "to", "into", "from", "for", "of", "under", "awaiting", "through", "past"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SpottedName:
    """A range of the question that names rows of one kind; several rows if it is ambiguous."""

    kind: Kind
    names: tuple[Name, ...]
    said: str
    start: int
    end: int
    is_exact: bool = True

    @property
    def is_hard(self) -> bool:
        """Return whether an answer must use it."""
        return self.kind in HARD


def find_names(text: str, *, words: Sequence[Word], index: NameIndex, reserved: Reserved) -> list[SpottedName]:
    """
    Return the names in a text without overlaps, the longest first at each word.

    Words of a reserved phrase are a name only if they are clearly said as one.
    """
    words = words[:MAX_WORDS]
    found: list[SpottedName] = list(_find_unspaced(text, index=index))
    place = 0
    while place < len(words):
        spotted, taken = _find_at(text, words, place=place, index=index)
        run = tuple(word.folded for word in words[place : place + taken])
        if spotted and run in reserved and not _is_said_as_name(spotted, text=text, words=words, place=place):
            spotted = None
        if spotted and not any(one.start < spotted.end and spotted.start < one.end for one in found):
            found.append(spotted)
        place += taken
    return sorted(found, key=lambda one: one.start)


def _find_at(text: str, words: Sequence[Word], *, place: int, index: NameIndex) -> tuple[SpottedName | None, int]:
    """Return the longest name that begins at this word, and the number of words to advance by."""
    longest = min(MAX_NAME_WORDS, len(words) - place) if words[place].folded in index.starts else 0
    for size in range(longest, 0, -1):
        run = words[place : place + size]
        names = [
            name for name in index.whole.get(tuple(word.folded for word in run), ())
            if name.kind != "epic" or _is_title(text, words, place=place, size=size, name=name)
        ]  # fmt: skip
        names = _drop_parted_teams(names, said=text[run[0].start : run[-1].end])
        if names and (statuses := _find_stage_statuses(text, words, place=place, size=size, index=index)):
            return replace(_make_spotted_name(text, run, names=statuses, before=words[:place]), is_exact=False), size
        if names and (size > 1 or _may_be_a_name(text, words, place=place, names=names)):
            return _make_spotted_name(text, run, names=names, before=words[:place]), size
    if place and _HINTS.get(words[place - 1].folded) == "epic":
        for size in range(min(MAX_NAME_WORDS, len(words) - place), 0, -1):
            run = words[place : place + size]
            if title := index.find_title(tuple(word.folded for word in run)):
                spotted = _make_spotted_name(text, run, names=[title], before=words[:place])
                return replace(spotted, is_exact=False), size
    if statuses := _find_stage_statuses(text, words, place=place, size=1, index=index):
        spotted = _make_spotted_name(text, words[place : place + 1], names=statuses, before=words[:place])
        return replace(spotted, is_exact=False), 1
    for size in sorted((one for one in index.statuses if one <= len(words) - place), reverse=True):
        run = words[place : place + size]
        is_ordinary = all(word.folded in ORDINARY for word in run)
        if not is_ordinary and (status := index.find_status(tuple(word.folded for word in run))):
            is_stage = run[0].folded == "in" and text[run[-1].start].islower()
            stage = index.find_statuses_of(fold(status.text.split()[-1])) if is_stage else []
            spotted = _make_spotted_name(text, run, names=stage or [status], before=words[:place])
            return replace(spotted, is_exact=False), size
    return _find_by_parts(text, words, place=place, index=index)


def _drop_parted_teams(names: Sequence[Name], *, said: str) -> list[Name]:
    """Return the names without teams that a comma parts from the noun before them: by team, ORBIT excluded."""
    return [name for name in names if name.kind != "team" or "," not in said or "," in name.text]


def _find_stage_statuses(text: str, words: Sequence[Word], *, place: int, size: int, index: NameIndex) -> list[Name]:
    """Return the statuses that share their last word, if only that is said: in review, waiting for review."""
    head = words[place + size - 1]
    before = words[place - 1].folded if place else ""
    behind = words[place + size].folded if place + size < len(words) else ""
    is_bare = size == 1 and (before in _LEADS_TO_STATUS or _HINTS.get(behind) == "status")
    is_bare = is_bare or (size > 1 and words[place].folded == "in" and text[head.start].islower())
    return index.find_statuses_of(head.folded) if is_bare and _HINTS.get(before) != "status" else []


def _find_by_parts(text: str, words: Sequence[Word], *, place: int, index: NameIndex) -> tuple[SpottedName | None, int]:
    """Return a person or team by some of its words in any order, exact or with a typing mistake."""
    names, is_exact = _find_by_word(words[place].folded, index=index)
    if not names and (known := _find_by_both(words[place : place + 2], index=index)):
        spotted = _make_spotted_name(text, words[place : place + 2], names=[known], before=words[:place])
        return replace(spotted, is_exact=False), 2
    is_noun = not is_exact and bool(place) and words[place - 1].folded == "the" and words[place].folded.endswith("s")
    if not names or is_noun or not _may_be_a_name(text, words, place=place, names=names):
        return None, 1  # the walkers are nobody called Walker
    size = 1
    while place + size < len(words):
        following = words[place + size].folded
        others, also_exact = _find_by_word(following, index=index)
        both = [name for name in names if name in others or _has_initial(name, following)]
        if not both or (following in ORDINARY and following not in index.parts):
            break
        names, is_exact, size = both, is_exact and (also_exact or len(following) == 1), size + 1
    run = words[place : place + size]
    spotted = _make_spotted_name(text, run, names=names, before=words[:place])
    return replace(spotted, is_exact=is_exact), size


def _find_by_both(pair: Sequence[Word], *, index: NameIndex) -> Name | None:
    """Return the one person whose last name is nearly the second word, and whose first name is like the first."""
    first = pair[0].folded
    if len(pair) < 2 or len(first) < MIN_LETTERS or first in ORDINARY:  # noqa: PLR2004 - two names
        return None
    near = [
        name for name in _find_by_word(pair[1].folded, index=index)[0]
        if name.kind == "person" and OSA.distance(first, fold(name.text.split()[0]), score_cutoff=2) <= 2  # noqa: PLR2004
    ]  # fmt: skip
    return near[0] if len(near) == 1 else None


def _find_by_word(word: str, *, index: NameIndex) -> tuple[list[Name], bool]:
    """Return the names that contain the word, and whether it is spelt exactly."""
    if word in index.parts:
        return index.parts[word], True
    if word in ORDINARY or any(letter.isdigit() for letter in word):
        return [], True
    if len(word) > MIN_LETTERS - 1 and word.endswith("s") and word[:-1] in index.parts:
        return index.parts[word[:-1]], False  # a genitive without its sign: zoes tickets
    alike = index.alike(word)
    least = min((edits for _, edits in alike), default=0)
    nearest = [name for known, edits in alike if edits == least for name in index.parts[known]]
    return list(dict.fromkeys(nearest)), False


def _may_be_a_name(text: str, words: Sequence[Word], *, place: int, names: Sequence[Name]) -> bool:
    """Return whether an ordinary word may be a name: capitalised inside a sentence, or beside its kind."""
    word = words[place]
    if word.folded not in ORDINARY or any(name.kind not in ("person", "team", "epic") for name in names):
        return True
    before = words[place - 1].folded if place else ""
    return bool(place) and (text[word.start].isupper() or _HINTS.get(before) in {name.kind for name in names})


def _is_said_as_name(spotted: SpottedName, *, text: str, words: Sequence[Word], place: int) -> bool:
    """
    Return whether words that mean something of their own are said as a name: beside its kind, or written as it is.

    Capitals tell nothing at the start of a sentence, nor where every word has one. A type is said without them.
    """
    before = words[place - 1].folded if place else ""
    behind = next((word.folded for word in words[place:] if word.start >= spotted.end), "")
    if _HINTS.get(before) == spotted.kind or (spotted.kind in _KINDS_BEHIND and _HINTS.get(behind) == spotted.kind):
        return True
    written = {text for name in spotted.names for text in (name.text, *name.aliases)}
    is_capital = bool(place) and spotted.said[0].isupper() and any(text[word.start].islower() for word in words[1:])
    return is_capital and spotted.kind != "type" and any(spotted.said in one for one in written)


def _is_title(text: str, words: Sequence[Word], *, place: int, size: int, name: Name) -> bool:
    """Return whether words may be an epic's title: beside that word, or written exactly as the title."""
    beside = [words[at].folded for at in (place - 1, place + size) if 0 <= at < len(words)]
    if any(_HINTS.get(word) == "epic" for word in beside):
        return True
    said = text[words[place].start : words[place + size - 1].end]
    is_behind = place > 0 and words[place - 1].folded in _LEADS_TO_TITLE
    is_written = said == name.text or (place > 0 and said in name.text)
    return size > 1 and (is_written or (is_behind and said.casefold() == name.text.casefold()))


def _make_spotted_name(text: str, run: Sequence[Word], *, names: Iterable[Name], before: Sequence[Word]) -> SpottedName:
    kinds = {name.kind for name in names}
    hinted = _HINTS.get(before[-1].folded) if before else None
    kind = hinted if hinted in kinds else next(kind for kind in _ORDER if kind in kinds)
    start, end = run[0].start, run[-1].end
    kept = tuple(dict.fromkeys(name for name in names if name.kind == kind))
    return SpottedName(kind=kind, names=kept, said=text[start:end].removesuffix("'s"), start=start, end=end)


def _find_unspaced(text: str, *, index: NameIndex) -> Iterable[SpottedName]:
    """Return names in scripts without spaces, the longest first, inside longer runs of letters."""
    if not index.unspaced or not is_unspaced(text):
        return
    lowered = text.casefold() if len(text.casefold()) == len(text) else text
    taken: list[tuple[int, int]] = []
    for written in sorted(index.unspaced, key=len, reverse=True):
        start = lowered.find(written)
        end = start + len(written)
        if start < 0 or any(first < end and start < last for first, last in taken):
            continue
        taken.append((start, end))
        names = index.unspaced[written]
        kind = next(kind for kind in _ORDER if kind in {name.kind for name in names})
        kept = tuple(name for name in names if name.kind == kind)
        yield SpottedName(kind=kind, names=kept, said=text[start:end], start=start, end=end)


def _has_initial(name: Name, word: str) -> bool:
    """Return whether the word is the initial of the name's last word, as in 'Avery H'."""
    return len(word) == 1 and name.kind == "person" and fold(name.text.split()[-1]).startswith(word)
