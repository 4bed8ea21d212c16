"""Questions that were answered with something else, by somebody who set out to find such answers: asked back now."""

import pytest

from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows
from tests.sprints.semantics.questions.test_links_and_repetitions import follow

pytestmark = pytest.mark.usefixtures("django_db_setup")

TEAM = "(SELECT team_id FROM teams WHERE team_key = '{}')"
DROPPED = """
SELECT {} FROM sprint_issues AS m JOIN issues AS i USING (issue_id) JOIN sprints AS s ON s.sprint_id = m.sprint_id
WHERE s.sprint_name LIKE '{}' AND m.was_committed AND NOT m.was_completed {}
"""

OF_TWO = """
SELECT i.issue_key FROM issues AS i JOIN users AS a ON a.user_id = i.assignee_id
JOIN users AS r ON r.user_id = i.reporter_id WHERE a.full_name = '{}' AND r.full_name = '{}'
"""
IN_QA = """
SELECT i.issue_key FROM issues AS i WHERE i.status_category = 'Done' AND 'QA' = (
SELECT t.to_status FROM status_changes AS t WHERE t.issue_id = i.issue_id AND t.changed_at < '{}'
ORDER BY t.changed_at DESC LIMIT 1)
"""
RESOLVED = "SELECT issue_key FROM issues WHERE resolved_at >= '{}' AND resolved_at < '{}'"


@pytest.mark.parametrize(
    "question",
    [
        "biggest story each team finished last sprint",
        "which tickets did Levi and Zoë both work on",
        "tickets that ACCEL and ORBIT both have",
        "tickets stuck in QA for 3 days",
        "tickets stuck in progress for more than a week",
        "average conclude everything",
        "progress of open epics",
        "progress of epics due this quarter",
        "progress of epics assigned to Levi",
        "which team's cycle time improved the most",
        "velocity trend of the top 3 teams",
        "closed epics and their bugs",
        "who is working on a bug they reported",
        "who has a ticket in progress that they reported",
        "who reported a p0 this month and is also assigned to it",
        "who created a story last month and also finished it",
        "which bugs were fixed by the person who reported them",
        "which epics have tickets of Levi",
        "epics with bugs reported by Levi",
        "which people have tickets reported by Robin",
        "how many of Priya's tickets are bugs and how many are blocked",
        "how many of Levi's tickets are stories and how many are overdue",
        "tickets in QA last week closed",
        "open issues in sprint 9 and ACCEL-1",
        "open bugs in ORBIT and ACCEL-1",
        "bugs and ACCEL-1",
        "what is blocked in ORBIT and HARBOR-12",
        "open issues labelled security or ACCEL-1",
        "isn't ORBIT-103 done yet?",
        "isn't ACCEL-104 finished?",
        "hasn't ORBIT-102 been started?",
        "wasn't ORBIT-102 reopened?",
        "wasn't ACCEL-46 carried over?",
        "didn't Levi Walker close ACCEL-104?",
        "doesn't ORBIT have blocked issues?",
        "aren't there any blocked bugs?",
        "aren't there unassigned issues in the backlog?",
        "isn't there any bug in progress?",
        "weren't there any bugs in sprint 7?",
        "are no bugs open in HARBOR?",
        "Is nobody blocked in HARBOR?",
        "is nobody working on bugs?",
        "has nobody finished anything today?",
        "did nobody close a bug yesterday?",
        "What hasn't Zoë Müller started?",
        "Who has never been assigned a bug?",
        "Who has never reported a bug?",
        "Which people have never worked on a bug in ORBIT?",
        "Who never reported a p0 bug?",
        "Who was never assigned a story in HARBOR?",
        "Which reporters never reported a story?",
        "Which reporters never created a story in ORBIT?",
        "Assignees who never had a p0 issue",
        "Which teams never reported a bug?",
        "Who finished bugs in sprint 7 but not in sprint 8?",
        "What did Priya Raman work on in sprint 7?",
        "What did Zoë Müller work on during sprint 8?",
        "What was Levi Walker working on last sprint?",
        "What had Priya Raman been working on before sprint 9?",
        "Who has worked on the most issues?",
        "Which team worked on the most bugs in sprint 7?",
        "What was worked on in ORBIT Sprint 8?",
        "Which epic was worked on in sprint 8?",
        "Which issues were worked on yesterday?",
        "Which stories were started in sprint 8?",
        "which stories were started in ORBIT sprint 7?",
        "which issues were started in sprint 9?",
        "How many issues were started in ORBIT sprint 8?",
        "how many bugs were started in sprint 7?",
        "issues started but not finished in sprint 8",
        "what was started but not finished last sprint?",
        "issues started by Avery Smith",
        "issues started after their due date",
        "What was in progress during ORBIT sprint 8?",
        "which issues were in progress in sprint 7?",
        "what was in review during sprint 8?",
        "what was in QA in sprint 8?",
        "Has ACCEL-104 been in code review?",
        "issues that were in QA and are now in progress",
        "how many bugs were open in sprint 7",
        "issues added before sprint 9 started",
        "unfinished work of ACCEL sprint 8",
        "unfinished issues in ACCEL Sprint 8",
        "incomplete stories of sprint 8",
        "issues resolved within sprint 7",
        "bugs resolved from sprint 3 through sprint 5",
        "Sub-tasks whose parent is still open",
        "Sub-tasks whose parent is done",
        "Sub-tasks whose parent is assigned to Priya Raman",
        "Issues of parents in progress",
        "Issues with a parent that is a bug",
        "Sub-tasks in sprint 8 whose parent is not in sprint 8",
        "which sub-tasks have a blocked parent",
        "sub-tasks of blocked stories",
        "Sub-tasks of stories in progress",
        "Issues in epics with priority p0",
        "issues with an epic but no labels",
        "Does ACCEL-100 belong to an epic?",
        "the epic with the oldest open bug",
        "issues that were in sprint 8 and are in sprint 9",
        "which sprint 9 issues are also in sprint 10",
        "stories removed from sprint 8 that are in sprint 9",
        "Bugs p0 in ACCEL or p1 in HARBOR",
        "added and removed issues per sprint for HARBOR",
        "count of bugs with and without labels",
        "bugs fixed minus bugs created in October",
        "Which team had the highest velocity in each sprint?",
        "the most blocked team in each sprint",
        "the team with the most completed points for each month",
        "who closed the most bugs each month",
        "which sprint of each team had the highest velocity",
        "top 3 sprints of each team by velocity",
        "Which person has completed points in every sprint?",
        "sort open p1 issues by due date",
        "sort ORBIT's backlog by priority",
        "total velocity of ORBIT",
        "sum of velocity over the last 3 sprints for HARBOR",
        "percentage of issues that were blocked in sprint 7",
        "What fraction of issues was finished on time?",
        "All bugs in sprint 9 are done, right?",
        "Are all of ORBIT's p0 issues done?",
        "Did all of HARBOR's committed issues get done in sprint 8?",
        "Has HARBOR finished all of its sprint 9 stories?",
        "All stories of HARBOR sprint 8 done?",
        "What was completed on the last day of ORBIT sprint 8?",
        "Issues completed on the last day of sprint 7",
        "issues completed in the last week of sprint 8",
        "issues added on the last day of sprint 6",
        "issues created in the previous month but one",
        "How many issues created this sprint are done?",
        "issues resolved on their due date",
        "Issues added to sprint 9 by Priya Raman",
        "issues removed from sprint 4 by Levi Walker",
        "issues assigned by Priya Raman",
        "issues closed by their reporter",
        "time spent in QA by issues in sprint 8",
        "How long does it take from code review to done?",
        "biggest scope change in sprint 8",
        "biggest re-estimation",
        "What got added to the backlog this week?",
        "what was added to the backlog in October",
        "what's the sprint about",
        "Which active sprints have blocked issues?",
        "max story points of bugs by team",
        "most points in a single issue per team",
        "longest unassigned issue",
        "when was scope added to ORBIT Sprint 8",
    ],
)
def test_what_would_be_read_as_something_else_is_asked_back(question: str) -> None:
    assert ask(question).is_ambiguous


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("What is Sophia Gonzalez working on?", "what did she finish last sprint?"),
        ("What is Sophia Gonzalez working on?", "what did she complete in sprint 8?"),
        ("Is ORBIT-102 done?", "which sprint?"),
        ("Who is assigned to ORBIT-103?", "how many issues do they have?"),
        ("Who is assigned to ORBIT-103?", "what are they working on?"),
        ("who reported ORBIT-102?", "how many bugs did they report?"),
        ("Which issues were carried over from sprint 8?", "are they done now?"),
        ("Is ORBIT-102 done?", "what epic?"),
        ("what was removed from sprint 8", "by whom"),
        ("what was added late in sprint 9", "by whom"),
        ("what is blocked", "by whom"),
        ("how many bugs were reopened", "by whom"),
    ],
)
def test_a_follow_up_that_loses_its_subject_is_asked_back(first: str, then: str) -> None:
    assert follow(first, then).is_ambiguous


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("Which committed issues were not completed in HARBOR sprint 8?",
         DROPPED.format("s.sprint_name, i.issue_key, i.title, i.issue_type, m.points_at_end", "HARBOR Sprint 8",
                        "LIMIT 1000")),
        ("tickets assigned to Levi that Sophia reported", OF_TWO.format("Levi Walker", "Sophia Gonzalez")),
        ("tickets of Levi that Sophia reported", OF_TWO.format("Levi Walker", "Sophia Gonzalez")),
        ("tickets reported by Sophia that Levi has", OF_TWO.format("Levi Walker", "Sophia Gonzalez")),
        ("bugs reported by Priya that Levi has",
         OF_TWO.format("Levi Walker", "Priya Raman") + " AND i.issue_type = 'Bug'"),
        ("open p1s of Zoë that José reported",
         OF_TWO.format("Zoë Müller", "José Núñez") + " AND i.priority = 'p1' AND i.status_category <> 'Done'"),
        ("committed points and carry over by sprint for ORBIT",
         ("SELECT sprint_name, committed_points, carried_over_issues FROM sprint_summary JOIN teams USING (team_id) "
          "WHERE team_key = 'ORBIT' AND state <> 'future'")),
        ("bugs with p0", "SELECT issue_key FROM issues WHERE issue_type = 'Bug' AND priority = 'p0'"),
        ("open items with p0 or p1",
         "SELECT issue_key FROM issues WHERE priority IN ('p0', 'p1') AND status_category <> 'Done'"),
        ("backlog items with p0",
         "SELECT issue_key FROM issues WHERE priority = 'p0' AND status_category <> 'Done' AND sprint_id IS NULL"),
        ("tickets in sprint 8 which are still blocked", "SELECT issue_key FROM issues WHERE false"),
        ("which of the sprint 8 tickets are blocked now", "SELECT issue_key FROM issues WHERE false"),
        ("which tickets were in QA on Friday and are closed now", IN_QA.format("2026-11-14")),
        ("what was in QA on Monday and is done now", IN_QA.format("2026-11-17")),
        ("closed tickets from last week", RESOLVED.format("2026-11-09", "2026-11-16")),
        ("closed tickets from yesterday", RESOLVED.format("2026-11-17", "2026-11-18")),
        ("tickets closed from last week onwards", RESOLVED.format("2026-11-09", "2026-12-01")),
        ("points finished by Levi and Sophia each in sprint 8",
         ("SELECT full_name, (SELECT coalesce(sum(m.points_at_end), 0) FROM sprint_issues AS m JOIN issues AS i "
          "USING (issue_id) JOIN sprints AS s ON s.sprint_id = m.sprint_id WHERE i.assignee_id = user_id AND "
          "m.was_completed AND sprint_name LIKE '% Sprint 8') FROM users WHERE full_name IN ('Levi Walker', "
          "'Sophia Gonzalez')")),
        ("open bugs sorted by age",
         ("SELECT issue_key FROM issues WHERE issue_type = 'Bug' AND status_category <> 'Done' ORDER BY created_at "
          "LIMIT 1000")),
        ("a dozen oldest issues",
         ("SELECT issue_key FROM issues WHERE status_category <> 'Done' ORDER BY created_at "
          "FETCH FIRST 12 ROWS WITH TIES")),
        ("Compare ACCEL and HARBOR by points completed",
         ("SELECT team_key, sum(story_points) AS n FROM issues JOIN teams USING (team_id) WHERE team_key IN ('ACCEL', "
          "'HARBOR') AND status_category = 'Done' GROUP BY team_key LIMIT 1000")),
        ("points of open stories not in sprint 9",
         ("SELECT sum(story_points) AS n FROM issues AS i WHERE issue_type = 'Story' AND status_category <> 'Done' AND "
          "NOT EXISTS (SELECT 1 FROM sprint_issues AS m JOIN sprints AS s ON s.sprint_id = m.sprint_id WHERE "
          "m.issue_id = i.issue_id AND m.removed_at IS NULL AND s.sprint_name LIKE '% Sprint 9')")),
        ("any urgent bugs?",
         ("SELECT issue_key FROM issues WHERE issue_type = 'Bug' AND priority IN ('p0', 'p1') "
          "AND status_category <> 'Done' LIMIT 1000")),
        ("the sprint in which ACCEL fixed the fewest bugs",
         ("SELECT sprint_name, n FROM (SELECT s.sprint_name, count(*) FILTER (WHERE m.was_completed AND i.issue_type = "
          "'Bug') AS n FROM sprints AS s JOIN sprint_issues AS m USING (sprint_id) JOIN issues AS i ON i.issue_id = "
          "m.issue_id WHERE s.state = 'closed' AND s.team_id = " + TEAM.format("ACCEL") + " GROUP BY s.sprint_name) "
          "AS counted ORDER BY n FETCH FIRST ROW WITH TIES")),
    ],
)  # fmt: skip
def test_what_was_lost_is_counted(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)
