"""Who is faster, and what has taken long: days of work by side or group, and of issues that are worked on now."""

import pytest

from tests.sprints.semantics.questions.test_answers import ask, assert_same_rows

pytestmark = pytest.mark.usefixtures("django_db_setup")

DAYS = (
    "SELECT {by}, round(avg(i.cycle_time_days)::numeric, 2) AS days FROM issues AS i JOIN teams AS t USING (team_id) "
    "LEFT JOIN users AS u ON u.user_id = i.assignee_id WHERE i.status_category = 'Done' AND {where} "
    "GROUP BY 1 {rest}"
)
BUGS, STORIES = "i.issue_type = 'Bug'", "i.issue_type = 'Story'"
OF_TEAMS = DAYS.format(by="t.team_key", where="{} AND t.team_key IN ({})", rest="LIMIT 1000")
BUGS_OF_TWO = OF_TEAMS.format(BUGS, "'ACCEL', 'ORBIT'")
TYPES = DAYS.format(by="i.issue_type", where="i.issue_type IN ({})", rest="LIMIT 1000")
FASTEST = DAYS.format(by="t.team_key", where="{}", rest="ORDER BY days {} FETCH FIRST 1 ROW WITH TIES")
PEOPLE = DAYS.format(by="u.full_name", where="u.full_name IN ('Søren Ødegård', 'Hannah Kowalczyk')", rest="LIMIT 1000")
PRIORITIES = DAYS.format(by="i.priority", where="i.priority IN ({}) AND {}", rest="LIMIT 1000")


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("Who gets bugs fixed faster, ACCEL or ORBIT?", BUGS_OF_TWO),
        ("Is accel or orbit quicker at fixing bugs, on average?", BUGS_OF_TWO),
        ("Which team is quicker on bugs, ACCEL or ORBIT?", BUGS_OF_TWO),
        ("Which of the two is faster at closing bugs, ORBIT or ACCEL?", BUGS_OF_TWO),
        ("Does ORBIT take longer than ACCEL to fix bugs?", BUGS_OF_TWO),
        ("Who closes bugs more quickly, Orbit or Accel?", BUGS_OF_TWO),
        ("Do bugs get fixed faster at Accel than at Harbor?", OF_TEAMS.format(BUGS, "'ACCEL', 'HARBOR'")),
        ("Does ACCEL finish stories faster than HARBOR?", OF_TEAMS.format(STORIES, "'ACCEL', 'HARBOR'")),
        ("Is ORBIT slower than ACCEL at getting stories done?", OF_TEAMS.format(STORIES, "'ACCEL', 'ORBIT'")),
        ("Is harbor faster than orbit?", OF_TEAMS.format("true", "'HARBOR', 'ORBIT'")),
        ("who's quicker with bugs: accel, orbit or harbor?", OF_TEAMS.format(BUGS, "'ACCEL', 'ORBIT', 'HARBOR'")),
        ("Is Søren quicker than Hannah on average?", PEOPLE),
        ("Does Hannah close tickets faster than Søren?", PEOPLE),
        ("Do we get bugs done faster than stories?", TYPES.format("'Bug', 'Story'")),
        ("Bugs or stories: which are resolved faster?", TYPES.format("'Bug', 'Story'")),
        ("Are bugs done quicker than stories?", TYPES.format("'Bug', 'Story'")),
        ("Do stories take longer than bugs?", TYPES.format("'Bug', 'Story'")),
        ("Which takes longer on average, a bug or a story?", TYPES.format("'Bug', 'Story'")),
        ("Do p0s really get done faster than p3s?", PRIORITIES.format("'p0', 'p3'", "true")),
        ("Are p1 bugs fixed faster than p2 bugs?", PRIORITIES.format("'p1', 'p2'", BUGS)),
        ("which team closes bugs fastest", FASTEST.format(BUGS, "")),
        ("Which team is the fastest at fixing bugs?", FASTEST.format(BUGS, "")),
        ("Which team is the slowest with stories?", FASTEST.format(STORIES, "DESC")),
        ("Which team gets things done quickest?", FASTEST.format("true", "")),
        ("Which team takes the longest to fix a bug?", FASTEST.format(BUGS, "DESC")),
    ],
)
def test_who_is_faster_is_the_average_cycle_time_of_each(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


def test_it_is_said_what_faster_is_taken_as() -> None:
    answer = ask("Do bugs get fixed faster at Accel than at Harbor?")

    assert any(one.startswith("Took 'faster' as the average cycle time") for one in answer.assumptions)


@pytest.mark.parametrize(
    "question",
    [
        "Which team is faster?",
        "Are open bugs faster than stories?",
        "Is ACCEL faster than last month?",
        "Did bugs get fixed faster than they were reported?",
        "Which team answers faster, ACCEL or ORBIT?",
        "Does ORBIT review faster than ACCEL?",
        "Is QA faster than Code Review?",
    ],
)
def test_what_is_faster_at_anything_else_is_asked_back(question: str) -> None:
    assert ask(question).is_ambiguous, question


WORKED = (
    "SELECT issue_key FROM issues AS i JOIN teams AS t USING (team_id) WHERE status_category = 'In Progress' "
    "AND {} ORDER BY started_at FETCH FIRST {} ROWS WITH TIES"
)


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("Which five unfinished tickets have we been working on the longest?", WORKED.format("true", 5)),
        ("Which ticket have we been working on for the longest?", WORKED.format("true", 1)),
        ("Which open ticket has been in progress the longest?", WORKED.format("true", 1)),
        ("Three unfinished issues that are in progress the longest", WORKED.format("true", 3)),
        ("Which five open tickets have been under way the longest?", WORKED.format("true", 5)),
        ("Which open bug has HARBOR been working on the longest?",
         WORKED.format("issue_type = 'Bug' AND team_key = 'HARBOR'", 1)),
        ("Which open bug have we been fixing the longest?", WORKED.format("issue_type = 'Bug'", 1)),
    ],
)  # fmt: skip
def test_the_longest_is_of_the_state_beside_it(question: str, truth: str) -> None:
    assert_same_rows(question, truth=truth)


def test_how_long_open_work_took_is_asked_back() -> None:
    assert ask("Which unfinished tickets took us the longest so far?").is_ambiguous
