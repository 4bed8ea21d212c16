"""Questions that change the one before them. Pure."""

import pytest

from sprints.semantics.questions.follow_up import parse_follow_up
from tests.sprints.cast import TODAY
from tests.sprints.semantics.questions.reading import INDEX, LEXICON, follow, parse, parts_of, read


@pytest.mark.parametrize(
    ("first", "then", "whole"),
    [
        ("How many open bugs does ACCEL have?", "and for HARBOR?", "How many open bugs does HARBOR have?"),
        ("open issues", "only bugs", "open issues that are bugs"),
        ("How many bugs were created last month?", "what about this month?", "How many bugs were created this month?"),
        ("velocity of ACCEL", "and ORBIT?", "velocity of ORBIT"),
        ("bugs closed last month", "by team", "How many bugs were closed last month by team?"),
        (
            "What was carried over from ACCEL's last sprint?",
            "and for ORBIT?",
            "What was carried over from ORBIT's last sprint?",
        ),
        ("Who is assigned to ORBIT-97?", "And who reported it?", "Who reported ORBIT-97?"),
        ("Who is assigned to ORBIT-97?", "and when was it created?", "When was ORBIT-97 created?"),
        ("Who is assigned to ORBIT-97?", "what's its priority?", "What's the priority of ORBIT-97?"),
        ("How many bugs are open?", "split it by team", "How many bugs are open by team?"),
        ("open bugs of ACCEL", "how many points are those in total?", "How many points do open bugs of ACCEL have?"),
        ("How many open bugs does ACCEL have?", "in all teams", "How many bugs are open?"),
    ],
)
def test_a_follow_up_means_what_the_whole_question_means(first: str, then: str, whole: str) -> None:
    changed, expected = follow(read(first), then), read(whole)

    assert changed is not None
    assert parts_of(changed) == parts_of(expected)


@pytest.mark.parametrize("first", ["open bugs of ACCEL", "How many open bugs does ACCEL have?"])
@pytest.mark.parametrize("then", ["which is the oldest?", "the oldest?", "what is the oldest one?", "the 2 oldest"])
def test_a_question_without_its_noun_is_about_the_rows_before(first: str, then: str) -> None:
    before = read(first)
    changed = follow(before, then)

    assert changed is not None
    assert (changed.where, changed.rows_of, changed.rank is not None) == (before.where, "issue", True)


@pytest.mark.parametrize(
    ("then", "by", "direction"),
    [
        ("sort them by age", "age_days", "desc"),
        ("Sort them by points, smallest first", "story_points", "asc"),
        ("order them by priority", "priority", "asc"),
        ("sort by age ascending", "age_days", "asc"),
    ],
)
def test_rows_are_sorted(then: str, by: str, direction: str) -> None:
    before = read("open bugs of ACCEL")
    changed = follow(before, then)

    assert changed is not None
    assert (changed.where, changed.rows_of) == (before.where, "issue")
    assert [(one.by, one.direction) for one in changed.order] == [(by, direction)]


@pytest.mark.parametrize(
    ("then", "columns"),
    [
        ("who has them?", ("assignee",)),
        ("who are they assigned to?", ("assignee",)),
        ("and who reported them?", ("reporter",)),
        ("show their due dates and labels", ("due_date", "label")),
    ],
)
def test_rows_are_shown_with_what_is_theirs(then: str, columns: tuple[str, ...]) -> None:
    before = read("open bugs of ACCEL")
    changed = follow(before, then)

    assert changed is not None
    assert (changed.where, changed.columns) == (before.where, ("issue", "title", *columns))


@pytest.mark.parametrize(
    ("then", "whole"),
    [
        ("And in the sprint before that?", "How many points did ORBIT complete in Sprint 6?"),
        ("and the previous sprint?", "How many points did ORBIT complete in Sprint 6?"),
        ("and the sprint after?", "How many points did ORBIT complete in Sprint 8?"),
        ("what about committed points?", "How many points did ORBIT commit to in Sprint 7?"),
        ("how many issues is that?", "How many issues did ORBIT complete in Sprint 7?"),
    ],
)
def test_a_sprint_or_measure_is_replaced(then: str, whole: str) -> None:
    changed = follow(read("How many points did ORBIT complete in Sprint 7?"), then)

    assert changed is not None
    assert parts_of(changed) == parts_of(read(whole))


@pytest.mark.parametrize("then", ["sort them", "sort them by velocity", "sort the p0 ones by age", "who closed them?"])
def test_an_order_of_something_else_is_asked_back(then: str) -> None:
    assert follow(read("open bugs of ACCEL"), then) is None


@pytest.mark.parametrize(
    "question", ["How many open issues does ORBIT have?", "velocity of ORBIT", "and the purple ones?"]
)
def test_a_whole_question_is_no_follow_up(question: str) -> None:
    assert follow(read("open bugs of ACCEL"), question) is None


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("open bugs of ACCEL", "and who has the most stories?"),
        ("How many bugs were closed in October?", "who closed the most?"),
        ("How many bugs were closed in October?", "which team closed the fewest?"),
        ("How many bugs were closed in October?", "what about October?"),
        ("How many bugs were closed in September?", "what about the previous month?"),
        ("How many points did ORBIT complete in Sprint 8?", "and not complete?"),
        ("Which teams have open bugs?", "and who fixed it?"),
        ("open issues", "all of them"),
        ("Which teams have no open bugs?", "and stories?"),
        ("bugs closed last month", "who did?"),
        ("Who has the most open issues?", "the oldest?"),
    ],
)
def test_what_changes_nothing_or_drops_what_was_said_is_asked_back(first: str, then: str) -> None:
    found = parse_follow_up(then, context=read(first), index=INDEX, today=TODAY, lexicon=LEXICON) or parse(then)

    assert found.query is None


def test_a_whole_question_after_one_about_a_team_may_be_of_that_team_or_of_all() -> None:
    before = read("How many bugs does ACCEL have?")

    found = parse_follow_up(
        "Which issues are blocked?", context=before, index=INDEX, today=TODAY, lexicon=LEXICON
    )  # fmt: skip

    assert found is not None
    assert found.query is None
    assert list(map(parts_of, found.readings)) == [
        parts_of(read("Which issues of ACCEL are blocked?")), parts_of(read("Which issues are blocked?")),
    ]  # fmt: skip


@pytest.mark.parametrize("then", ["Which teams are there?", "How many open issues does each team have?"])
def test_a_whole_question_that_is_of_all_is_asked_anew(then: str) -> None:
    found = parse_follow_up(
        then, context=read("How many bugs does ACCEL have?"), index=INDEX, today=TODAY, lexicon=LEXICON
    )  # fmt: skip

    assert (found or parse(then)).query == read(then)


def test_what_was_changed_says_that_only_the_last_change_is_known() -> None:
    assert any("Only the last time" in one for one in parse("Which issues changed last week?").assumptions)
