"""Whatever is asked, a question ends in SQL with sound quotes or in a question back, and quickly enough to count."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sprints.asking.drafts import draft_without_model
from sprints.asking.reading import QuestionReading
from sprints.semantics.questions.grammar import parse_question
from sprints.semantics.questions.lexicon import shipped_lexicon
from sprints.verified.library import list_shipped_queries, make_library
from tests.sprints.cast import PEOPLE, TODAY, index

INDEX = index()
LEXICON = shipped_lexicon()
LIBRARY = make_library(list_shipped_queries(), lexicon=LEXICON)
NAMES = ("Avery", "ACCEL", "last", "2 sprints", "sprint 7", "since", "March", "3/4/2026", "2026-13-01", "Q3")
OTHERS = ("velocity", "how many", "bugs", "p0", "QA", "open", "per week", "5", "burndown", "overloaded", "who is")
SIGNS = ("'", '"', ";", "--", "{team}", "[[", "]]", "\x00", "%s")
WORDS = st.sampled_from([*PEOPLE, *NAMES, *OTHERS, *SIGNS])
QUESTIONS = st.one_of(st.text(max_size=300), st.lists(WORDS, max_size=25).map(" ".join))


@pytest.mark.slow
@settings(max_examples=250, deadline=None)
@given(QUESTIONS)
def test_any_text_is_drafted_or_asked_back(question: str) -> None:
    parse = parse_question(question, index=INDEX, today=TODAY, lexicon=LEXICON)
    reading = QuestionReading(
        question=question, linked=parse.linked, parse=parse, index=INDEX, library=LIBRARY, lexicon=LEXICON
    )

    draft = draft_without_model(reading)

    assert (draft.sql is None) is bool(draft.clarification)
    if draft.sql:
        assert not re.search(r"\{[a-z_]", draft.sql)
        assert "[[" not in draft.sql
        assert draft.sql.count("'") % 2 == 0
