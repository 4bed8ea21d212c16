"""Whatever is asked, a question ends in SQL with sound quotes or in a question back, and quickly enough to count."""

from hypothesis import given, settings
from hypothesis import strategies as st

from sprints.asking.drafting import draft
from sprints.asking.understanding import Understood
from sprints.linking.link import link
from sprints.verified.library import shipped
from sprints.verified.matching import Library, Verified, match
from tests.sprints.cast import PEOPLE, TODAY, index

INDEX = index()
LIBRARY = Library.of([Verified.of(row) for row in shipped()])
NAMES = ("Avery", "ACCEL", "last", "2 sprints", "sprint 7", "since", "March", "3/4/2026", "2026-13-01", "Q3")
OTHERS = ("velocity", "how many", "bugs", "p0", "QA", "open", "per week", "5")
SIGNS = ("'", '"', ";", "--", "{team}", "[[", "]]", "\x00", "%s")
WORDS = st.sampled_from([*PEOPLE, *NAMES, *OTHERS, *SIGNS])
QUESTIONS = st.one_of(st.text(max_size=300), st.lists(WORDS, max_size=25).map(" ".join))


@settings(max_examples=250)
@given(QUESTIONS)
def test_any_text_is_drafted_or_asked_back(question: str) -> None:
    linked = link(question, index=INDEX, today=TODAY)
    matches = match(linked, library=LIBRARY)

    drafted = draft(Understood(linked=linked, index=INDEX, library=LIBRARY, matches=matches, assumptions=()))

    assert (drafted.sql is None) is bool(drafted.clarification)
    if drafted.sql:
        assert "{" not in drafted.sql
        assert "[[" not in drafted.sql
        assert drafted.sql.count("'") % 2 == 0
