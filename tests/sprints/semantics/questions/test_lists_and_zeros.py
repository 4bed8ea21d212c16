"""Lists where a list is asked for, scope that came and went, groups without rows, and what is said to be included."""

import pytest

from sprints.semantics.query import Order
from tests.sprints.semantics.questions.reading import parse, read
from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows

pytestmark = pytest.mark.usefixtures("django_db_setup")

EACH = [
    ("what does each person have in progress", "assignee"),
    ("what is each person working on", "assignee"),
    ("which bugs does each person have open", "assignee"),
    ("what has each team blocked", "team"),
    ("which issues did each team complete in sprint 8", "team"),
    ("what did each team complete in October", "team"),
    ("which stories are open in every epic", "epic"),
]


@pytest.mark.parametrize(("question", "owner"), EACH)
def test_what_each_has_is_a_list_in_the_order_of_its_owners(question: str, owner: str) -> None:
    query = read(question)

    assert query.rows_of in ("issue", "membership")
    assert query.order[0] == Order(by=owner)
    assert query.columns[0] == owner


@pytest.mark.parametrize("question", [
    "how many issues does each person have in progress", "what is the velocity of each team",
    "what did each team get done in October, in tickets?", "what was completed each month",
])  # fmt: skip
def test_a_number_of_each_stays_a_number(question: str) -> None:
    assert read(question).measures


@pytest.mark.parametrize(
    ("question", "plain"),
    [
        ("what is each team's velocity", "velocity by team"),
        ("every team's velocity", "velocity by team"),
        ("what was each sprint's velocity", "velocity by sprint"),
        ("each team\u2019s average velocity", "average velocity by team"),
    ],
)
def test_the_owner_of_each_is_no_part_of_the_noun(question: str, plain: str) -> None:
    assert read(question) == read(plain)


def test_a_list_of_each_has_the_rows_of_an_independent_statement() -> None:
    rows = ask("what does each person have in progress").rows

    assert [(row["assignee"], row["issue"]) for row in rows] == sorted((row["assignee"], row["issue"]) for row in rows)
    assert_same_rows(
        "what did each team finish last sprint",
        truth="SELECT i.issue_key FROM sprint_issues JOIN sprints USING (sprint_id) JOIN issues AS i USING (issue_id) "
        "WHERE sprint_name LIKE '% Sprint 8' AND was_completed",
    )


SCOPE = [
    ("how much scope was added in sprint 8",
     ("SELECT team_key, added_points, added_issues FROM sprint_summary JOIN teams USING (team_id) "
     "WHERE sprint_name LIKE '% Sprint 8'")),
    ("How much scope was removed from ORBIT in sprint 3?",
     "SELECT removed_points, removed_issues FROM sprint_summary WHERE sprint_name = 'ORBIT Sprint 3'"),
    ("how much scope did HARBOR drop last sprint",
     "SELECT removed_points, removed_issues FROM sprint_summary WHERE sprint_name = 'HARBOR Sprint 8'"),
    ("how much scope was removed in sprint 4",
     ("SELECT team_key, removed_points, removed_issues FROM sprint_summary JOIN teams USING (team_id) "
     "WHERE sprint_name LIKE '% Sprint 4'")),
    ("scope added per sprint for ORBIT",
     ("SELECT sprint_name, added_points, added_issues FROM sprint_summary JOIN teams USING (team_id) "
     "WHERE team_key = 'ORBIT' AND started_at IS NOT NULL")),
    ("which team added the most scope in points",
     ("SELECT team_key, sum(added_points) FROM sprint_summary JOIN teams USING (team_id) GROUP BY 1 "
     "ORDER BY 2 DESC LIMIT 1")),
    ("How much scope was added after the start in October, in points?",
     ("SELECT sum(points_at_start) FROM sprint_issues WHERE was_added_after_start AND added_at >= '2026-10-01' "
     "AND added_at < '2026-11-01'")),
    ("scope of ORBIT Sprint 8", "SELECT scope_issues FROM sprint_summary WHERE sprint_name = 'ORBIT Sprint 8'"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "truth"), SCOPE)
def test_scope_that_changed_is_all_that_came_or_left(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


def test_the_most_scope_is_ranked_by_points_which_is_said() -> None:
    found = parse("which team adds the most scope")

    assert found.query is not None
    assert found.query.measures == ("added_points", "added_issues")
    assert found.query.rank is not None
    assert found.query.rank.by == "added_points"
    assert "Ranked by points" in " ".join(found.assumptions)


ZEROS = [
    ("how many stories are in QA this sprint",
     ("SELECT team_key, count(i.issue_id) FROM teams AS t LEFT JOIN issues AS i ON i.team_id = t.team_id "
     "AND i.status = 'QA' AND i.issue_type = 'Story' AND EXISTS (SELECT 1 FROM sprint_issues JOIN sprints "
     "USING (sprint_id) WHERE issue_id = i.issue_id AND is_in_scope AND sprint_name LIKE '% Sprint 9') GROUP BY 1")),
    ("how many stories are not started this sprint", "SELECT team_key, 0 FROM teams"),
    ("how many stories are not started in sprint 9 in ORBIT and HARBOR",
     "SELECT team_key, 0 FROM teams WHERE team_key IN ('ORBIT', 'HARBOR')"),
    ("how many stories are not started in ORBIT Sprint 9 and ORBIT Sprint 8 by sprint",
     "SELECT sprint_name, 0 FROM sprints WHERE sprint_name IN ('ORBIT Sprint 8', 'ORBIT Sprint 9')"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "truth"), ZEROS)
def test_groups_of_named_sprints_without_rows_are_zero(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


def test_what_never_happened_is_not_among_the_most() -> None:
    assert_same_rows(
        "the most reopened bugs", truth="SELECT issue_key FROM issues WHERE issue_type = 'Bug' AND reopened_count > 0"
    )


def test_what_happened_least_may_never_have_happened() -> None:
    assert read("the least reopened bugs").where == read("bugs").where


@pytest.mark.parametrize("question", ["how many days are left in sprint 8 and sprint 9", "days left in sprint 10"])
def test_days_left_of_sprints_that_do_not_run_are_asked_back(question: str) -> None:
    answer = ask(question)

    assert answer.source is None
    assert "Only a sprint that runs has days left." in answer.answer


@pytest.mark.parametrize("question", ["anything to do for Levi", "is there something to do in ORBIT"])
def test_something_to_do_is_whatever_is_not_done(question: str) -> None:
    assert '"open"' in read(question).model_dump_json()


@pytest.mark.parametrize("question", ["which teams have no unestimated issues", "who has no unestimated stories"])
def test_what_nobody_lacks_is_of_open_work(question: str) -> None:
    assert '"open"' in read(question).model_dump_json()


INCLUDED = [
    ("which issues were committed", "All sprints are meant."),
    ("how many issues were carried over", "All sprints are meant."),
    ("committed bugs in ORBIT", "All sprints are meant."),
    ("what is not in any epic", "Epics are among them, since an epic belongs to none."),
]


@pytest.mark.parametrize(("question", "note"), INCLUDED)
def test_what_nothing_leaves_out_is_said_to_be_included(question: str, note: str) -> None:
    assert note in parse(question).assumptions


@pytest.mark.parametrize("question", [
    "which issues were committed to sprint 8", "carried over issues per sprint", "issues carried over since October",
    "open stories without an epic",
])  # fmt: skip
def test_nothing_is_said_of_what_is_limited(question: str) -> None:
    assert not {note for _, note in INCLUDED} & {*parse(question).assumptions}


COMMITTED = "SELECT sprint_name, committed_points FROM sprint_summary WHERE sprint_name IN "
BESIDE = [
    ("How does ACCEL sprint 8 compare with the previous one in points committed?",
     COMMITTED + "('ACCEL Sprint 7', 'ACCEL Sprint 8')"),
    ("How does the current ORBIT sprint compare with the previous one in points committed?",
     COMMITTED + "('ORBIT Sprint 8', 'ORBIT Sprint 9')"),
    ("Which closed sprints of HARBOR ended without anything carried over?",
     ("SELECT sprint_name FROM sprint_summary WHERE sprint_name LIKE 'HARBOR%' AND state = 'closed' "
      "AND carried_over_issues = 0")),
]  # fmt: skip


@pytest.mark.parametrize(("question", "truth"), BESIDE)
def test_the_sprint_before_another_is_compared_with_it(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)
