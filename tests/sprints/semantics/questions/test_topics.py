"""What titles speak of, stages that several statuses share, the sprint that runs, and rows with both of two labels."""

import pytest

from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows
from tests.sprints.semantics.questions.test_links_and_repetitions import follow

pytestmark = pytest.mark.usefixtures("django_db_setup")

OPEN = "i.status_category <> 'Done'"
ROWS = "FROM issues AS i LEFT JOIN users AS u ON u.user_id = i.assignee_id JOIN teams AS t ON t.team_id = i.team_id"
LIST = f"SELECT i.issue_key {ROWS} WHERE {{}} LIMIT 1000"
COUNT = f"SELECT count(*) AS n {ROWS} WHERE {{}}"
BUG = "i.issue_type = 'Bug'"
ABOUT = "i.title ILIKE '%{}%'"
REVIEW = "i.status IN ('In Review', 'Code Review')"
RUNNING = (
    "EXISTS (SELECT 1 FROM sprint_issues AS m JOIN sprints AS s USING (sprint_id) "
    "WHERE m.issue_id = i.issue_id AND m.is_in_scope AND s.state = 'active')"
)
WENT = (
    "EXISTS (SELECT 1 FROM status_changes AS h WHERE h.issue_id = i.issue_id AND h.to_status IN ('In Review', "
    "'Code Review') AND h.changed_at >= '2026-11-17' AND h.changed_at < '2026-11-18')"
)
BOTH = "i.labels @> ARRAY['ux', 'customer']"


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("bugs about search", LIST.format(f"{BUG} AND {ABOUT.format('search')}")),
        ("open bugs about search in ACCEL",
         LIST.format(f"{BUG} AND {OPEN} AND t.team_key = 'ACCEL' AND {ABOUT.format('search')}")),
        ("how many bugs about notifications", COUNT.format(f"{BUG} AND {ABOUT.format('notification')}")),
        ("bugs not about search", LIST.format(f"{BUG} AND NOT {ABOUT.format('search')}")),
        ("bugs about search or filters",
         LIST.format(f"{BUG} AND ({ABOUT.format('search')} OR {ABOUT.format('filter')})")),
        ("stories about sign-in closed last month",
         LIST.format(f"i.issue_type = 'Story' AND {ABOUT.format('sign-in')} AND NOT {OPEN} AND "
                     "i.resolved_at >= '2026-10-01' AND i.resolved_at < '2026-11-01'")),
        ('issues with "csv" in the title', LIST.format(ABOUT.format("csv"))),
        ("anything to do with payments in HARBOR", LIST.format(f"t.team_key = 'HARBOR' AND {ABOUT.format('payment')}")),
        ("tickets mentioning login", LIST.format(ABOUT.format("login"))),
        ("crashes reported this month", None),
        ("todo tickets in orbit", LIST.format("i.status_category = 'To Do' AND t.team_key = 'ORBIT'")),
        ("sprints about pilot", "SELECT sprint_name FROM sprints WHERE goal ILIKE '%pilot%'"),
        ("what about performance", None),
        ("what's the sprint about", None),
        ("bugs about the", None),
    ],
)  # fmt: skip
def test_what_rows_are_about_is_searched_in_their_titles(question: str, truth: str | None) -> None:
    if truth is None:
        assert ask(question).is_ambiguous
    else:
        assert_same_rows(question, truth=truth)


def test_what_was_searched_is_said() -> None:
    assert "with “search” in the title" in str(ask("bugs about search").interpretation)


@pytest.mark.parametrize("question", ["bugs in search", "search bugs"])
def test_an_unknown_topic_is_suggested_as_words_of_the_title(question: str) -> None:
    answer = ask(question)

    assert answer.is_ambiguous
    assert any("search" in one and not ask(one).is_ambiguous for one in answer.suggestions)


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("how many tickets are in review right now", COUNT.format(REVIEW)),
        ("tickets waiting for review", LIST.format(REVIEW)),
        ("what's stuck in review", LIST.format(f"{REVIEW} AND i.is_blocked")),
        ("tickets not in review", LIST.format(f"{OPEN} AND NOT {REVIEW}")),
        ("what moved to review yesterday", LIST.format(WENT)),
        ("tickets in In Review", LIST.format("i.status = 'In Review'")),
        ("tickets in status in review", LIST.format("i.status = 'In Review'")),
        ("tickets in code review", LIST.format("i.status = 'Code Review'")),
        ("tikets in code reveiw", LIST.format("i.status = 'Code Review'")),
    ],
)
def test_a_stage_stands_for_all_statuses_that_end_with_it(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


def test_it_is_said_which_statuses_a_stage_stands_for() -> None:
    assert "Took 'in review' as the statuses Code Review, In Review." in ask("tickets in review").assumptions


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("open bugs in the sprint", LIST.format(f"{BUG} AND {OPEN} AND {RUNNING}")),
        ("open bugs not in the sprint", LIST.format(f"{BUG} AND {OPEN} AND NOT {RUNNING}")),
        ("which bugs are not in the sprint", LIST.format(f"{BUG} AND {OPEN} AND NOT {RUNNING}")),
        ("tickets in progress outside the sprint",
         LIST.format(f"i.status_category = 'In Progress' AND NOT {RUNNING}")),
        ("what is blocked in the sprint", LIST.format(f"i.is_blocked AND {RUNNING}")),
        ("what was the goal of the sprint", "SELECT sprint_name, goal FROM sprints WHERE state = 'active'"),
        ("show me the sprint", None),
        ("end of the sprint", None),
        ("what was removed from ORBIT Sprint 8 and added to the sprint", None),
    ],
)  # fmt: skip
def test_the_sprint_is_the_one_that_runs_where_no_other_is_named(question: str, truth: str | None) -> None:
    if truth is None:
        assert ask(question).is_ambiguous
    else:
        assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    ("first", "then", "sprint"),
    [
        ("issues in ORBIT Sprint 7", "bugs in the sprint", "ORBIT Sprint 7"),
        ("what was completed in ORBIT Sprint 7", "what was left in the sprint", "ORBIT Sprint 7"),
        ("points committed in HARBOR Sprint 6", "and how many were removed from the sprint?", "HARBOR Sprint 6"),
        ("open bugs in HARBOR", "those in the sprint", "HARBOR Sprint 9"),
        ("points completed last sprint", "and how many issues were in the sprint", ""),
        ("velocity of the last sprint", "which issues were carried over from the sprint", ""),
    ],
)
def test_the_sprint_of_a_follow_up_is_that_of_the_question_before(first: str, then: str, sprint: str) -> None:
    answer = follow(first, then)

    assert answer.is_ambiguous == (not sprint)
    assert sprint in str(answer.interpretation)
    assert sprint == "HARBOR Sprint 9" or "Sprint 9" not in str(answer.interpretation)


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("how many tickets have both ux and customer labels", COUNT.format(BOTH)),
        ("how many bugs are labelled ux and customer", COUNT.format(f"{BUG} AND {BOTH}")),
        ("count of open stories with ux and customer labels",
         COUNT.format(f"{OPEN} AND i.issue_type = 'Story' AND {BOTH}")),
        ("points of stories labelled ux and customer",
         f"SELECT sum(i.story_points) AS n {ROWS} WHERE i.issue_type = 'Story' AND {BOTH}"),
        ("issues with both ux and customer labels", LIST.format(BOTH)),
        ("how many ux and customer tickets", None),
        ("ux and customer tickets", None),
    ],
)  # fmt: skip
def test_rows_with_two_labels_have_both_or_are_asked_about(question: str, truth: str | None) -> None:
    if truth is None:
        assert ask(question).is_ambiguous
    else:
        assert_same_rows(question, truth=truth)


def test_labels_that_are_compared_stay_apart() -> None:
    rows = ask("compare ux and customer bugs").rows

    assert [(row["compared"], row["issues"]) for row in rows] == [("ux", 15), ("customer", 21)]


@pytest.mark.parametrize(
    ("question", "word"), [("crashes reported this month", "crashes"), ("tickts deploed this month", "deploed")]
)
def test_a_word_is_named_as_it_was_written(question: str, word: str) -> None:
    assert f"'{word}'" in ask(question).answer
