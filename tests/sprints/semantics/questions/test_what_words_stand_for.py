"""Questions that looked certain and were wrong: changed words of the question sets found them. Pure."""

import pytest

from sprints.semantics.query import MetricQuery
from tests.sprints.semantics.questions.reading import follow, parse, parts_of, read


@pytest.mark.parametrize(
    ("question", "same"),
    [
        ("Issues with neither label nor estimate", "Issues with neither a label nor an estimate"),
        ("bugs that haven't an assignee in ORBIT", "bugs of ORBIT that have no assignee"),
        ("Bugs resolved in October that did not have an estimate from ORBIT",
         "Unestimated bugs of ORBIT that were resolved in October"),
        ("issues removed after the start of ORBIT Sprint 6", "issues removed from ORBIT Sprint 6"),
        ("Which issues were taken out of HARBOR Sprint 2 after it started?",
         "Which issues were taken out of HARBOR Sprint 2?"),
        ("velocity in ACCEL Sprint 8 or ACCEL Sprint 7", "velocity in ACCEL Sprint 8 and ACCEL Sprint 7"),
        ("bugs with story points at least 5 points", "bugs with at least 5 points"),
        ("open issues by assignee, the highest by issues", "Which assignee has the most open issues?"),
        ("average points per issue", "average points of issues"),
    ],
)  # fmt: skip
def test_what_is_said_otherwise_means_the_same(question: str, same: str) -> None:
    (found, conditions), (expected, other) = (split_parts(one) for one in (question, same))

    assert conditions == other
    assert (found.measures, found.rank) == (expected.measures, expected.rank)


def split_parts(question: str) -> tuple[MetricQuery, list[str]]:
    """Return the query, and its conditions besides those that a group's name is known."""
    query = read(question)
    return query, [part for part in parts_of(query)["where"] if "is_not_null" not in part]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("Which issues were not blocked in ACCEL Sprint 7?", "'how': 'during', 'role': 'blocked'"),
        ("Which issues of ORBIT have not been started?", "'field': 'started_at', 'op': 'is_not_null'"),
    ],
)
def test_what_did_not_happen_is_not_what_is_not_so_now(question: str, condition: str) -> None:
    (found,) = [part for part in parts_of(read(question))["where"] if "not" in part and condition in part]  # type: ignore[attr-defined]

    assert found


def test_a_rank_is_replaced() -> None:
    changed = follow(read("Which team has the most open bugs?"), "bottom three instead")

    assert changed is not None
    assert changed.rank is not None
    assert (changed.rank.count, changed.rank.direction) == (3, "asc")


def test_a_swap_leaves_the_name_that_follows() -> None:
    changed = follow(read("open bugs of ACCEL"), "instead of ACCEL ORBIT")

    assert changed is not None
    assert "ORBIT" in str(parts_of(changed)["where"])
    assert "not_in" not in str(parts_of(changed)["where"])


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("Which teams resolved only bugs in October?", "bugs"),
        ("Which epics have only done issues?", "done"),
        ("issues with only the security label", "security"),
        ("Which people have neither bugs nor stories?", "neither bugs"),
        ("who has nothing open but bugs?", "but"),
        ("not all bugs are open", "not all"),
        ("issues blocked or overdue but not both", "but not both"),
        ("issues by type versus ORBIT", "versus"),
        ("median lead time per team as a percentage", "as a percentage"),
        ("bugs that were not blocked at least twice", "at least twice"),
        ("Which issues have no estimate for more than 3 days?", "no estimate more than 3 days"),
        ("points completed in the last 3 sprints before sprint 7", "before sprint 7"),
        ("Which issues did ACCEL complete in sprint 7 after it had started?", "after it had started"),
        ("created issues and resolved issues in November by team", "created"),
        ("How many issues have not never been blocked?", "not"),
        ("Rank the teams by average lead time, not slowest first", "not"),
        ("summary of ACCEL", "summary"),
        ("who has both bugs and stories?", "bugs, stories"),
        ("Which issues were in both sprint 5 and sprint 6?", "sprint 5 and sprint 6"),
        ("Which teams have all issues done?", "issues"),
        ("issues that were blocked but not in sprint 7", "but not sprint 7"),
        ("no bugs in sprint 7?", "no"),
        ("When was ACCEL-86 created, and by whom?", "whom"),
        ("Who started ACCEL-86?", "Who"),
        ("How many bugs are open and who has them?", "who"),
        ("Which people have bugs and stories open?", "bugs, stories"),
        ("Which people with bugs and stories are there?", "bugs, stories"),
        ("Which team closed all its bugs?", "bugs"),
        ("Is ORBIT-100 blocked by anything?", "by anything"),
        ("Which issues have no label other than security?", "no label"),
        ("Which bugs are not due until December?", "not due"),
        ("How many hours per point did ACCEL spend?", "per point"),
    ],
)
def test_a_word_with_no_place_is_named(question: str, word: str) -> None:
    assert parse(question).unbound == (word,)


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("How many points does ACCEL complete on average?", "of an issue, a sprint, a month"),
        ("issues carried over from sprint 5 to sprint 7", "Carried over from which sprint?"),
        ("How many points were completed in ORBIT Sprint 6 except ORBIT?", "Of which team is"),
        ("remaining points in HARBOR Sprint 8 on 2 November", "once a sprint, not once a day"),
        ("points left in ACCEL Sprint 10 yesterday", "once a sprint, not once a day"),
    ],
)
def test_what_is_missing_is_asked_for(question: str, asked: str) -> None:
    assert asked in parse(question).why


@pytest.mark.parametrize(
    ("question", "direction"),
    [
        ("Rank HARBOR's closed sprints by carried-over points, worst first", "desc"),
        ("Rank the teams by velocity, worst first", "asc"),
        ("Rank the teams by velocity, slowest first", "asc"),
        ("Rank the teams by median cycle time, slowest first", "desc"),
        ("Rank the teams by median cycle time, best first", "asc"),
    ],
)
def test_worst_first_is_by_what_the_measure_calls_worse(question: str, direction: str) -> None:
    (order,) = read(question).order

    assert order.direction == direction


@pytest.mark.parametrize("question", ["HARBOR?", "and HARBOR?", "Levi Walker", "the epic, HARBOR"])
def test_a_name_alone_asks_for_nothing(question: str) -> None:
    assert parse(question).query is None


@pytest.mark.parametrize(
    ("question", "columns"),
    [
        ("When was ACCEL-86 created, and who has it now?", ("assignee", "created_at")),
        ("Who reported ACCEL-86 and when was it resolved?", ("reporter", "resolved_at")),
    ],
)
def test_a_verb_belongs_to_the_word_that_asks_before_it(question: str, columns: tuple[str, ...]) -> None:
    assert set(columns) == set(read(question).columns) - {"issue", "title"}


@pytest.mark.parametrize(
    "question",
    [
        "Which of HARBOR Sprint 5's issues isn't finished yet?", "Which issues of HARBOR Sprint 5 are not done?",
        "Which issues of HARBOR Sprint 5 have not been finished?",
    ],
)  # fmt: skip
def test_what_is_so_now_is_not_what_was_so_when_the_sprint_closed(question: str) -> None:
    assert parts_of(read(question)) == parts_of(read("Which issues of HARBOR Sprint 5 are still open?"))


def test_a_verb_says_whose_part_a_person_has() -> None:
    """Reported is what the reporter did, and not what the assignee did."""
    assert [str(group) for group in read("How many bugs did each person report in October?").group_by] == [
        str(group) for group in read("How many bugs were reported in October by each reporter?").group_by
    ]


@pytest.mark.parametrize(
    "question",
    ["How many points of p0 or p1 are open?", "What is the total number of points of open p0 and p1 bugs?"],
)
def test_one_number_of_several_values_is_not_split(question: str) -> None:
    assert read(question).group_by == ()


@pytest.mark.parametrize(
    "question",
    [
        "What sprints are planned for HARBOR?", "Which sprint had the biggest scope change?",
        "Which issues carried over from HARBOR Sprint 3 were finished in sprint 4?",
        "How many issues were added to ACCEL Sprint 6 and then removed?",
        "Who has had an issue in progress the longest?", "Compare Levi Walker and Avery Smith",
        "share of bugs in open issues per team", "percentage of blocked issues per team",
        "HARBOR Sprint 8 summary", "Which person has the most work?",
        "issues blocked since Monday",
        "Not a single bug of HARBOR is p0, right?",
        "Did ACCEL close better bugs than ORBIT?", "ORBIT Sprint 7 committed, completed",
        "Which unfinished issues did ORBIT carry over from Sprint 7?",
    ],
)  # fmt: skip
def test_what_may_mean_something_else_is_asked_back(question: str) -> None:
    assert parse(question).query is None
