"""The vocabulary of questions: the inflected words of the model, and the closed classes of English."""

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib.resources import files
from itertools import pairwise, product
from typing import Any, Literal

from sprints.linking.calendar_tokens import PERIOD_UNITS, PERIOD_WORDS, RELATIVE_WORDS
from sprints.linking.folding import fold, name_words, words
from sprints.linking.numbers import NUMBERS
from sprints.linking.spotting import ORDINARY
from sprints.semantics.model import SemanticModel, Words, shipped_model

Kind = Literal["entity", "measure", "dimension", "predicate", "time", "mark", "grain", "unit", "free"]
Form = Literal["noun", "adjective", "verb", "comparative", "superlative", "word"]

ASKING = frozenset({"what", "which", "who", "whose", "when", "how_many", "how_much"})
_VOWELS = "aeiou"
_DOUBLED = re.compile(r"(.)\1")
_IRREGULAR = {
    "begin": ("began", "begun"), "take": ("took", "taken"), "do": ("did", "done"), "get": ("got", "gotten"),
    "hold": ("held", "held"), "spend": ("spent", "spent"), "come": ("came", "come"), "run": ("ran", "run"),
    "spill": ("spilled", "spilt"), "throw": ("threw", "thrown"), "bring": ("brought",), "put": ("put",),
    "cut": ("cut",), "leave": ("left",), "write": ("wrote", "written"), "deal": ("dealt",), "burn": ("burned", "burnt"),
    "strike": ("struck",), "sneak": ("sneaked", "snuck"), "eat": ("ate", "eaten"), "go": ("went", "gone"),
    "creep": ("crept",), "bleed": ("bled",), "slide": ("slid",), "give": ("gave", "given"),
    "see": ("saw", "seen"), "make": ("made",), "fall": ("fell", "fallen"), "set": ("set",), "hit": ("hit",),
    "stand": ("stood",), "break": ("broke", "broken"), "wind": ("wound",), "blow": ("blew", "blown"),
    "send": ("sent",), "find": ("found",), "hand": ("handed",), "stick": ("stuck",), "overrun": ("overran", "overrun"),
    "overshoot": ("overshot",), "become": ("became", "become"), "undertake": ("undertook", "undertaken"),
    "lie": ("lay", "lain"), "let": ("let",), "shut": ("shut",), "sink": ("sunk",),
    "forget": ("forgot", "forgotten"), "win": ("won",), "lose": ("lost",), "build": ("built",), "keep": ("kept",),
}  # fmt: skip
_DOUBLING = frozenset({"commit", "begin", "log", "refer", "permit"})  # stressed on a last, short syllable
_PLURALS = ("people", "devs", "folks")
_TIME_WORDS = PERIOD_WORDS | {"fifth", "sprints", "point", "points"}


@dataclass(frozen=True, slots=True)
class Sense:
    """One meaning of a word: a term of the model or a mark of the grammar. `name` is its id."""

    kind: Kind
    name: str
    form: Form
    is_plural: bool = False
    is_descending: bool = True


@dataclass(kw_only=True, eq=False)
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
    def reserved_phrases(self) -> frozenset[tuple[str, ...]]:
        """Return the phrases that no value of the data may replace. Types that the model itself names are both."""
        relations = [one for entity in self.model.entities.values() for one in entity.relations.values()]
        compared = [one for relation in relations for one in (relation.row_is, relation.other_is) if one]
        types = {str(value) for one in compared for value in one.values}
        return frozenset(self.phrases) - {name_words(form) for name in types for form in (name, f"{name}s")}

    @cached_property
    def usual_words(self) -> frozenset[str]:
        """Return the words that a misspelt one may stand for. Synonyms are rarer than the words that resemble them."""
        return frozenset(word for phrase in self.phrases.keys() - self.synonyms for word in phrase) | _TIME_WORDS

    @cached_property
    def negations(self) -> frozenset[str]:
        """Return predicates with the prefix of their negation: unblocked. None of a synonym, which is rarer."""
        usual = (
            (phrase[0], senses) for phrase, senses in self.phrases.items()
            if len(phrase) == 1 and phrase not in self.synonyms
        )  # fmt: skip
        found = {f"un{word}" for word, senses in usual if word.endswith("ed") and _has_predicate(senses)}
        return frozenset(word for word in found if (word,) not in self.synonyms)

    @cached_property
    def spellings(self) -> tuple[str, ...]:
        """Return every word that a misspelt one may be."""
        return tuple(sorted(self.usual_words | self.negations | NUMBERS.keys() - {"a"}))

    @cached_property
    def by_bare(self) -> Mapping[str, tuple[str, ...]]:
        """Return the words by their spelling without doubled letters: comited."""
        found: dict[str, list[str]] = defaultdict(list)
        for word in self.spellings:
            found[_DOUBLED.sub(r"\1", word)].append(word)
        return {bare: tuple(known) for bare, known in found.items()}

    @cached_property
    def bigrams(self) -> frozenset[tuple[str, str]]:
        """Return the pairs of words that stand together in a phrase or a period."""
        periods = {(first, unit) for first in RELATIVE_WORDS for unit in PERIOD_UNITS}
        return frozenset(pair for phrase in self.phrases.keys() - self.synonyms for pair in pairwise(phrase)) | periods

    @cached_property
    def model_words(self) -> frozenset[str]:
        """Return the words of the model, without those of the grammar."""
        return frozenset(word for word in self.vocabulary if not self.is_closed(word))

    @cached_property
    def _letter_pairs(self) -> frozenset[str]:
        return frozenset(
            f"{first}{second}" for word in self.vocabulary | ORDINARY for first, second in pairwise(f" {word} ")
        )

    @cached_property
    def _of_grammar(self) -> frozenset[str]:
        """Return the words of phrases of the grammar that mean nothing else alone: how, many."""
        closed = {
            phrase for phrase, senses in self.phrases.items() if all(sense.kind in ("mark", "free") for sense in senses)
        }
        return frozenset(
            word for phrase in closed for word in phrase if (word,) in closed or (word,) not in self.phrases
        )

    def is_infinitive(self, verb: str) -> bool:
        """Return whether it is the plain form of a verb, of which the third person is known: close, carry over."""
        first, _, rest = verb.lower().partition(" ")
        third = self.phrases.get(tuple(f"{_plural(first)} {rest}".split()), ())
        return any(one.form == "verb" for one in third)

    def is_closed(self, word: str) -> bool:
        """Return whether the word belongs only to the grammar, not to the model."""
        return word in self._of_grammar and word not in _TIME_WORDS

    def is_pronounceable(self, word: str) -> bool:
        """Return whether its letters stand together as in known words, so that it may be another word of English."""
        return all(f"{first}{second}" in self._letter_pairs for first, second in pairwise(f" {word} "))

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
            forms = [_plural(noun) for noun in phrases] if name == "nouns" else []
            forms += [form for verb in phrases for form in _inflect(verb)] if name == "speech" else []
            for phrase in (*phrases, *(one for one in forms if one not in self.usual_words)):
                found[tuple(word.folded for word in words(fold(phrase)))].add(name)
        return {key: frozenset(names) for key, names in found.items()}


def _has_predicate(senses: Iterable[Sense]) -> bool:
    return any(sense.kind == "predicate" for sense in senses)


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
    nouns_of: tuple[tuple[Kind, str], ...] = (("grain", "grains"), ("unit", "units"))
    yield from _closed_senses(settings)
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


def _closed_senses(settings: Mapping[str, Any]) -> Iterator[tuple[str, Sense]]:
    words_of: tuple[tuple[Kind, str], ...] = (("free", "free"), ("mark", "marks"))
    for kind, table in words_of:
        for name, said in settings[table].items():
            yield from ((form, Sense(kind, name, "word")) for phrase in said for form in _list_variants(phrase))
    for name, said in settings["verbs"].items():
        yield from ((form, Sense("mark", name, "word")) for verb in said for form in _inflect(verb, has_past=False))


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


def _inflect(verb: str, *, has_past: bool = True) -> set[str]:
    """Return the forms of a verb: infinitive, third person, participles, and its past."""
    first, _, rest = verb.partition(" ")
    forms = {first, _plural(first), _add_suffix(first, "ing")}
    if has_past:
        forms |= {*_IRREGULAR.get(first, (_add_suffix(first, "ed"),))}
    if has_past and first.endswith("l") and first[-2:-1] in _VOWELS:
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
