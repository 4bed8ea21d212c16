"""Questions that once got the answer to another question: they are read as they are meant, or asked back."""

import pytest

from tests.sprints.semantics.questions.reading import follow, parse, read
from tests.sprints.semantics.questions.test_answers import ask


@pytest.mark.parametrize(
    "question",
    [
        "bugs that aren't both open and blocked",
        "bugs that are not both open and blocked",
        "stories that aren't all done",
        "which stories are not all estimated?",
    ],
)
def test_what_is_not_true_of_both_is_not_read_as_what_is_not_true_of_the_first(question: str) -> None:
    assert parse(question).query is None


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("question", "understood"),
    [
        ("open issues with no label or epic", "list of open issues, without labels, epic: no epic, now"),
        ("open bugs without label or epic", "list of open issues, type Bug, without labels, epic: no epic, now"),
    ],
)
def test_an_epic_is_lacked_too_although_it_is_also_a_type(question: str, understood: str) -> None:
    assert ask(question).interpretation == understood


@pytest.mark.django_db
def test_several_epics_beside_what_is_lacked_are_asked_back() -> None:
    assert ask("open issues without labels or epics").is_ambiguous


@pytest.mark.parametrize(
    "question",
    [
        "how many points are unestimated?",
        "total points of unestimated stories",
        "average points of unestimated stories per team",
        "how many points without estimate does ORBIT have?",
    ],
)
def test_what_has_no_number_is_not_added_up(question: str) -> None:
    found = parse(question)

    assert found.query is None
    assert "has none to add up" in found.why


@pytest.mark.parametrize(
    ("before", "question"), [("unestimated stories", "how many points?"), ("open points by team", "only unestimated")]
)
def test_what_has_no_number_is_not_added_up_by_a_follow_up(before: str, question: str) -> None:
    assert follow(read(before), question) is None


def test_a_time_until_done_is_not_of_open_issues() -> None:
    said = read("average cycle time of issues without points").model_dump_json()

    assert '"unestimated"' in said
    assert '"open"' not in said


@pytest.mark.parametrize(
    ("question", "is_one"),
    [
        ("which of ORBIT's people has the most bugs?", True),
        ("which of the people has the fewest open issues?", True),
        ("which people have the most bugs?", False),
    ],
)
def test_has_asks_for_one_and_have_for_all_in_order(question: str, *, is_one: bool) -> None:
    query = read(question)

    assert (query.rank is not None) == is_one
    assert bool(query.order) != is_one


def test_the_creation_of_which_a_time_is_told_is_no_number_of_its_own() -> None:
    assert read("bugs resolved within 3 days of creation") == read("bugs resolved within 3 days")
    assert read("how many bugs were fixed within 2 days of creation?") == read(
        "how many bugs were fixed within 2 days?"
    )


@pytest.mark.parametrize(
    "question",
    [
        "points completed and committed by ORBIT in sprint 8",
        "points committed and completed per sprint for ORBIT",
        "how many points did ORBIT commit and complete in sprint 8?",
    ],
)
def test_two_verbs_of_points_are_two_numbers_or_one_and_it_is_asked_which(question: str) -> None:
    assert "both is true" in parse(question).why


@pytest.mark.parametrize(
    "question",
    [
        "which stories were estimated after the sprint started?",
        "which stories were re-estimated after the start of ORBIT Sprint 8?",
        "issues blocked after the start of ORBIT Sprint 8",
    ],
)
def test_what_happened_after_the_start_is_not_what_was_added_then(question: str) -> None:
    assert parse(question).query is None


@pytest.mark.parametrize(
    "question",
    [
        "issues that bounced back from QA",
        "issues reopened from QA",
        "issues that came back from QA twice",
        "bugs from QA",
    ],
)
def test_the_status_where_issues_were_is_not_that_where_they_are(question: str) -> None:
    assert parse(question).query is None


@pytest.mark.parametrize(
    ("question", "plain"),
    [
        ("burn down of HARBOR", "burndown of HARBOR"),
        ("burn-down of HARBOR Sprint 9", "burndown of HARBOR Sprint 9"),
        ("how many points did ORBIT burn down in sprint 8?", "how many points did ORBIT complete in sprint 8?"),
    ],
)
def test_a_burn_down_is_a_chart_unless_somebody_burns_down(question: str, plain: str) -> None:
    assert read(question) == read(plain)


@pytest.mark.django_db
@pytest.mark.parametrize("question", ["bugs not in any sprint", "bugs in no sprint"])
def test_the_reading_says_no_sprint_in_plain_words(question: str) -> None:
    assert ask(question).interpretation == "list of issues, type Bug, not in any sprint"


@pytest.mark.parametrize(
    "question",
    [
        "who has exactly 0 open bugs?",
        "who has less than 1 open bug?",
        "which sprints of ORBIT have exactly 0 added issues?",
    ],
)
def test_those_who_have_none_are_asked_for_in_words_that_list_them(question: str) -> None:
    found = parse(question)

    assert found.query is None
    assert "no open bugs" in found.why


@pytest.mark.django_db
@pytest.mark.parametrize("question", ["is the epic Works offline blocked?", "is Works offline done?"])
def test_the_state_of_an_epic_is_not_a_list_of_its_issues(question: str) -> None:
    answer = ask(question)

    assert answer.is_ambiguous
    assert "of the epic or of its issues" in answer.answer


@pytest.mark.django_db
def test_the_state_of_an_epic_is_found_by_its_title() -> None:
    assert [row["status_category"] for row in ask("is Pay in the app open?").rows] == ["To Do"]


@pytest.mark.parametrize(
    "order",
    [
        "close ACCEL-107", "please assign ACCEL-107 to Avery Smith", "can you move ACCEL-107 to Done?", "add ORBIT",
        "estimate ACCEL-107", "open ACCEL-107", "resolve the p0 bugs of ORBIT", "remove the bugs from ORBIT Sprint 8",
    ],
)  # fmt: skip
def test_an_order_to_change_something_is_no_question(order: str) -> None:
    found = parse(order)

    assert found.query is None
    assert "only answer questions" in found.why


@pytest.mark.parametrize(
    "question", ["open bugs", "count open bugs", "can you show closed bugs?", "carry over points by sprint"]
)
def test_a_question_that_begins_with_a_verb_is_no_order(question: str) -> None:
    assert "only answer questions" not in parse(question).why


@pytest.mark.parametrize("before", ["open bugs", "open bugs of ORBIT"])
@pytest.mark.parametrize("change", ["add HARBOR", "remove HARBOR"])
def test_a_follow_up_in_the_form_of_an_order_lists_nothing_else(before: str, change: str) -> None:
    assert follow(read(before), change) is None
    assert parse(change).query is None


@pytest.mark.parametrize(
    ("before", "change", "measure"),
    [
        ("average lead time of bugs", "and cycle time?", "average_cycle_time"),
        ("median lead time of bugs", "and cycle time?", "cycle_time"),
    ],
)
def test_a_follow_up_keeps_the_statistic(before: str, change: str, measure: str) -> None:
    changed = follow(read(before), change)

    assert changed is not None
    assert changed.measures == (measure,)


@pytest.mark.parametrize(
    "question",
    [
        "how much of the commitment was completed",
        "how much of the commitment was completed in sprint 8",
        "did ACCEL meet its commitment in sprint 8",
    ],
)
def test_a_part_of_what_was_committed_is_not_given_as_a_number_alone(question: str) -> None:
    assert parse(question).query is None


@pytest.mark.django_db
@pytest.mark.parametrize("question", ["open bugs in all epics", "open issues in all epics"])
def test_all_epics_that_rows_are_in_are_not_read_as_rows(question: str) -> None:
    assert ask(question).is_ambiguous


@pytest.mark.django_db
@pytest.mark.parametrize("question", ["open bugs with a story", "open bugs with stories", "open bugs with a task"])
def test_what_rows_have_is_not_read_as_further_rows(question: str) -> None:
    assert ask(question).is_ambiguous


def test_but_ends_what_is_left_out() -> None:
    said = read("open issues not assigned to Avery Hernandez but to Levi Walker").model_dump_json()

    assert said.count('"op":"ne"') == 1
    assert said.count('"op":"eq"') == 1
