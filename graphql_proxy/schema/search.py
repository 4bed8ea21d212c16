"""Ranked search over a schema: queries, mutations, types, fields and enum values, by name and description."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from heapq import nlargest
from typing import Literal

from graphql import (
    GraphQLArgument,
    GraphQLEnumType,
    GraphQLField,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLSchema,
    NullValueNode,
    get_named_type,
    print_ast,
)

Kind = Literal["query", "mutation", "type", "field", "value"]

_WEIGHTS: dict[Kind, float] = {"query": 2.0, "type": 1.4, "mutation": 1.0, "field": 0.8, "value": 0.4}
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_EMPTY_WORDS = frozenset(
    re.findall(r"\w+", "a all an and are by do for from get in is list me of on or show the to what which who with")
)
MAX_WORDS = 12
MIN_PREFIX = 3
MIN_LIKENESS = 0.75
MAX_ALIKE, MIN_SHARED = 4, 0.25
RARITY_OF_A_GUESS = 3.0
DESCRIPTION_WEIGHT, ARGUMENT_WEIGHT, DEPRECATED_WEIGHT = 0.35, 0.3, 0.5
MAX_DESCRIPTION = 2_000
"""The maximum indexed characters of a description."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One search entry: its place, its signature, its description."""

    kind: Kind
    path: str
    name: str
    signature: str
    description: str
    is_deprecated: bool = False


@dataclass(slots=True)
class _Occurrence:
    entry: int
    weight: float


@dataclass(slots=True)
class SchemaIndex:
    """An inverted index over one schema's words."""

    entries: list[Entry] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    postings: dict[str, list[_Occurrence]] = field(default_factory=lambda: defaultdict(list))
    trigrams: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    exact: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def from_schema(cls, schema: GraphQLSchema) -> "SchemaIndex":
        """Index every name in a schema except built-in ones."""
        index = cls()
        for entry, arguments in _entries(schema):
            index._add(entry, arguments=arguments)
        for word in index.postings:
            for gram in _grams(word):
                index.trigrams[gram].add(word)
        return index

    def search(self, text: str, *, limit: int) -> list[Entry]:
        """Return the best entries first. Misspelt words match similar spellings."""
        scores: dict[int, float] = defaultdict(float)
        hits: dict[int, int] = defaultdict(int)
        wanted = _query_words(text)
        for word in wanted:
            for number, score in self._matches(word).items():
                scores[number] += score
                hits[number] += 1
        for number, count in hits.items():
            scores[number] *= count / len(wanted)
        for number in self.exact.get("".join(wanted), ()):
            scores[number] += 10
        weighed = {number: self._weigh(number, score) for number, score in scores.items()}
        best = sorted(weighed, key=lambda number: (-weighed[number], len(self.entries[number].path), number))
        return [self.entries[number] for number in best[:limit]]

    def strangers(self, text: str) -> list[str]:
        """Return the words of a search that are not in the schema, not even as a prefix."""
        return [
            word
            for word in dict.fromkeys(_query_words(text))
            if word not in self.postings and not self._find_by_prefix(word)
        ]

    def nearest(self, text: str, *, limit: int) -> list[str]:
        """Return the names whose words are most similar to those of a search, at any distance."""
        scores: dict[int, float] = {}
        for word in _query_words(text):
            for known, likeness in self._alike(word):
                for posting in self.postings[known]:
                    score = self._weigh(posting.entry, likeness * posting.weight)
                    scores[posting.entry] = max(score, scores.get(posting.entry, 0))
        best = sorted(scores, key=lambda number: (-scores[number], len(self.entries[number].path), number))
        return list(dict.fromkeys(self.entries[number].path for number in best))[:limit]

    def _alike(self, word: str) -> list[tuple[str, float]]:
        """Return the index's words that share the most trigrams with a word, and how many they share."""
        grams = _grams(word)
        shared = Counter(known for gram in grams for known in self.trigrams.get(gram, ()))
        alike = ((known, 2 * count / (len(grams) + len(known))) for known, count in shared.items())
        return nlargest(MAX_ALIKE, (one for one in alike if one[1] >= MIN_SHARED), key=lambda one: one[1])

    def _find_by_prefix(self, word: str) -> set[str]:
        """Return the index's words that begin with a word."""
        grams = _grams(word) if len(word) >= MIN_PREFIX else ()
        like = {known for gram in grams for known in self.trigrams.get(gram, ())}
        return {known for known in like if known != word and known.startswith(word)}

    def _weigh(self, number: int, score: float) -> float:
        entry = self.entries[number]
        weight = _WEIGHTS[entry.kind] * (DEPRECATED_WEIGHT if entry.is_deprecated else 1)
        return score * weight / (1 + 0.15 * self.lengths[number])

    def _matches(self, word: str) -> dict[int, float]:
        """Score every entry for one word by its best occurrence there."""
        scores: dict[int, float] = {}
        for known, likeness in self._find_known(word):
            postings = self.postings[known]
            rarity = math.log(1 + len(self.entries) / len(postings)) if likeness == 1 else RARITY_OF_A_GUESS
            for posting in postings:
                score = likeness * rarity * posting.weight
                if score > scores.get(posting.entry, 0):
                    scores[posting.entry] = score
        return scores

    def _find_known(self, word: str) -> Iterator[tuple[str, float]]:
        """Return the index's words for a word: itself, those that begin with it, else similar ones."""
        if word in self.postings:
            yield word, 1.0
        like = {known for gram in _grams(word) for known in self.trigrams.get(gram, ()) if known != word}
        begun = {known for known in like if len(word) >= MIN_PREFIX and known.startswith(word)}
        yield from ((known, 0.5) for known in begun)
        if word not in self.postings:
            matcher = SequenceMatcher(b=word)
            for known in like - begun:
                matcher.set_seq1(known)
                if matcher.quick_ratio() >= MIN_LIKENESS and (ratio := matcher.ratio()) >= MIN_LIKENESS:
                    yield known, ratio**3 * 0.9

    def _add(self, entry: Entry, *, arguments: Iterable[str]) -> None:
        number = len(self.entries)
        self.entries.append(entry)
        own = words(entry.name)
        self.lengths.append(len(own))
        self.exact["".join(own)].append(number)
        weights: dict[str, float] = {}
        for word in words(" ".join(arguments)):
            weights[word] = ARGUMENT_WEIGHT
        for word in words(entry.description) + words(entry.path.rpartition(".")[0]):
            weights[word] = DESCRIPTION_WEIGHT
        weights |= dict.fromkeys(own, 1.0)
        for word, weight in weights.items():
            self.postings[word].append(_Occurrence(number, weight))


def words(text: str) -> list[str]:
    """Split names and prose into words: camelCase, snake_case, lower case, singular."""
    return [_singular(word.lower()) for word in _WORD.findall(text)]


def _query_words(text: str) -> list[str]:
    """Return the words of a search without stop words, unless there are no others."""
    found = words(text)[:MAX_WORDS]
    return [word for word in found if word not in _EMPTY_WORDS] or found


def _singular(word: str) -> str:
    if re.fullmatch(r"\w{2,}ies", word):
        return f"{word[:-3]}y"
    return word[:-1] if re.fullmatch(r"\w{2,}[^s]s", word) else word


def _grams(word: str) -> set[str]:
    padded = f"^{word}$"
    return {padded[start : start + 3] for start in range(len(padded) - 2)}


def _entries(schema: GraphQLSchema) -> Iterator[tuple[Entry, list[str]]]:
    """Return everything with a name, and the names of its arguments."""
    roots: dict[str, Kind] = {}
    if schema.mutation_type is not None:
        roots[schema.mutation_type.name] = "mutation"
    if schema.query_type is not None:
        roots[schema.query_type.name] = "query"
    for name, of in schema.type_map.items():
        if name.startswith("__"):
            continue
        if name not in roots:
            yield _entry("type", path=name, name=name, signature=name, description=of.description), []
        yield from _inside(of, kind=roots.get(name, "field"))


def _inside(of: GraphQLNamedType, *, kind: Kind) -> Iterator[tuple[Entry, list[str]]]:
    if isinstance(of, GraphQLEnumType):
        for value, about in of.values.items():
            path = f"{of.name}.{value}"
            entry = _entry("value", path=path, name=value, signature=path, description=about.description,
                           deprecated=about.deprecation_reason)  # fmt: skip
            yield entry, []
    elif isinstance(of, GraphQLObjectType | GraphQLInterfaceType | GraphQLInputObjectType):
        for member, about_field in of.fields.items():
            yield _member(about_field, name=member, of=of.name, kind=kind)


def _member(about: GraphQLField | GraphQLInputField, *, name: str, of: str, kind: Kind) -> tuple[Entry, list[str]]:
    path = name if kind != "field" else f"{of}.{name}"
    arguments = getattr(about, "args", {})
    signature = f"{path}{arguments_signature(arguments)}: {about.type}"
    entry = _entry(kind, path=path, name=name, signature=signature, description=about.description,
                   deprecated=about.deprecation_reason)  # fmt: skip
    return entry, list(arguments)


def arguments_signature(arguments: Mapping[str, GraphQLArgument], *, most: int = 6) -> str:
    """Write arguments as SDL does, required ones first. Past `most`, say how many more there are."""
    if not arguments:
        return ""
    ordered = sorted(arguments.items(), key=lambda item: not str(item[1].type).endswith("!"))
    shown = [f"{name}: {argument.type}" for name, argument in ordered[:most]]
    more = [f"… {len(ordered) - most} more"] if len(ordered) > most else []
    return f"({', '.join(shown + more)})"


def default_text(of: GraphQLArgument | GraphQLInputField) -> str:
    """Write a default value as SDL does. Empty if there is none, or null."""
    node = of.ast_node.default_value if of.ast_node else None
    return "" if node is None or isinstance(node, NullValueNode) else print_ast(node)


def row_type(of: GraphQLNamedType) -> GraphQLNamedType:
    """Return the row type of a connection, else the type itself."""
    edges = of.fields.get("edges") if isinstance(of, GraphQLObjectType) else None
    return get_named_type(edges.type) if edges else of


def _entry(
    kind: Kind, *, path: str, name: str, signature: str, description: str | None, deprecated: str | None = None
) -> Entry:
    said = " ".join((description or "")[:MAX_DESCRIPTION].split())
    if deprecated is not None:
        said = f"Deprecated: {' '.join(deprecated[:MAX_DESCRIPTION].split())} {said}".strip()
    return Entry(
        kind=kind, path=path, name=name, signature=signature, description=said, is_deprecated=deprecated is not None
    )
