"""Narrative beside a question: left aside and said if it restricts nothing, else the question is asked back."""

import pytest

from tests.sprints.semantics.questions.reading import parse, read

ASKED = "how many bugs are open?"
NARRATIVES = [
    "My dog kept me up all night, so",
    "Getting my head round the plan for Friday:",
    "The CTO stopped me by the lift and wants one number:",
    "Not urgent at all, but I'd love to know",
    "Long day... anyway,",
    "I spoke with my partner about our work last night and couldn't say",
    "Ok last one I promise:",
    "Just got back from two weeks off -",
    "I lost my notes again,",
    "Trying to settle an argument here:",
    "My brain is fried, so",
    "Bear with me, I'm new here:",
    "The boss just asked me in the corridor:",
    "My colleague bet me a beer:",
    "I know you're busy, but",
    "Hey, me again, promise this is the last one:",
    "Could you do me a favour and tell me",
    "I can't find this anywhere:",
    "Somebody asked me at lunch and I had no idea:",
    "I haven't had a coffee yet, so go easy on me:",
    "I've been staring at a spreadsheet for an hour:",
    "Quick one while my tea brews:",
    "I've got a dentist appointment in ten minutes:",
    "I'm writing an email to my manager:",
    "Before I head off:",
    "Help me out here:",
    "You're a star!",
    "My intern wonders",
    "The auditors want to know",
    "My manager keeps bugging me:",
    "I need a number for a slide:",
    "I overslept and missed the standup, so:",
    "Everyone in the meeting looked at me:",
    "I'm no expert, but",
    "I should know this by heart, but",
    "Asking for my boss:",
    "Hi! Hope your weekend was good.",
    "I'm in a meeting and someone just asked:",
    "I have a train to catch, so real quick:",
    "Hello from the train!",
    "Writing my notes for the board, I wondered",
    "The new guy asked me something I couldn't answer:",
    "Coffee first, but then:",
    "You won't believe it but nobody could tell me:",
]
BEHIND = [
    "because my boss keeps asking",
    "my boss won't stop asking",
    "I need it for a slide",
    "sorry for asking again, I forgot to write it down",
]
RESTRICTIONS = [
    "I only care about ORBIT:",
    "This is about ORBIT.",
    "For the retro I need only what was carried over:",
    "I'm on the payments team:",
    "We own the payments app:",
    "I was asked about HARBOR.",
    "My boss is interested in October:",
    "I was away last week:",
    "I'm preparing slides for October:",
    "I'm looking at sprint 7:",
    "The customer complained about mobile:",
    "My area is payments:",
    "My boss asked about the payments app:",
    "We just shipped the mobile app:",
    "We launched checkout:",
    "I joined the search squad:",
    "Talking to Avery Hernandez earlier:",
    "I'm thinking of the tech-debt label:",
    "My project is the new website:",
    "I run mobile:",
    "I'm responsible for search:",
    "Since March we have been busy:",
    "In August I was on holiday:",
    "Payments only, please:",
    "My customer is Globex:",
    "Globex called me:",
    "I'm from the Berlin office:",
    "I have a meeting about Globex:",
    "I have a call about the login page:",
    "My team is PHOENIX:",
    "We are talking iOS here:",
    "I need it for android:",
    "My interest is in the backend:",
    "I keep hearing about the checkout:",
    "I guess the android ones matter:",
    "My dog ate the ORBIT notes:",
    "I was told to skip duplicates:",
    "I should ignore duplicates:",
    "I promised numbers for Q3:",
    "I had coffee with the android folks, so",
    "I'm an android dev:",
    "Our CTO wants the checkout numbers:",
    "Reading the checkout report, I wonder",
    "It's checkout I want:",
    "Somebody said checkout is broken:",
    "The checkout team wants to know:",
    "Question about the login:",
    "During my holiday,",
    "Since I joined,",
    "Since my last standup,",
    "After my holiday,",
    "While I was on holiday,",
]


@pytest.mark.parametrize("narrative", NARRATIVES)
def test_a_narrative_that_restricts_nothing_is_left_aside_and_said(narrative: str) -> None:
    found = parse(f"{narrative} {ASKED}")

    assert found.query == read(ASKED)
    assert any(one.startswith("Left aside: ") for one in found.assumptions)


@pytest.mark.parametrize("narrative", BEHIND)
def test_a_narrative_may_stand_behind_the_question(narrative: str) -> None:
    separator = " " if narrative.startswith("because") else ". "

    assert parse(f"{ASKED.rstrip('?')}{separator}{narrative}").query == read(ASKED)


@pytest.mark.parametrize("narrative", RESTRICTIONS)
def test_what_may_restrict_the_answer_is_never_dropped(narrative: str) -> None:
    for question in (f"{narrative} {ASKED}", f"{ASKED} {narrative.rstrip(':,.')}."):
        found = parse(question)

        assert found.query is None or found.query != read(ASKED), found.assumptions


@pytest.mark.parametrize(
    ("question", "plain"),
    [
        ("I had a call about security, so: how many security issues are open?", "how many security issues are open?"),
        ("I was off last week: how many bugs were closed in October?", "how many bugs were closed in October?"),
    ],
)
def test_what_the_question_repeats_is_no_restriction(question: str, plain: str) -> None:
    assert parse(question).query == read(plain)


@pytest.mark.parametrize("unit", ["in points", "in days", "by week", "per team", "in number of points"])
def test_a_unit_or_a_group_is_no_narrative(unit: str) -> None:
    found = parse(f"Was more scope added in October than in September, {unit}?")

    assert not any(one.startswith("Left aside: ") for one in found.assumptions)


def test_only_one_issue_is_listed_if_one_is_asked_for() -> None:
    found = read("Which open issue has the most story points?")

    assert found.rank is not None
    assert found.rank.count == 1


@pytest.mark.parametrize(
    ("question", "plain"),
    [
        ("would it be possible to get a list of everything blocked", "everything blocked"),
        ("is it possible to see the velocity of ACCEL by sprint?", "the velocity of ACCEL by sprint"),
        ("would you mind showing me the blocked tickets", "the blocked tickets"),
        ("help me find the oldest open bugs", "the oldest open bugs"),
        ("how do I see which issues are blocked?", "which issues are blocked?"),
        ("can we see cycle time by team?", "cycle time by team?"),
        ("give me a quick overview of the open bugs per team", "the open bugs per team"),
        ("for the steering meeting I need how many bugs are open", ASKED),
    ],
)
def test_a_request_is_read_as_what_it_asks_for(question: str, plain: str) -> None:
    assert parse(question).query is not None
    assert parse(question).query == parse(plain).query
