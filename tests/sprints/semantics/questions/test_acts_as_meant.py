"""Acts that go on, are compared, are usual or have not begun: read as they are meant, or asked back."""

import pytest

from sprints.asking.explanations import describe_rows
from sprints.contracts import QueryResult
from tests.sprints.semantics.questions.reading import parse, read


@pytest.mark.parametrize(
    "question",
    [
        "who is closing the most bugs",
        "who is finishing the fewest stories",
        "which team is fixing the most bugs",
        "is Levi Walker closing more issues than Zoë Müller",
        "are we closing more bugs than we open",
        "how many bugs is ORBIT closing",
        "who closes more bugs than they open",
        "how many points does ORBIT usually complete",
        "average points ORBIT completes",
        "who has not started anything yet",
        "who hasn't started",
        "who hasn't started anything",
        "who closed more bugs than they created",
        "who has not started any issue in sprint 9",
        "which teams have not started anything in sprint 9",
        "which team had more added than removed points in sprint 8",
        "which sprints had more committed than completed points",
        "how many points were committed, added and completed in sprint 8",
        "how many issues were created, closed and reopened last week",
    ],
)
def test_a_number_of_what_is_no_state_of_now_is_asked_back(question: str) -> None:
    assert parse(question).query is None


@pytest.mark.parametrize(
    ("question", "measures"),
    [
        ("do we close more bugs than we open", ("resolved_issues", "created_issues")),
        ("do we finish more bugs than we open per month", ("resolved_issues", "created_issues")),
        ("does ORBIT open more bugs than it closes", ("created_issues", "resolved_issues")),
        ("did we close more bugs than are open", ("resolved_issues", "open_issues")),
        ("which team removed more points than it added in sprint 8", ("removed_points", "added_points")),
        ("how many points do we complete on average in a sprint", ("velocity",)),
        ("how many bugs are being fixed", ("issues",)),
    ],
)
def test_an_act_is_counted_by_when_it_was_done(question: str, measures: tuple[str, ...]) -> None:
    assert read(question).measures == measures


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("who opens the most bugs", '"dimension":"reporter"'),
        ("who is opening the most bugs", '"dimension":"reporter"'),
        ("which bugs is ORBIT fixing", '"predicate":"in_progress"'),
        ("is Levi Walker still working on ACCEL-5", '"columns":["issue","title","assignee","status"]'),
        ("who is working on ACCEL-5", '"columns":["issue","title","assignee","status"]'),
    ],
)
def test_an_act_of_now_says_who_and_whether(question: str, part: str) -> None:
    assert part in read(question).model_dump_json()


def test_dates_are_told_with_their_names() -> None:
    rows = [
        {"team": "ACCEL", "sprint": "ACCEL Sprint 7", "state": "closed", "start": "2026-10-12", "end": "2026-10-23",
         "goal": ""},
        {"team": "ORBIT", "sprint": "ORBIT Sprint 7", "state": "closed", "start": "2026-10-12", "end": "2026-10-24",
         "goal": "Storage"},
    ]  # fmt: skip

    text = describe_rows(QueryResult(rows=rows, count=2, runtime_ms=1.0))

    assert "ACCEL, ACCEL Sprint 7, closed, no goal: start 2026-10-12, end 2026-10-23;" in text
    assert "ORBIT, ORBIT Sprint 7, closed, Storage: start 2026-10-12, end 2026-10-24." in text


def test_the_date_of_a_group_is_its_name() -> None:
    rows = [{"month": "2026-10-01", "issues": 3}, {"month": "2026-11-01", "issues": 4}]

    assert "2026-10-01: issues 3; 2026-11-01: issues 4." in describe_rows(
        QueryResult(rows=rows, count=2, runtime_ms=1.0)
    )


@pytest.mark.parametrize("question", ["which people have left", "who left", "people who left", "who has left"])
def test_who_left_is_no_longer_active(question: str) -> None:
    assert '"person_inactive"' in read(question).model_dump_json()


@pytest.mark.parametrize(
    "question",
    [
        "p0 bugs that are older than 10 days and not blocked",
        "has ORBIT any p0s",
        "unassigned issues that are not blocked",
    ],
)
def test_what_is_usual_for_open_work_is_asked_of_it(question: str) -> None:
    assert '"open"' in read(question).model_dump_json()


@pytest.mark.parametrize("question", ["what sprint is it", "which sprint are we on", "which sprint is ORBIT in"])
def test_the_sprint_that_it_is_runs_now(question: str) -> None:
    assert '"sprint_active"' in read(question).model_dump_json()
