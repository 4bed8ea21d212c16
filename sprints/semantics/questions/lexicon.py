"""The vocabulary of questions: the inflected words of the model, and the closed classes of English."""

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib.resources import files
from itertools import product
from typing import Any, Literal

from rapidfuzz import process
from rapidfuzz.distance import OSA

from sprints.linking.folding import fold, words
from sprints.semantics.model import SemanticModel, Words, shipped_model

Kind = Literal["entity", "measure", "dimension", "predicate", "time", "mark", "grain", "unit", "free"]
Form = Literal["noun", "adjective", "verb", "comparative", "superlative", "word"]

MIN_TYPO_LETTERS, LONG_WORD_LETTERS = 4, 9
ASKING = frozenset({"what", "which", "who", "whose", "when", "how_many", "how_much"})
_VOWELS = "aeiou"
_DOUBLED = re.compile(r"(.)\1")
_IRREGULAR = {
    "begin": ("began", "begun"), "take": ("took", "taken"), "do": ("did", "done"), "get": ("got", "gotten"),
    "hold": ("held", "held"), "spend": ("spent", "spent"), "come": ("came", "come"), "run": ("ran", "run"),
    "spill": ("spilled", "spilt"), "throw": ("threw", "thrown"), "bring": ("brought",), "put": ("put",),
    "cut": ("cut",), "leave": ("left",), "write": ("wrote", "written"), "deal": ("dealt",), "burn": ("burned", "burnt"),
    "strike": ("struck",), "sneak": ("sneaked", "snuck"), "eat": ("ate", "eaten"),
}  # fmt: skip
_DOUBLING = frozenset({"commit", "begin", "log", "refer", "permit"})  # stressed on a last, short syllable
_PLURALS = ("people", "devs", "folks")
_TIME_WORDS = frozenset({
    "today", "yesterday", "january", "february", "march", "april", "june", "july", "august", "september", "october",
    "november", "december", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "last",
    "next", "previous", "past", "current", "first", "second", "third", "fourth", "fifth", "days", "weeks", "months",
    "quarters", "years", "sprints", "ytd", "point", "points",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sense:
    """One meaning of a word: a term of the model or a mark of the grammar. `name` is its id."""

    kind: Kind
    name: str
    form: Form
    is_plural: bool = False
    is_descending: bool = True


@dataclass(kw_only=True)
class Lexicon:
    """Phrases by their folded words, with all meanings."""

    model: SemanticModel
    phrases: dict[tuple[str, ...], tuple[Sense, ...]]
    settings: Mapping[str, Any] = field(default_factory=dict)
    synonyms: frozenset[tuple[str, ...]] = frozenset()

    @cached_property
    def max_words(self) -> int:
        """Return the number of words of the longest phrase."""
        return max(map(len, self.phrases))

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Return every single word of the phrases."""
        return frozenset(word for phrase in self.phrases for word in phrase) | _TIME_WORDS

    @cached_property
    def usual_words(self) -> frozenset[str]:
        """Return the words that a misspelt one may stand for. Synonyms are rarer than the words that resemble them."""
        return frozenset(word for phrase in self.phrases.keys() - self.synonyms for word in phrase) | _TIME_WORDS

    @cached_property
    def _by_letter(self) -> Mapping[str, tuple[str, ...]]:
        """Return the candidates for a misspelt word, by their first letter."""
        found: dict[str, list[str]] = defaultdict(list)
        for word in sorted(self.usual_words):
            if len(word) >= MIN_TYPO_LETTERS:
                found[word[0]].append(word)
        return {letter: tuple(known) for letter, known in found.items()}

    @cached_property
    def separable(self) -> Mapping[str, tuple[tuple[tuple[str, ...], tuple[Sense, ...]], ...]]:
        """Return separable verbs by their first word, with the particle: "carried" with "over"."""
        found: dict[str, list[tuple[tuple[str, ...], tuple[Sense, ...]]]] = defaultdict(list)
        for (first, *rest), senses in self.phrases.items():
            if rest and (verbs := tuple(sense for sense in senses if sense.form == "verb")):
                found[first].append((tuple(rest), verbs))
        return {first: tuple(forms) for first, forms in found.items()}

    @cached_property
    def frames(self) -> Mapping[tuple[str, ...], frozenset[str]]:
        """Return the words of frame clauses by their folded form, with their classes."""
        found: dict[tuple[str, ...], set[str]] = defaultdict(set)
        for name, phrases in self.settings["frames"].items():
            for phrase in phrases:
                found[tuple(word.folded for word in words(fold(phrase)))].add(name)
        return {key: frozenset(names) for key, names in found.items()}

    def correct(self, word: str, *, is_first: bool = False) -> tuple[str, int] | None:
        """
        Return the one known word that is a typing mistake away, and the number of different letters.

        Of several, the first word of a question is the one that asks: "wich" is which, not with.
        """
        if len(word) < MIN_TYPO_LETTERS - 1 or not word.isalpha() or not word.isascii() or self._is_derived(word):
            return None
        limit = 1 if len(word) < LONG_WORD_LETTERS else 2
        near = self._by_letter.get(word[0], ())
        found = process.extract(word, near, scorer=OSA.distance, score_cutoff=limit, limit=8)
        if not found:  # a doubled letter said once, or twice: comited
            found = [(known, 1, 0) for known in near if _DOUBLED.sub(r"\1", known) == _DOUBLED.sub(r"\1", word)]
        found = [(known, edits, at) for known, edits, at in found if not is_other_word(word, known=known)]
        best = min((edits for _, edits, _ in found), default=None)
        closest = {known for known, edits, _ in found if edits == best}
        if len(word) < MIN_TYPO_LETTERS:  # of a short word a letter is missing, and the word is one of the grammar
            closest = {known for known in closest if _lacks_letters(word, known) and self._is_closed(known)}
            best = best if closest else None
        swapped = {known for known in closest if sorted(known) == sorted(word)}
        swapped = swapped or {known for known in closest if _lacks_letters(word, known)}
        closest = swapped or {known for known in closest if known[-1] == word[-1]} or closest
        if is_first and len(closest) > 1:
            closest = {known for known in closest if self._asks(known)} or closest
        meanings = {self.phrases.get((known,), (known,)) for known in closest}
        return (min(closest), int(best)) if best is not None and len(meanings) == 1 else None

    def _is_derived(self, word: str) -> bool:
        """Return whether it is a known word with an ending that makes another of it: completely, Mondays."""
        is_adverb = word.endswith("ly") and bool({word[:-2], word[:-2] + "e"} & self.vocabulary)
        return is_adverb or (word.endswith("s") and word[:-1] in _TIME_WORDS)

    def _is_closed(self, word: str) -> bool:
        """Return whether the word belongs only to the grammar, not to the model."""
        return all(sense.kind in ("mark", "free") for sense in self.phrases.get((word,), (None,)) if sense)

    def _asks(self, word: str) -> bool:
        return any(sense.kind == "mark" and sense.name in ASKING for sense in self.phrases.get((word,), ()))


def is_other_word(word: str, *, known: str) -> bool:
    """
    Return whether letters are others, which is rarely a typing mistake: commented is not committed.

    One letter may be another vowel, or any in a long word: defact is defect, but skipped is not shipped.
    """
    others = [pair for pair in zip(word, known, strict=False) if pair[0] != pair[1]]
    if len(word) != len(known) or len(others) > 2:  # noqa: PLR2004
        return False
    if len(others) == 2:  # noqa: PLR2004
        return others[0] != others[1][::-1]
    return len(word) < LONG_WORD_LETTERS and any(set(pair) - set(_VOWELS + "y") for pair in others)


def _lacks_letters(word: str, known: str) -> bool:
    """Return whether a word is another without some letters: sprnt of sprint."""
    letters = iter(known)
    return len(word) < len(known) and all(letter in letters for letter in word)


@lru_cache(maxsize=1)
def shipped_lexicon() -> Lexicon:
    """Return the lexicon of the shipped model."""
    return make_lexicon(shipped_model())


def make_lexicon(model: SemanticModel) -> Lexicon:
    """Build the lexicon of a model and the grammar."""
    settings, synonyms = _load_table("words"), _load_table("synonyms")
    phrases: dict[tuple[str, ...], list[Sense]] = defaultdict(list)
    _add_phrases(phrases, _all_senses(model, settings=settings))
    usual = frozenset(phrases)
    for kind, terms in _list_terms(model):
        for name in terms:
            said = synonyms.get(f"{kind}:{name}", {})
            spelt = {form: [one for phrase in found for one in _list_variants(phrase)] for form, found in said.items()}
            _add_phrases(phrases, _term_senses(kind, name, Words(**spelt)))
    known = {key: tuple(senses) for key, senses in phrases.items()}
    return Lexicon(model=model, phrases=known, settings=settings, synonyms=frozenset(phrases) - usual)


def _load_table(name: str) -> dict[str, Any]:
    return tomllib.loads((files("sprints.semantics.questions") / f"{name}.toml").read_text(encoding="utf-8"))


def _add_phrases(phrases: dict[tuple[str, ...], list[Sense]], said: Iterable[tuple[str, Sense]]) -> None:
    for phrase, sense in said:
        key = tuple(word.folded for word in words(fold(phrase)))
        if key and sense not in phrases[key]:
            phrases[key].append(sense)


def _list_variants(phrase: str) -> Iterator[str]:
    """Return a phrase with each of its alternatives in braces: past {its|their|the} deadline."""
    parts = re.split(r"\{(.*?)\}", phrase)
    for chosen in product(*(part.split("|") if place % 2 else (part,) for place, part in enumerate(parts))):
        yield "".join(chosen)


def _list_terms(model: SemanticModel) -> tuple[tuple[Kind, Mapping[str, Any]], ...]:
    return (
        ("entity", model.entities), ("measure", model.measures), ("dimension", model.dimensions),
        ("predicate", model.predicates), ("time", model.time_roles),
    )  # fmt: skip


def _all_senses(model: SemanticModel, *, settings: Mapping[str, Any]) -> Iterator[tuple[str, Sense]]:
    words_of: tuple[tuple[Kind, str], ...] = (("free", "free"), ("mark", "marks"))
    nouns_of: tuple[tuple[Kind, str], ...] = (("grain", "grains"), ("unit", "units"))
    for kind, table in words_of:
        yield from ((phrase, Sense(kind, name, "word")) for name, said in settings[table].items() for phrase in said)
    for kind, table in nouns_of:
        for name, said in settings[table].items():
            yield from ((form, Sense(kind, name, "noun")) for noun in said for form in (noun, _plural(noun)))
    more = {key: Words(**said) for key, said in settings["more_words"].items()}
    for kind, terms in _list_terms(model):
        for name, term in terms.items():
            if getattr(term, "hidden", False):
                continue
            for said in (term.words, more.get(f"{kind}:{name}", Words())):
                yield from _term_senses(kind, name, said)
            for direction in ("descending", "ascending") if kind == "dimension" else ():
                for adjective in getattr(term, f"{direction}_words"):
                    yield from _degrees(name, adjective, is_descending=direction == "descending")


def _term_senses(kind: Kind, name: str, said: Words) -> Iterator[tuple[str, Sense]]:
    for noun in said.nouns:
        yield noun, Sense(kind, name, "noun", is_plural=noun in _PLURALS)
        yield _plural(noun), Sense(kind, name, "noun", is_plural=True)
    for adjective in said.adjectives:
        yield adjective, Sense(kind, name, "adjective")
    for verb in said.verbs:
        yield from ((form, Sense(kind, name, "verb")) for form in _inflect(verb))


def _degrees(name: str, adjective: str, *, is_descending: bool) -> Iterator[tuple[str, Sense]]:
    first, _, rest = adjective.partition(" ")
    forms: tuple[tuple[str, Form], ...] = (("er", "comparative"), ("est", "superlative"))
    for ending, form in forms:
        sense = Sense("dimension", name, form, is_descending=is_descending)
        yield f"{_add_suffix(first, ending)} {rest}".strip(), sense
        yield f"{'more' if ending == 'er' else 'most'} {adjective}", sense


def _plural(noun: str) -> str:
    head, _, last = noun.rpartition(" ")
    if " of " in noun:
        first, of, rest = noun.partition(" of ")
        return f"{_plural(first)}{of}{rest}"
    ending = last[:-1] + "ies" if last.endswith("y") and last[-2:-1] not in _VOWELS else ""
    ending = ending or last + ("es" if last.endswith(("s", "x", "ch", "sh")) else "s")
    return f"{head} {ending}".strip()


def _inflect(verb: str) -> set[str]:
    """Return the forms of a verb: infinitive, third person, past, participles."""
    first, _, rest = verb.partition(" ")
    forms = {first, _plural(first), *(_IRREGULAR.get(first, (_add_suffix(first, "ed"),))), _add_suffix(first, "ing")}
    if first.endswith("l") and first[-2:-1] in _VOWELS:
        forms |= {f"{first}led", f"{first}ling"}  # labelled, as it is spelt in Britain
    return {f"{form} {rest}".strip() for form in forms}


def _add_suffix(word: str, ending: str) -> str:
    is_short = len(word) <= 4 and sum(letter in _VOWELS for letter in word) == 1  # noqa: PLR2004
    if word.endswith("e"):
        return word[:-1] + ending
    if word.endswith("y") and word[-2:-1] not in _VOWELS and ending != "ing":
        return word[:-1] + "i" + ending
    if word in _DOUBLING or (is_short and word[-1] not in _VOWELS + "wxy" and word[-2] in _VOWELS):
        return word + word[-1] + ending
    return word + ending
