"""A value of the data that is a word of the model does not stand in its place."""

import pytest

from sprints.linking.folding import name_words
from sprints.linking.link import link
from sprints.linking.names import Kind, Name, NameIndex
from sprints.semantics.questions.grammar import parse_question
from tests.sprints.cast import TODAY, index
from tests.sprints.semantics.questions.reading import LEXICON

QUESTIONS = (
    "who has the most open issues?", "which teams have the most blocked issues?", "how many bugs of ACCEL are done?",
    "how many points did ACCEL complete per sprint?", "average cycle time by priority", "which issues are unassigned?",
    "which issues are in progress for more than 5 days?", "the number of new issues per week",
    "how many hours were spent on each epic?", "issues reopened last month by type",
)  # fmt: skip
KINDS: tuple[Kind, ...] = ("status", "priority", "type", "label", "team", "person", "sprint", "epic")
LEFT = {("priority", "by"), ("sprint", "epic")}
"""Left as they are: "by" beside its kind, and a sprint that is called as a type of issue is."""


def plant(kind: Kind, text: str) -> NameIndex:
    return NameIndex.from_names(
        [*index().everything, Name(kind=kind, value="planted", text=text, aliases=(f"{text}s",))]
    )


def read(question: str, *, names: NameIndex) -> object:
    return parse_question(question, index=names, today=TODAY, lexicon=LEXICON).query


def list_phrases(question: str) -> set[str]:
    said = name_words(question)
    runs = [said[first:last] for first in range(len(said)) for last in range(first + 1, min(first + 4, len(said)) + 1)]
    return {" ".join(run) for run in runs if run in LEXICON.phrases}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_means_the_same_whatever_values_the_data_has(question: str, kind: Kind) -> None:
    before = read(question, names=index())
    assert before is not None

    changed = {
        text for phrase in list_phrases(question) for text in (phrase, phrase.title(), phrase.removesuffix("s"))
        if (kind, phrase) not in LEFT and read(question, names=plant(kind, text)) != before
    }  # fmt: skip

    assert changed == set()


@pytest.mark.parametrize("kind", KINDS)
def test_such_a_value_is_no_name_of_the_question(kind: Kind) -> None:
    linked = link("open issues by team", index=plant(kind, "Issues"), today=TODAY, reserved=LEXICON.reserved_phrases)

    assert linked.spotted == []
    assert linked.assumptions == []


@pytest.mark.parametrize(
    ("kind", "text", "question"),
    [
        ("type", "Change", "open issues of type change"),
        ("label", "Open", "issues with the label Open"),
        ("status", "Blocked", "issues in status blocked"),
        ("team", "DONE", "open bugs of team done"),
        ("team", "DONE", "open bugs of DONE"),
        ("type", "Epic", "how many epics are open?"),
    ],
)
def test_a_value_that_is_said_as_a_name_is_one(kind: Kind, text: str, question: str) -> None:
    linked = link(question, index=plant(kind, text), today=TODAY, reserved=LEXICON.reserved_phrases)

    assert [(one.kind, one.names[0].text) for one in linked.spotted if one.kind == kind] == [(kind, text)]
