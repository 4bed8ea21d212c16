"""Names of the data in a question."""

from datetime import date

import pytest

from sprints.linking.link import MAX_QUESTION, LinkedQuestion, link
from sprints.linking.names import Kind, Name, NameIndex
from tests.sprints.cast import TODAY, index

INDEX = index()


def link_names(question: str) -> LinkedQuestion:
    return link(question, index=INDEX, today=TODAY)


@pytest.mark.parametrize(
    ("question", "kind", "name"),
    [
        ("What did Avery Hernandez finish?", "person", "Avery Hernandez"),
        ("what did AVERY HERNANDEZ finish", "person", "Avery Hernandez"),
        ("What did Avery Hernandes finish?", "person", "Avery Hernandez"),
        ("Hernandez's open issues", "person", "Avery Hernandez"),
        ("Hernandez, Avery: open issues", "person", "Avery Hernandez"),
        ("Avery H. open issues", "person", "Avery Hernandez"),
        ("What is Sophia Gonzalez working on?", "person", "Sophia González"),
        ("What is Sofia Gonzalez working on?", "person", "Sophia González"),
        ("soren odegard's work", "person", "Søren Ødegård"),
        ("李娜还有多少未完成的任务", "person", "李娜"),
        ("ОЛЕНА КОВАЛЬ open issues", "person", "Олена Коваль"),
        ("open issues of محمد العلي", "person", "محمد العلي"),
        ("What did Will finish?", "person", "Will Grace"),
        ("velocity of accel", "team", "ACCEL"),
        ("velocity of ACEL", "team", "ACCEL"),
        ("velocity of the Orbit team", "team", "ORBIT"),
        ("velocity of Harbour Mobile", "team", "HARBOR"),
        ("everything in code review", "status", "Code Review"),
        ("open P0 tickets", "priority", "p0"),
        ("open bugs", "type", "Bug"),
        ("issues labelled tech debt", "label", "tech-debt"),
    ],
)
def test_a_name_is_found_however_it_is_written(question: str, kind: Kind, name: str) -> None:
    assert [found.text for found in link_names(question).of_kind(kind)] == [name]


@pytest.mark.parametrize(
    "question",
    ["Will we finish on time?", "Is every ticket done?", "How many story points are open?", "Sofa so good?", "", "   "],
)
def test_ordinary_words_are_no_names(question: str) -> None:
    linked = link_names(question)

    assert [one for one in linked.spotted if one.kind in ("person", "team", "type")] == []


def test_a_first_name_of_two_people_is_asked_about_with_full_names_and_teams() -> None:
    [unclear] = link_names("What did Avery finish last sprint?").unclear

    assert unclear.question == (
        "Which Avery are you referring to? There are 2 users of that name: Avery Hernandez (ACCEL) or "
        "Avery Smith (ORBIT). Please give the full name."
    )


def test_a_first_name_of_one_person_is_an_assumption_that_is_stated() -> None:
    linked = link_names("What is Levi working on?")

    assert linked.unclear == []
    assert linked.assumptions == ["Took 'Levi' as the user Levi Walker (ACCEL)."]


def test_a_team_in_the_question_tells_namesakes_apart() -> None:
    linked = link_names("What did Avery of ORBIT finish?")

    assert [name.text for name in linked.of_kind("person")] == ["Avery Smith"]
    assert linked.unclear == []


def test_a_mended_spelling_is_stated() -> None:
    assert "Took 'ACEL' as the team ACCEL." in link_names("velocity of ACEL").assumptions


@pytest.mark.parametrize(
    ("question", "sprints"),
    [
        ("ACCEL in the current sprint", ["ACCEL Sprint 10"]),
        ("ACCEL in this sprint", ["ACCEL Sprint 10"]),
        ("ACCEL last sprint", ["ACCEL Sprint 9"]),
        ("ACCEL over the last two sprints", ["ACCEL Sprint 9", "ACCEL Sprint 8"]),
        ("ACCEL in sprint 7", ["ACCEL Sprint 7"]),
        ("ACCEL in sprints 3 to 5", ["ACCEL Sprint 3", "ACCEL Sprint 4", "ACCEL Sprint 5"]),
        ("the sprint before last, of ACCEL", ["ACCEL Sprint 8"]),
        ("ACCEL two sprints ago", ["ACCEL Sprint 8"]),
        ("carried out of ACCEL Sprint 4", ["ACCEL Sprint 4"]),
        ("sprint 7", ["ACCEL Sprint 7", "ORBIT Sprint 7", "HARBOR Sprint 7"]),
        ("what spills into the next sprint", []),
    ],
)
def test_sprints_are_found_by_position_and_number_in_each_team(question: str, sprints: list[str]) -> None:
    linked = link_names(question)

    assert [name.text for name in linked.of_kind("sprint")] == sprints
    assert linked.unclear == []


def test_a_sprint_that_is_not_there_is_asked_about() -> None:
    [unclear] = link_names("What was done in sprint 99 of ACCEL?").unclear

    assert "'sprint 99' of ACCEL" in unclear.question


def test_a_day_that_may_be_two_is_asked_about() -> None:
    [unclear] = link_names("What was closed on 3/4/2026?").unclear

    assert unclear.question == "Is '3/4/2026' 3 April 2026 or 4 March 2026?"


def test_two_teams_may_be_named() -> None:
    assert [name.text for name in link_names("Compare ACCEL and ORBIT").of_kind("team")] == ["ACCEL", "ORBIT"]


def test_a_page_of_text_is_read_as_far_as_a_question_may_go() -> None:
    linked = link_names("zzyqx wqrtz Avery " * 4_000)

    assert len(linked.text) == MAX_QUESTION


def test_a_name_with_markup_and_quotes_in_it_is_only_a_name() -> None:
    odd = "Robert'); DROP TABLE issues; --"
    found = link(
        f"What did {odd} finish?",
        index=NameIndex.from_names([Name(kind="person", value="id", text=odd)]),
        today=date(2026, 1, 1),
    )

    assert [name.text for name in found.of_kind("person")] == [odd]
