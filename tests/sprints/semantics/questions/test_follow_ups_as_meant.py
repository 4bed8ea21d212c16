"""Follow-ups as people write them: months near those before, what a person does now, lists of their own, orders."""

import pytest

from sprints.asking.chat import chat, read_context
from sprints.evaluation.comparing import same
from sprints.sql_sandbox.execution import try_execute
from tests.sprints.semantics.questions.test_answers import NOW
from tests.sprints.semantics.questions.test_links_and_repetitions import follow
from toolbox.database import event_loop
from toolbox.database.pools import reader

pytestmark = pytest.mark.usefixtures("django_db_setup")

STORIES = (
    "SELECT issue_key FROM issues WHERE issue_type = 'Story' AND status_category <> 'Done' AND due_date {} LIMIT 99"
)
OF_PERSON = "SELECT issue_key FROM issues JOIN users ON user_id = assignee_id WHERE full_name = '{}' AND {} LIMIT 99"


@pytest.mark.parametrize(
    ("first", "then", "truth"),
    [
        ("Stories due in November", "and December", STORIES.format("BETWEEN '2026-12-01' AND '2026-12-31'")),
        ("Stories due in November", "and January", STORIES.format("BETWEEN '2027-01-01' AND '2027-01-31'")),
        ("Stories due this month", "and December", STORIES.format("BETWEEN '2026-12-01' AND '2026-12-31'")),
        ("scope added in sprint 8", "and removed?",
         ("SELECT team_key, removed_points, removed_issues FROM sprint_summary JOIN teams USING (team_id) "
          "WHERE sprint_name LIKE '% Sprint 8'")),
        (
            "What did Chidi Okafor finish in ORBIT Sprint 8?", "and what is he doing now?",
            OF_PERSON.format("Chidi Okafor", "status_category = 'In Progress'"),
        ),
        (
            "what did Priya Raman report in October", "and what does she have open now",
            OF_PERSON.format("Priya Raman", "status_category <> 'Done'"),
        ),
    ],
)  # fmt: skip
def test_a_month_ahead_what_was_removed_and_what_a_person_does_now(first: str, then: str, truth: str) -> None:
    gold = event_loop.run(try_execute(truth))
    answer = follow(first, then)

    assert gold.rows
    assert same(answer.rows, gold=gold.rows), answer.interpretation


@pytest.mark.parametrize(
    ("first", "then", "understood"),
    [
        ("Stories due in November 2025", "and December", "due in December 2025"),
        ("bugs created in October 2025", "and in November", "created in November 2025"),
        ("bugs closed in December 2025", "and January", "resolved in January 2026"),
        ("bugs closed in March", "and in November", "resolved in November 2026"),
        ("bugs created in January 2026", "and December", "created in December 2025"),
        ("which bugs are to do in ORBIT", "and which are unassigned", "to do, team ORBIT"),
    ],
)
def test_a_month_without_a_year_is_near_that_of_the_question_before(first: str, then: str, understood: str) -> None:
    answer = follow(first, then)

    assert understood in str(answer.interpretation)
    assert sum(one.startswith("Took ") for one in answer.assumptions) <= 1


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("What's in progress in ORBIT?", "ok and what is blocked?"),
        ("open bugs", "commits"),
        ("open bugs", "plan"),
        ("open bugs", "change since last week"),
        ("closed bugs", "list epics"),
        ("closed bugs", "get all epics"),
        ("bugs resolved in October", "all stories"),
        ("open issues by team", "first"),
        ("progress of each epic", "blocked?"),
        ("points completed by ORBIT in sprint 8", "what is the average cycle time"),
    ],
)
def test_what_may_be_meant_otherwise_is_asked_back(first: str, then: str) -> None:
    answer = follow(first, then)

    assert answer.is_ambiguous, answer.interpretation


@pytest.mark.parametrize("then", ["which were customer issues?", "which are p0 bugs", "which is an epic"])
def test_which_of_rows_that_were_not_found_is_asked_back(then: str) -> None:
    before = event_loop.run(read_context(["how many frobs of ACCEL are there"], now=NOW, reader=reader))
    answer = event_loop.run(chat(then, now=NOW, reader=reader, model=None, lost=before.lost))

    assert answer.is_ambiguous, answer.interpretation
    assert "question before" in answer.answer


COMPLETED = "SELECT sum(completed_points) FROM sprint_summary WHERE sprint_name LIKE '% Sprint 8'"
OPEN_BUGS = "SELECT count(*) FROM issues WHERE issue_type = 'Bug' AND status_category <> 'Done'"
OF_SOMEBODY = f"{OPEN_BUGS} AND assignee_id IS NOT NULL"


@pytest.mark.parametrize(
    ("first", "then", "truth"),
    [
        ("how many points did each team complete in sprint 8", "and in total?", COMPLETED),
        ("how many points did each team complete in sprint 8", "what's the sum", COMPLETED),
        ("how many points did each team complete in sprint 8", "and all together", COMPLETED),
        ("open bugs by team", "how many in total", OPEN_BUGS),
        ("open bugs by label", "and overall", OPEN_BUGS),
        ("who has open bugs", "how many altogether", OF_SOMEBODY),
    ],
)
def test_a_total_is_the_sum_of_the_groups(first: str, then: str, truth: str) -> None:
    gold = event_loop.run(try_execute(truth))
    answer = follow(first, then)

    assert same(answer.rows, gold=gold.rows), answer.interpretation


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("velocity per team", "in total"), ("average cycle time by team", "and in total"),
        ("top 3 people by open bugs", "in total"), ("open bugs in ORBIT", "what is the total"),
    ],
)  # fmt: skip
def test_a_total_of_what_has_no_sum_is_asked_back(first: str, then: str) -> None:
    assert follow(first, then).is_ambiguous


def completed_points(sprint: str) -> str:
    return f"SELECT completed_points FROM sprint_summary WHERE sprint_name = '{sprint}'"


@pytest.mark.parametrize(
    ("first", "then", "truth"),
    [
        ("points completed in HARBOR Sprint 5", "and in the one after that?", completed_points("HARBOR Sprint 6")),
        ("points completed in HARBOR Sprint 5", "and the next one", completed_points("HARBOR Sprint 6")),
        ("points completed in HARBOR Sprint 5", "and in the previous one", completed_points("HARBOR Sprint 4")),
        ("points completed in HARBOR Sprint 5", "the one before that?", completed_points("HARBOR Sprint 4")),
        (
            "open bugs of ORBIT", "only Avery's",
            OF_PERSON.format("Avery Smith", "issue_type = 'Bug' AND status_category <> 'Done'"),
        ),
        (
            "open bugs of ACCEL", "and Avery's?",
            OF_PERSON.format("Avery Hernandez", "issue_type = 'Bug' AND status_category <> 'Done'"),
        ),
    ],
)  # fmt: skip
def test_the_one_beside_it_and_the_namesake_of_the_team(first: str, then: str, truth: str) -> None:
    gold = event_loop.run(try_execute(truth))
    answer = follow(first, then)

    assert gold.error is None
    assert same(answer.rows, gold=gold.rows), (answer.interpretation, answer.answer)


@pytest.mark.parametrize("then", ["and since when, each of them?", "since when is each of them"])
def test_each_of_them_is_all_of_them(then: str) -> None:
    before = follow("which issues are blocked", "since when")
    answer = follow("which issues are blocked", then)

    assert not answer.is_ambiguous
    assert answer.rows == before.rows


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("open bugs in ORBIT", "and the ones that Avery reported"), ("open bugs", "only Avery's"),
        ("open bugs of HARBOR", "only Avery's"), ("open bugs of HARBOR", "the next one"),
        ("bugs closed in October", "and the one after that"),
        ("points completed in HARBOR Sprint 5", "and the two before that"),
    ],
)  # fmt: skip
def test_what_has_no_one_beside_it_is_asked_back(first: str, then: str) -> None:
    assert follow(first, then).is_ambiguous
