"""Two things of which one has more: both numbers side by side, or the question is asked back. Pure."""

import pytest

from tests.sprints.semantics.questions.reading import parse, parts_of, read


@pytest.mark.parametrize(
    ("question", "same"),
    [
        ("Were more bugs or more stories resolved in October?", "bugs versus stories resolved in October"),
        ("Did HARBOR resolve more stories or bugs in October?", "stories vs bugs resolved in October by HARBOR"),
        ("Do we have more open bugs than open stories?", "How many open bugs versus stories?"),
        ("How many more open bugs than open tasks does ACCEL have?", "open bugs versus tasks of ACCEL"),
        ("How many more bugs does ACCEL have than ORBIT?", "How many open bugs: ACCEL versus ORBIT"),
        ("Which has a longer cycle time, bugs or stories?", "cycle time of bugs versus stories"),
        ("Stories versus tasks: which have the longer median lead time?", "median lead time of stories versus tasks"),
        ("Which have the longer lead time, issues labelled security or issues labelled tech-debt?",
         "lead time: security versus tech-debt"),
        ("How many more points did ORBIT complete in Sprint 8 than in Sprint 7?",
         "How many points did ORBIT complete in Sprint 8 versus Sprint 7?"),
        ("Which was worse for ORBIT in carried-over points, Sprint 6 or Sprint 7?",
         "ORBIT carried-over points: Sprint 6 versus Sprint 7"),
        ("How many more issues did ORBIT create in October than in September?",
         "How many issues did ORBIT create in October versus September?"),
        ("Were more security issues created or resolved in October?",
         "How many security issues were created versus resolved in October?"),
        ("Were more stories completed or carried over in ACCEL Sprint 7?",
         "How many stories were completed versus carried over in ACCEL Sprint 7?"),
        ("How much higher is ACCEL's velocity than ORBIT's?", "velocity of ACCEL versus ORBIT"),
        ("What is the difference in velocity between ACCEL and ORBIT?", "velocity of ACCEL versus ORBIT"),
    ],
)  # fmt: skip
def test_each_alternative_has_its_number(question: str, same: str) -> None:
    assert parts_of(read(question)) == parts_of(read(same))


@pytest.mark.parametrize(
    "question",
    [
        "Are ACCEL's stories bigger than ORBIT's?",
        "Which team has bigger stories, ACCEL or ORBIT?",
        "Which has higher priority, bugs or stories?",
        "Which are more urgent, bugs or stories?",
        "Which team is better, ACCEL or ORBIT?",
        "Did Levi Walker report or resolve more bugs in October?",
        "Were more bugs resolved in October than created in September?",
        "Were more bugs resolved than stories created in October?",
        "Is there more open work in ACCEL or in ORBIT?",
        "Which teams have more bugs than stories?",
        "Were more bugs created in ACCEL or resolved in ORBIT?",
    ],
)
def test_what_no_number_says_is_asked_back(question: str) -> None:
    assert parse(question).query is None
