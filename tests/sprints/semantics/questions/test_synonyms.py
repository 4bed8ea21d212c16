"""How colleagues say the terms of the model. Pure."""

import pytest

from sprints.semantics.questions.spelling import find_candidates
from tests.sprints.semantics.questions.reading import LEXICON, parse, parts_of, read


@pytest.mark.parametrize(
    ("question", "same"),
    [
        ("Which teammates have the most open bugs?", "Which people have the most open bugs?"),
        ("How many bugs popped up in October?", "How many bugs were created in October?"),
        ("Who opened the most bugs in October?", "Who reported the most bugs in October?"),
        ("Who found the most bugs in October?", "Who reported the most bugs in October?"),
        ("Which bugs are still around?", "Which bugs are open?"),
        ("What did ACCEL tick off in October?", "What did ACCEL finish in October?"),
        ("Which bugs are under development?", "Which bugs are in progress?"),
        ("Which bugs are in work?", "Which bugs are in progress?"),
        ("Which bugs are being fixed?", "Which bugs are in progress?"),
        ("What is ACCEL fixing?", "What is ACCEL working on?"),
        ("Which stories are yet to be estimated?", "Which stories are unestimated?"),
        ("Which stories are up for grabs?", "Which stories are unassigned?"),
        ("Which bugs are past their due date?", "Which bugs are overdue?"),
        ("Which bugs were moved back out of done?", "Which bugs were reopened?"),
        ("What was put into ACCEL Sprint 7 once it was going?", "What was added to ACCEL Sprint 7 after the start?"),
        ("What was dropped into ACCEL Sprint 7 after it began?", "What was added to ACCEL Sprint 7 after the start?"),
        ("What was cut from ACCEL Sprint 7?", "What was removed from ACCEL Sprint 7?"),
        ("What was left undone in ACCEL Sprint 7?", "What was carried over from ACCEL Sprint 7?"),
        ("What did ACCEL leave unfinished in Sprint 7?", "What did ACCEL carry over from Sprint 7?"),
        ("average time from creation to resolution of bugs", "average lead time of bugs"),
        ("How many points were burned down in ACCEL Sprint 7?", "How many points were completed in ACCEL Sprint 7?"),
        ("Which sprints of ACCEL had nothing taken out once they were running?",
         "Which sprints of ACCEL had nothing taken out?"),
    ],
)  # fmt: skip
def test_a_synonym_means_the_term(question: str, same: str) -> None:
    assert parts_of(read(question)) == parts_of(read(same))


def test_a_misspelt_word_is_no_synonym() -> None:
    """Most words that look like a rare one are others: what was expected was not ejected."""
    rare = LEXICON.vocabulary - LEXICON.usual_words
    changed = {word[:at] + "q" * (at % 2) + word[at + 1 :] for word in rare for at in range(1, len(word))}

    corrected = [find_candidates(word, lexicon=LEXICON) for word in changed - LEXICON.vocabulary]

    assert {word for found in corrected for word in found} & rare == set()


@pytest.mark.parametrize(
    "question",
    ["What was expected in ACCEL Sprint 7?", "bugs with code", "Which bugs were published in October?",
     "How many bugs were born in October?", "What was left out of ACCEL Sprint 7?", "Which bugs are standing still?"],
)  # fmt: skip
def test_a_word_that_only_resembles_one_is_asked_back(question: str) -> None:
    assert parse(question).query is None


@pytest.mark.parametrize(
    ("question", "same"),
    [
        ("Which stories aren't assigned to anybody?", "Which stories are unassigned?"),
        ("What did ACCEL fail to finish in Sprint 7?", "What did ACCEL not finish in Sprint 7?"),
        ("How many points did ACCEL manage to close in Sprint 7?", "How many points did ACCEL close in Sprint 7?"),
        ("Who hasn't got anything in progress?", "Who has nothing in progress?"),
        ("How many open bugs are there in each of ORBIT's epics?", "Which epics of ORBIT have open bugs?"),
        ("open bugs more than 30 days old", "open bugs older than 30 days"),
        ("Who works in ACCEL?", "Who is on ACCEL?"),
        ("How many different people have open bugs?", "How many people have at least one open bug?"),
        ("What has ACCEL got to do in Sprint 10?", "What does ACCEL have left to do in Sprint 10?"),
        ("What is left in the sprint that's running?", "What is left in the current sprint?"),
    ],
)
def test_another_construction_means_the_same(question: str, same: str) -> None:
    assert parts_of(read(question)) == parts_of(read(same))
