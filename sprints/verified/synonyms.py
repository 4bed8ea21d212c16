"""The lexicon of questions, with the synonyms that curators add to terms of the semantic layer."""

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from sprints.linking.folding import words
from sprints.linking.link import link
from sprints.linking.name_cache import RefreshingCache
from sprints.linking.names import NameIndex
from sprints.semantics.model import SemanticModel, Words, shipped_model
from sprints.semantics.questions.lexicon import Lexicon, Sense, make_lexicon, shipped_lexicon
from sprints.verified import queries
from toolbox.database.pools import Pool

REFRESH_SECONDS = 4.0
MAX_SYNONYM_WORDS = 5
TERMS_BY_KIND = {
    "entity": "entities", "measure": "measures", "dimension": "dimensions", "predicate": "predicates",
    "time": "time_roles",
}  # fmt: skip
FORMS = ("noun", "adjective", "verb")
_lexicons: RefreshingCache[Lexicon] = RefreshingCache(seconds=REFRESH_SECONDS)
_latest: list[tuple[list[dict[str, Any]], Lexicon]] = []

Row = Mapping[str, Any]


async def load_lexicon(*, reader: Pool) -> Lexicon:
    """Return the lexicon of questions. A change in the admin is seen within some seconds."""

    async def load() -> Lexicon:
        rows = await queries.load_synonym_rows(reader=reader)
        if not rows:
            return shipped_lexicon()
        if not _latest or _latest[0][0] != rows:
            _latest[:] = [(rows, make_lexicon(add_synonyms(shipped_model(), rows=rows)))]
        return _latest[0][1]

    return await _lexicons.get(reader.conninfo(), load)


def add_synonyms(model: SemanticModel, *, rows: Iterable[Row]) -> SemanticModel:
    """Return the model with further words. Those of unknown terms are left out."""
    changed: dict[str, dict[str, Any]] = {}
    for row in rows:
        group = TERMS_BY_KIND[row["kind"]]
        terms = changed.setdefault(group, dict(getattr(model, group)))
        if term := terms.get(row["term"]):
            forms = f"{row['form']}s"
            said = term.words.model_copy(update={forms: (*getattr(term.words, forms), row["phrase"].lower())})
            terms[row["term"]] = term.model_copy(update={"words": Words.model_validate(said.model_dump())})
    return model.model_copy(update=changed)


def find_conflict(row: Row, *, others: Iterable[Row], index: NameIndex) -> str:
    """Return why a synonym cannot be added: it has a meaning, or is not a word. Empty if it can."""
    phrase = str(row["phrase"]).strip()
    size = len(words(phrase))
    if not 1 <= size <= MAX_SYNONYM_WORDS:
        return f"A synonym has one to {MAX_SYNONYM_WORDS} words."
    linked = link(phrase, index=index, today=date(2000, 1, 1))
    if linked.keys or linked.periods or linked.sprint_references or linked.amounts:
        return f"'{phrase}' is read as an issue key, a time, a sprint or a number."
    if named := next((one for one in linked.spotted if one.is_exact), None):
        return f"'{named.said}' is the name of a {named.kind}: {named.names[0].label}."
    before = make_lexicon(add_synonyms(shipped_model(), rows=others))
    after = make_lexicon(add_synonyms(before.model, rows=[row]))
    own = (row["kind"], row["term"])
    for key, senses in after.phrases.items():
        known = before.phrases.get(key, ())
        if known and senses != known and own not in {(sense.kind, sense.name) for sense in known}:
            meanings = ", ".join(sorted({_describe(sense) for sense in known}))
            return f"'{' '.join(key)}' already means {meanings}."
    said = tuple(word.folded for word in words(phrase.lower()))
    is_known = own in {(sense.kind, sense.name) for sense in before.phrases.get(said, ())}
    return f"'{phrase}' is a word for it already." if is_known else ""


def _describe(sense: Sense) -> str:
    kinds = {"mark": "grammar", "free": "a word without a meaning of its own", "time": "time role"}
    return f"{sense.name} ({kinds.get(sense.kind, sense.kind)})"
