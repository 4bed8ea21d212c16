"""Questions changed part by part: what is taken away or replaced, and that nothing else changes."""

from datetime import UTC, datetime

import pytest

from sprints.asking.answerer import SprintsAnswerer
from sprints.asking.chat import chat, read_context
from sprints.contracts import MAX_PREVIOUS
from sprints.linking.name_cache import load_name_index
from toolbox.contract.answerer import Interpretation, Part
from toolbox.database import event_loop
from toolbox.database.pools import reader

NOW = datetime(2026, 11, 18, 13, tzinfo=UTC)
OPEN_BUGS = "How many open bugs does ORBIT have by priority?"
pytestmark = pytest.mark.usefixtures("django_db_setup")


def read(question: str, *, before: Interpretation | None = None) -> Interpretation:
    return event_loop.run(SprintsAnswerer(clock=lambda: NOW).read(question, before=before))


def parts_of(question: str) -> dict[str, Part]:
    reading = read(question)
    assert reading.alone, reading
    return {part.text: part for part in event_loop.run(SprintsAnswerer(clock=lambda: NOW).list_parts(reading.alone))}


def test_each_part_of_a_question_can_be_taken_away_and_those_with_known_values_replaced() -> None:
    parts = parts_of(OPEN_BUGS)

    assert list(parts) == ["with priority", "open", "type Bug", "team ORBIT", "by priority"]
    assert read(parts["team ORBIT"].without).understood == "open issues, with priority, type Bug, by priority, now"
    assert parts["team ORBIT"].values == ("ACCEL", "HARBOR")
    changed = read(f"{parts['team ORBIT'].instead} HARBOR")
    assert changed.understood == "open issues, with priority, type Bug, team HARBOR, by priority, now"
    assert (parts["open"].values, parts["open"].instead) == ((), "")


@pytest.mark.parametrize(
    "question",
    [
        OPEN_BUGS,
        "How many issues were created last month per week?",
        "velocity of ACCEL since March",
        "top 3 people by open issues",
        "Which bugs of Avery Smith are open?",
        "Which labels have the most open issues?",
        "Which issues were carried over from ACCEL's last sprint?",
        "What share of the open issues are bugs?",
        "Teams with more than 5 open bugs",
    ],
)
def test_every_change_that_is_offered_is_understood_and_changes_the_query(question: str) -> None:
    before = event_loop.run(read_context([question], now=NOW, reader=reader)).query
    parts = parts_of(question)

    assert parts
    for part in parts.values():
        changes = [part.without] if part.without else []
        for change in changes + [f"{part.instead} {value}" for value in part.values]:
            after = read(change)
            assert after.state == "covered", change
            assert after.call is not None
            lines = [*after.call.arguments.get("previous", ()), after.call.arguments["question"]]
            assert event_loop.run(read_context(lines, now=NOW, reader=reader)).query not in (before, None), change


def test_a_changed_question_asks_the_same_whatever_was_asked_in_between() -> None:
    change = parts_of(OPEN_BUGS)["team ORBIT"].without
    other = read("What is the velocity of ACCEL?")

    assert read(change, before=other).understood == read(change).understood


def test_a_question_after_a_change_changes_the_changed_query() -> None:
    changed = read(f"{parts_of(OPEN_BUGS)['team ORBIT'].instead} HARBOR")

    following = read("only p1", before=changed)

    assert "team HARBOR" in following.understood
    assert "p1" in following.understood.lower()
    assert following.call is not None
    assert following.call.arguments["previous"] == [OPEN_BUGS, "Instead of team ORBIT: HARBOR"]
    answer = event_loop.run(_ask(following))
    assert answer == following.understood


async def _ask(reading: Interpretation) -> str | None:
    assert reading.call is not None
    arguments = reading.call.arguments
    context = (await read_context(arguments.get("previous", ()), now=NOW, reader=reader)).query
    answer = await chat(arguments["question"], now=NOW, reader=reader, model=None, context=context)
    return answer.interpretation


@pytest.mark.parametrize(
    "line",
    [
        "Without: team HARBOR", "Instead of team HARBOR: ACCEL", "Instead of team ORBIT: NARNIA",
        "Without: team ORBIT\nWithout: team ORBIT", "Without: team HARBOR\nWithout: open",
    ],
)  # fmt: skip
def test_a_change_of_a_part_that_is_not_there_is_asked_back(line: str) -> None:
    reading = read(f"{OPEN_BUGS}\n{line}")

    assert (reading.state, reading.call) == ("unclear", None)
    assert "does not have that part" in reading.clarification


def test_a_change_without_a_question_before_it_is_no_answer() -> None:
    assert read("Without: team ORBIT").call is None


def test_a_question_of_many_lines_stays_one_question() -> None:
    assert (
        read("How many open bugs\ndoes ORBIT have?").understood
        == read("How many open bugs does ORBIT have?").understood
    )


def test_more_changes_than_a_question_may_have_are_not_offered() -> None:
    answerer = SprintsAnswerer(clock=lambda: NOW)
    swaps = ["Instead of team ORBIT: HARBOR", "Instead of team HARBOR: ORBIT"] * MAX_PREVIOUS
    longest = "\n".join([OPEN_BUGS, *swaps[: MAX_PREVIOUS - 2]])

    last = event_loop.run(answerer.list_parts(longest))
    assert read(last[0].without).state == "covered"
    assert event_loop.run(answerer.list_parts(f"{longest}\n{swaps[MAX_PREVIOUS - 2]}")) == []


def test_the_sprints_to_choose_from_are_those_of_the_team() -> None:
    index = event_loop.run(load_name_index(reader=reader))
    accel = {name.text for name in index.sprints if name.team == "ACCEL"}

    parts = parts_of("How many points did ACCEL complete in sprint 7?")

    (sprints,) = [part.values for part in parts.values() if part.text == "ACCEL Sprint 7"]
    assert set(sprints) == accel - {"ACCEL Sprint 7"}
    assert sprints[0] == max(accel, key=lambda name: int(name.split()[-1]))
