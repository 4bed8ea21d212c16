"""Talk around a question: statements that restrict nothing are left aside; those that may restrict it never are."""

import tomllib
from pathlib import Path

import pytest

from sprints.semantics.questions.grammar import Parse
from sprints.semantics.questions.two_parts import parse_parts
from tests.sprints.cast import TODAY
from tests.sprints.semantics.questions.reading import INDEX, LEXICON, parse, read

ASKED = "how many bugs are open?"
TALK = tomllib.loads(Path("tests/data/sprints/talk.toml").read_text(encoding="utf-8"))
NARRATIVES = tomllib.loads(Path("tests/data/sprints/narratives.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("narrative", NARRATIVES["harmless"])
def test_talk_that_restricts_nothing_is_left_aside_and_said(narrative: str) -> None:
    found = parse(f"{narrative} {ASKED}")

    assert found.query == read(ASKED)
    assert any(one.startswith("Left aside: ") for one in found.assumptions)


@pytest.mark.slow
@pytest.mark.parametrize("narrative", NARRATIVES["restricting"])
def test_talk_that_may_restrict_the_answer_is_never_dropped(narrative: str) -> None:
    said = narrative.rstrip(":,. -")
    for question in (f"{narrative} {ASKED}", f"{ASKED} {said}.", f"{ASKED[:-1]}, {said}?"):
        found = parse(question)

        assert found.query is None or found.query != read(ASKED), found.assumptions


@pytest.mark.parametrize(
    ("question", "plain"),
    [
        ("I'm Levi Walker, which issues are assigned to me?", "which issues are assigned to Levi Walker?"),
        ("Hi, I am Levi Walker. Which of my bugs are open?", "Which of Levi Walker's bugs are open?"),
        ("This is Levi Walker: which issues have I not finished?", "which issues has Levi Walker not finished?"),
        ("Levi Walker here, which bugs are assigned to me?", "which bugs are assigned to Levi Walker?"),
        ("My name is Levi Walker: show me my open bugs", "show me Levi Walker's open bugs"),
        ("I'm Levi Walker, tell me which of my issues are blocked", "which of Levi Walker's issues are blocked?"),
        ("Which issues are assigned to me? I'm Levi Walker.", "which issues are assigned to Levi Walker?"),
        ("I spoke to Levi Walker. How many open bugs does he have?", "How many open bugs does Levi Walker have?"),
        ("I had a chat with Levi Walker and forgot to ask him: how many bugs has he closed?",
         "how many bugs has Levi Walker closed?"),
        ("Levi Walker is on holiday, which of his issues are overdue?", "which of Levi Walker's issues are overdue?"),
        ("I met Levi Walker. Which issues are assigned to him?", "Which issues are assigned to Levi Walker?"),
    ],
)  # fmt: skip
def test_a_pronoun_stands_for_the_one_person_that_is_named_around_the_question(question: str, plain: str) -> None:
    found = parse(question)

    assert found.query == read(plain)
    assert any(one.startswith("Took '") and one.endswith(" as Levi Walker.") for one in found.assumptions)


@pytest.mark.parametrize(
    "question",
    [
        "I'm not Levi Walker, which issues are assigned to me?",
        "I only care about ORBIT. I'm Levi Walker, which issues are assigned to me?",
        "Open issues reported by Levi Walker that are assigned to her",
        "Ask Levi Walker. Which issues are assigned to me?",
        "I'm Avery, which issues are assigned to me?",
        "I'm with Levi Walker, which issues are assigned to me?",
        "I spoke to Levi Walker and Will Grace. Which issues are assigned to him?",
        "My boss asked: how many bugs has he closed?",
    ],
)
def test_a_pronoun_of_nobody_certain_is_asked_back(question: str) -> None:
    assert parse(question).query is None


@pytest.mark.parametrize(
    "claim",
    [
        "There was this rumour in the kitchen that ORBIT is slow.",
        "I have a feeling ORBIT keeps dawdling,",
        "Somebody said ORBIT is slow:",
    ],
)
def test_a_claim_may_name_one_of_those_that_the_question_lists(claim: str) -> None:
    assert parse(f"{claim} how many bugs does each team have?").query == read("how many bugs does each team have?")
    assert parse(f"{claim} how many bugs are open?").query is None


@pytest.mark.parametrize(
    "narrative",
    [
        "I was told to skip ORBIT:", "My boss thinks only ORBIT matters:", "I was asked about ORBIT:", "I want ORBIT:",
        "My boss wants ORBIT:", "I guess ORBIT is out of scope:", "I think we should exclude ORBIT:", "I know ORBIT:",
        "They said not to count ORBIT.", "I'd say drop ORBIT:", "We closed ORBIT:",
    ],
)  # fmt: skip
def test_one_of_those_that_the_question_lists_may_be_what_is_meant(narrative: str) -> None:
    plain = "how many bugs does each team have?"

    found = parse(f"{narrative} {plain}")

    assert found.query is None or found.query != read(plain), found.assumptions


@pytest.mark.parametrize(
    ("question", "plain"),
    [
        ("my manager is asking for the open bugs per team", "the open bugs per team"),
        ("my boss wants the velocity of ORBIT", "the velocity of ORBIT"),
        ("as a scrum master I want to see the velocity of ORBIT", "the velocity of ORBIT"),
        ("before planning I want the open bugs of ORBIT", "the open bugs of ORBIT"),
        ("standup in 5, which bugs are open?", "which bugs are open?"),
        ("I know it's late, but which bugs are open?", "which bugs are open?"),
        ("I'm new here - which bugs are open?", "which bugs are open?"),
        ("This may be a bit random: which bugs are open?", "which bugs are open?"),
    ],
)
def test_what_somebody_wants_is_the_question(question: str, plain: str) -> None:
    assert parse(question).query == read(plain)


def test_the_month_may_is_no_modal() -> None:
    assert read("how many bugs were created this May?") != read("how many bugs were created?")


def _parse_chat(question: str) -> Parse:
    """Parse a question as the chat does: whole, or with its pronouns named and in parts."""
    whole = parse(question)
    return parse_parts(question, whole=whole, index=INDEX, today=TODAY, lexicon=LEXICON, meant={}) or whole


@pytest.mark.parametrize(("question", "plain"), TALK["answered"])
def test_a_question_with_talk_around_it_means_what_it_means_alone(question: str, plain: str) -> None:
    assert _parse_chat(question).query == _parse_chat(plain).query


@pytest.mark.parametrize(("question", "plain"), TALK["asked_back"])
def test_talk_that_is_not_read_never_changes_the_question(question: str, plain: str) -> None:
    assert _parse_chat(question).query in (None, _parse_chat(plain).query)


@pytest.mark.parametrize(("question", "bare"), TALK["restricting"])
def test_what_the_talk_restricts_is_never_answered_without_it(question: str, bare: str) -> None:
    assert _parse_chat(question).query != _parse_chat(bare).query


@pytest.mark.parametrize(
    ("question", "plain"),
    [
        ("so my boss keeps asking if ACCEL will make it this sprint... how many points are still open there?",
         "how many points are open at ACCEL in this sprint?"),
        ("I worry about ORBIT. How many bugs do they have open?", "How many bugs does ORBIT have open?"),
        ("People complain about ORBIT a lot, how many p0 bugs does that team have?",
         "how many p0 bugs does ORBIT have?"),
        ("They told me HARBOR was behind. What is its velocity?", "What is the velocity of HARBOR?"),
    ],
)  # fmt: skip
def test_the_team_that_is_told_of_is_meant_by_a_pronoun_and_it_is_said(question: str, plain: str) -> None:
    found = _parse_chat(question)

    assert found.query == read(plain)
    assert any(one.startswith("Read as '") for one in found.assumptions)


@pytest.mark.parametrize(
    "question",
    [
        "ORBIT and HARBOR are fighting again. How many bugs do they have open?",
        "The checkout of ORBIT is slow. How many bugs are open there?",
        "I worry about payments at ORBIT. How many bugs do they have open?",
        "Last month was rough for ORBIT. How many bugs did they close?",
    ],
)
def test_what_else_is_told_of_the_team_is_not_dropped(question: str) -> None:
    assert _parse_chat(question).query is None


@pytest.mark.parametrize(
    "question",
    [
        "I'm seeing a dentist. Which bugs are open? Are any of them blocked?",
        "I'm seeing a dentist. Which bugs are open, and until when?",
        "I'm seeing a dentist. How many bugs are open, and why?",
        "I'm seeing a dentist in Sprint 8. How many bugs are open?",
        "I'm seeing a dentist at ORBIT. How many bugs are open?",
        "I saw a dentist on Monday. How many bugs were closed?",
    ],
)
def test_a_second_question_or_a_value_is_no_remark(question: str) -> None:
    assert _parse_chat(question).query is None


def test_what_is_on_somebodys_plate_is_asked_of_the_one_who_is_told_of() -> None:
    question = "So Levi Walker said he is swamped, what is still on his plate?"

    assert _parse_chat(question).query == read("what is still on Levi Walker's plate?")
