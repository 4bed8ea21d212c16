"""What was not done: not started, not moved, still to be sized, over its estimate; with who might have done it."""

import pytest

from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows

pytestmark = pytest.mark.usefixtures("django_db_setup")

LIST = (
    "SELECT i.issue_key FROM issues AS i JOIN teams AS t USING (team_id) "
    "LEFT JOIN issues AS e ON e.issue_id = i.epic_id WHERE {} LIMIT 1000"
)
SEARCH = LIST.format("e.title = 'Search that forgives' AND i.issue_type = 'Story' AND i.started_at IS NULL")
UNMOVED = LIST.format(
    "{} AND NOT EXISTS (SELECT 1 FROM status_changes AS c WHERE c.issue_id = i.issue_id AND c.changed_at >= '{}')"
)
NO_HOURS = "i.status_category <> 'Done' AND i.original_estimate_hours IS NULL"
OVER = LIST.format("i.status_category = 'Done' AND i.time_spent_hours > i.original_estimate_hours")


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("Which stories for Search that forgives haven't we started on yet?", SEARCH),
        ("Which stories of Search that forgives haven't we begun yet?", SEARCH),
        ("Which ORBIT bugs haven't we started on?",
         LIST.format("t.team_key = 'ORBIT' AND i.issue_type = 'Bug' AND i.started_at IS NULL")),
        ("every p0 that nobody has begun to work on", LIST.format("i.priority = 'p0' AND i.started_at IS NULL")),
        ("all p1 bugs that nobody has started working on",
         LIST.format("i.priority = 'p1' AND i.issue_type = 'Bug' AND i.started_at IS NULL")),
        ("in-progress tickets whose status has not changed today",
         UNMOVED.format("i.status_category = 'In Progress'", "2026-11-18")),
        ("what changed status today",
         LIST.format("EXISTS (SELECT 1 FROM status_changes AS c WHERE c.issue_id = i.issue_id "
                     "AND c.changed_at >= '2026-11-18')")),
        ("tickets of ORBIT whose status has not changed yet today",
         UNMOVED.format("t.team_key = 'ORBIT'", "2026-11-18")),
        ("Which tickets of ORBIT haven't changed status this week?",
         UNMOVED.format("t.team_key = 'ORBIT'", "2026-11-16")),
        ("Which unfinished tickets in the running sprints have not changed their status yet today?",
         UNMOVED.format(
             "i.status_category <> 'Done' AND EXISTS (SELECT 1 FROM sprint_issues AS m JOIN sprints AS s "
             "USING (sprint_id) WHERE m.issue_id = i.issue_id AND s.state = 'active' AND m.is_in_scope)",
             "2026-11-18")),
        ("What was already in review yesterday and still hasn't moved on?",
         UNMOVED.format("i.status IN ('Code Review', 'In Review')", "2026-11-18")),
        ("tickets neither done nor in an active or future sprint", LIST.format("i.is_in_backlog")),
        ("Which issues of the epic ORBIT-1 are neither done nor in an active or future sprint?",
         LIST.format("e.issue_key = 'ORBIT-1' AND i.is_in_backlog")),
        ("anything in the Harbor backlog that still needs sizing",
         LIST.format("t.team_key = 'HARBOR' AND i.is_in_backlog AND i.story_points IS NULL")),
        ("Which ACCEL tickets still need sizing?", LIST.format(
            "t.team_key = 'ACCEL' AND i.status_category <> 'Done' AND i.story_points IS NULL")),
        ("Which open tickets have no estimate in hours?", LIST.format(NO_HOURS)),
        ("Which unfinished HARBOR tickets have story points but no estimate in hours?",
         LIST.format(f"t.team_key = 'HARBOR' AND {NO_HOURS} AND i.story_points IS NOT NULL")),
        ("unfinished tickets have story points but no estimate in hours",
         LIST.format(f"{NO_HOURS} AND i.story_points IS NOT NULL")),
        ("Which open tickets have story points?",
         LIST.format("i.status_category <> 'Done' AND i.story_points IS NOT NULL")),
        ("How many tickets have story points?", "SELECT count(*) AS n FROM issues WHERE story_points IS NOT NULL"),
        ("Which finished tickets went over their estimate?", OVER),
        ("Finished tickets that went over their estimate", OVER),
    ],
)  # fmt: skip
def test_what_was_not_done(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


@pytest.mark.parametrize(
    "question",
    [
        "Which customer bugs didn't get fixed within two weeks?",
        "What hasn't Levi started?",
        "Which tickets moved today to QA?",
        "Which tickets moved today from QA to Verifying?",
        "Which tickets haven't moved this week to sprint 9?",
        "Finished tickets that went more than 5 hours over their estimate",
    ],
)
def test_what_is_not_known_for_sure_is_asked_back(question: str) -> None:
    assert ask(question).is_ambiguous
