"""What a clarification says: the one word that was not understood, and what to do."""

from datetime import date

import pytest

from sprints.asking.drafts import NEAR, draft_without_model
from sprints.asking.reading import read_without_data

TODAY = date(2026, 11, 18)


def ask(question: str) -> tuple[str, tuple[str, ...]]:
    draft = draft_without_model(read_without_data(question, today=TODAY))
    assert draft.clarification
    return draft.clarification.partition(NEAR)[0], draft.suggestions


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("Which epics are wobbly done?", "wobbly"),
        ("How many zebras and wobbly bugs are open?", "zebras"),
        ("How fair is each epic, in points?", "fair"),
    ],
)
def test_the_word_that_was_not_understood_is_named_with_what_to_do(question: str, word: str) -> None:
    said, suggestions = ask(question)

    assert said == f"I cannot tell what '{word}' should mean here. Leave it out, or say it in other words."
    assert suggestions


def test_a_joining_word_is_no_word_that_was_not_understood() -> None:
    said, _ = ask("but or but")

    assert "cannot tell what 'but'" not in said


def test_words_that_do_not_stand_together_are_not_listed() -> None:
    said, _ = ask("A rumour in the kitchen says zebras rule. How many reopened issues does each team have?")

    assert said.count("'") == 2


def test_a_question_in_another_language_gets_no_guesses() -> None:
    said, suggestions = ask("Wie viele Tickets sind offen?")

    assert "English only" in said
    assert suggestions == ()
