"""Questions read with the cast of names, without a database."""

from sprints.semantics.query import MetricQuery
from sprints.semantics.questions.follow_up import parse_follow_up
from sprints.semantics.questions.grammar import Parse, parse_question
from sprints.semantics.questions.lexicon import shipped_lexicon
from tests.sprints.cast import TODAY, index

INDEX = index()
LEXICON = shipped_lexicon()


def parse(question: str) -> Parse:
    return parse_question(question, index=INDEX, today=TODAY, lexicon=LEXICON)


def read(question: str) -> MetricQuery:
    found = parse(question)
    assert found.query is not None, (question, found.unbound, found.why, found.readings)
    return found.query


def follow(context: MetricQuery, question: str) -> MetricQuery | None:
    found = parse_follow_up(question, context=context, index=INDEX, today=TODAY, lexicon=LEXICON)
    return found.query if found else None


def parts_of(query: MetricQuery) -> dict[str, object]:
    """Return a query with its conditions unordered, and one value in a list as one value."""
    content = query.model_dump(mode="json")
    where = content.pop("where")
    parts = where["parts"] if where and where["kind"] == "and" else [where]
    return {**content, "where": sorted(str(part).replace("'in'", "'eq'") for part in parts)}
