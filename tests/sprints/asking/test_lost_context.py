"""A question behind one that has no query is neither about an older question nor complete, whichever way it comes."""

import httpx
import pytest

from sprints.asking.answerer import SprintsAnswerer
from sprints.asking.chat import ChatAnswer, chat, read_context
from tests.sprints.semantics.questions.reading import parts_of
from tests.sprints.semantics.questions.test_answers import NOW
from toolbox.answering.decision import Decision, decide_conversation
from toolbox.database import event_loop
from toolbox.database.pools import reader

pytestmark = pytest.mark.usefixtures("django_db_setup")

VELOCITY = "velocity of ACCEL"
ASKED_BACK = "how many frobs of ACCEL are there"
VERIFIED = "How long do issues take by their estimate?"
LEANING = ["and for HARBOR?", "only bugs", "urgent ones", "which of them are open", "by team", "stories", "in points"]
COMPLETE = [
    ("open bugs in ORBIT", "type Bug, team ORBIT"), ("what is the velocity of HARBOR", "velocity, team HARBOR"),
    ("how many issues are blocked", "blocked issues"), ("status of ACCEL-4", "issue ACCEL-4"),
]  # fmt: skip


async def ask_last(*questions: str) -> ChatAnswer:
    before = await read_context(questions[:-1], now=NOW, reader=reader)
    return await chat(
        questions[-1], now=NOW, reader=reader, model=None, context=before.query, lost=before.lost
    )  # fmt: skip


def converse(*questions: str) -> Decision:
    return event_loop.run(decide_conversation(questions, answerers=[SprintsAnswerer(clock=lambda: NOW)]))


def test_the_questions_before_have_no_query() -> None:
    assert event_loop.run(chat(ASKED_BACK, now=NOW, reader=reader, model=None)).is_ambiguous
    verified = event_loop.run(chat(VERIFIED, now=NOW, reader=reader, model=None))
    assert (verified.query, bool(verified.verified_query)) == (None, True)


@pytest.mark.parametrize("lost", [ASKED_BACK, VERIFIED])
@pytest.mark.parametrize("then", LEANING)
def test_what_leans_on_a_lost_question_is_asked_back(lost: str, then: str) -> None:
    answer = event_loop.run(ask_last(VELOCITY, lost, then))

    assert answer.is_ambiguous, answer.interpretation
    assert "question before" in answer.answer


@pytest.mark.parametrize("lost", [ASKED_BACK, VERIFIED])
@pytest.mark.parametrize(("then", "understood"), COMPLETE)
def test_a_complete_question_is_answered_behind_a_lost_one(lost: str, then: str, understood: str) -> None:
    answer = event_loop.run(ask_last(VELOCITY, lost, then))

    assert understood in str(answer.interpretation)


@pytest.mark.parametrize("lost", [ASKED_BACK, VERIFIED])
@pytest.mark.parametrize("then", LEANING[:4])
def test_a_conversation_forgets_what_was_asked_before_a_lost_question(lost: str, then: str) -> None:
    assert not converse(VELOCITY, lost, then).is_covered


@pytest.mark.parametrize("lost", [ASKED_BACK, VERIFIED])
@pytest.mark.parametrize(("then", "understood"), COMPLETE)
def test_a_conversation_goes_on_with_a_complete_question(lost: str, then: str, understood: str) -> None:
    decision = converse(VELOCITY, lost, then)

    assert decision.reading is not None
    assert understood in decision.reading.understood
    assert decision.reading.call is not None
    assert "previous" not in decision.reading.call.arguments


@pytest.mark.parametrize("between", ["thanks a lot", "What is the weather in Raleigh?"])
def test_what_is_about_nothing_here_loses_nothing(between: str) -> None:
    assert converse(VELOCITY, between, "and for HARBOR?").is_covered


@pytest.mark.parametrize(("then", "is_asked"), [("only bugs", True), ("open bugs in ORBIT", False)])
async def test_the_questions_before_may_be_sent_in_place_of_a_query(
    *, then: str, is_asked: bool, ninja_client: httpx.AsyncClient
) -> None:
    sent = {"question": then, "previous": [VELOCITY, ASKED_BACK]}

    answer = (await ninja_client.post("/api/sprints/chat", json=sent)).json()

    assert answer["isAmbiguous"] is is_asked, answer


ANSWERED = [
    ("what am I working on", "Levi", "what is Levi Walker working on"),
    ("which issues are mine", "I'm Priya Raman", "issues assigned to Priya Raman"),
    ("my bugs", "it's Levi", "bugs assigned to Levi Walker"),
    ("issues of Avery", "Avery Smith", "issues of Avery Smith"),
    ("how many points did sprint 42 have", "sprint 8", "how many points did sprint 8 have"),
    ("what is committed", "ORBIT Sprint 8", "what is committed in ORBIT Sprint 8"),
    ("what did the team finish last sprint", "HARBOR", "what did HARBOR finish last sprint"),
    ("what is the status of it", "ORBIT-95", "what is the status of ORBIT-95"),
    ("which team is best", "by velocity", "which team is best by velocity"),
]


@pytest.mark.parametrize(("asked", "then", "whole"), ANSWERED)
def test_what_a_question_lacked_may_be_answered(asked: str, then: str, whole: str) -> None:
    first = event_loop.run(chat(asked, now=NOW, reader=reader, model=None))
    complete = event_loop.run(chat(whole, now=NOW, reader=reader, model=None))

    answer = event_loop.run(ask_last(asked, then))

    assert first.is_ambiguous
    assert answer.query is not None
    assert complete.query is not None
    assert parts_of(answer.query) == parts_of(complete.query)
    assert answer.assumptions[0].startswith("Read as")


@pytest.mark.parametrize(("asked", "then", "whole"), ANSWERED[:3])
def test_a_conversation_takes_the_answer_too(asked: str, then: str, whole: str) -> None:
    decision = converse(asked, then)

    assert decision.reading is not None
    assert decision.reading.call is not None
    assert decision.reading.call.arguments == {"question": then, "previous": [asked]}


def test_the_next_question_changes_the_one_that_was_completed() -> None:
    answer = event_loop.run(ask_last("which open issues are mine", "Avery Smith", "only bugs"))

    assert answer.interpretation == "list of open issues, assigned to Avery Smith, type Bug, now"


@pytest.mark.parametrize(("asked", "then"), [
    ("what am I working on", "not Levi"), ("what am I working on", "ORBIT"), ("what am I working on", "me"),
    ("what am I working on", "Levi and Priya"), ("who left comments on ORBIT-12", "Levi"), ("who is on call", "ORBIT"),
    ("how is ORBIT doing", "bugs"), ("how many customers complained", "about search"), ("who fixed them", "in October"),
    ("what did the team finish last sprint", "which one longest"),
])  # fmt: skip
def test_what_does_not_complete_it_is_asked_back(asked: str, then: str) -> None:
    assert event_loop.run(ask_last(asked, then)).is_ambiguous


CHANGED = [
    ("bugs reported by Priya", "who fixed them", "in October"),
    ("show open tickets in ORBIT", "and HARBOR", "only HARBOR", "all teams"),
    ("p0 bugs closed in October", "lead time", "cycle time"),
    ("how many bugs did ACCEL fix in October?", "and are still open", "p0 only"),
    ("which stories are in QA?", "who", "which one longest"),
    ("points committed in sprint 9", "by team", "and completed"),
    ("tickets assigned to Levi", "created in October", "closed in October"),
    ("what did ACCEL commit to in sprint 8?", "was it done", "what was not"),
    ("open bugs in ORBIT", "which stories are blocked", "HARBOR"),
    ("open bugs", "only Avery's", "Avery Smith"),
    ("which sprint had the most carry over?", "what was carried over", "how many points"),
    ("reopened tickets", "this month", "by whom", "still open", "how many in Orbit"),
]


@pytest.mark.parametrize("turns", CHANGED, ids=" | ".join)
def test_what_follows_a_change_that_was_asked_back_is_not_joined_to_it(turns: tuple[str, ...]) -> None:
    before = event_loop.run(ask_last(*turns[:-1]))
    answer = event_loop.run(ask_last(*turns))

    assert before.is_ambiguous
    assert answer.is_ambiguous, (answer.interpretation, answer.assumptions)


@pytest.mark.parametrize("turns", [one for one in CHANGED if "by team" not in one], ids=" | ".join)
def test_a_conversation_does_not_join_them_either(turns: tuple[str, ...]) -> None:
    assert not converse(*turns).is_covered


@pytest.mark.parametrize("then", [
    "how many points", "how many in Orbit", "how many bugs", "which bugs", "what is the velocity", "assigned to Levi",
    "closed by Levi in October", "blocked ones in ORBIT", "the oldest in ORBIT", "which team closed the most",
])  # fmt: skip
def test_what_says_too_little_behind_a_lost_question_is_asked_back(then: str) -> None:
    answer = event_loop.run(ask_last(VELOCITY, ASKED_BACK, then))

    assert answer.is_ambiguous, answer.interpretation


@pytest.mark.parametrize(("then", "understood"), [
    ("how many bugs are there", "type Bug"), ("which bugs are open", "type Bug"), ("velocity per team", "by team"),
    ("overdue stories", "type Story"), ("members of ORBIT", "team ORBIT"), ("is ACCEL-4 done", "issue ACCEL-4"),
    ("who has the most open bugs", "the highest by issues"), ("wip per team", "by team"),
    ("how many p0s are still open in HARBOR", "team HARBOR"), ("how many isues are blokced in HARBOR", "team HARBOR"),
    ("quick one for the standup: what is Grace working on?", "assigned to Grace"), ("goals of ORBIT sprints", "goal"),
])  # fmt: skip
def test_what_says_enough_behind_a_lost_question_is_answered(then: str, understood: str) -> None:
    answer = event_loop.run(ask_last(VELOCITY, ASKED_BACK, then))

    assert understood in str(answer.interpretation)


@pytest.mark.parametrize("asked", ["what am I working on", "which issues are mine"])
def test_a_whole_question_behind_another_one_may_be_completed(asked: str) -> None:
    answer = event_loop.run(ask_last("open bugs", asked, "Levi"))

    assert "assigned to Levi Walker" in str(answer.interpretation)
    assert converse("open bugs", asked, "Levi").is_covered
