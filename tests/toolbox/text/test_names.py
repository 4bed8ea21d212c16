"""Names are found in a text as people write them."""

import pytest

from toolbox.text.names import NamedEntity, mentions

CAROLINA = NamedEntity(
    value="CAR",
    label="Carolina Hurricanes",
    spellings=("Carolina Hurricanes", "Carolina", "Hurricanes"),
    codes=("CAR",),
)
RANGERS = NamedEntity(
    value="NYR", label="New York Rangers", spellings=("New York Rangers", "New York", "Rangers"), codes=("NYR",)
)
ISLANDERS = NamedEntity(
    value="NYI", label="New York Islanders", spellings=("New York Islanders", "New York"), codes=("NYI",)
)
MONTREAL = NamedEntity(
    value="MTL", label="Montréal Canadiens", spellings=("Montréal Canadiens", "Montréal"), codes=("MTL",)
)
TEAMS = (CAROLINA, RANGERS, ISLANDERS, MONTREAL)


def find_mentions(text: str) -> list[tuple[str, str]]:
    """Return what each phrase may mean."""
    return [(text[one.start : one.end], one.value) for one in mentions(text, names=TEAMS)]


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("How did Carolina do?", "Carolina"),
        ("how did the carolina hurricanes do", "carolina hurricanes"),
        ("Carolina's record", "Carolina's"),
        ("CAR, please", "CAR"),
        ("how did caroilna do", "caroilna"),
        ("the Huricanes", "Huricanes"),
    ],
)
def test_a_name_is_found_as_people_write_it(text: str, phrase: str) -> None:
    assert find_mentions(text) == [(phrase, "CAR")]


def test_accents_may_be_left_out() -> None:
    assert find_mentions("Montreal and MONTRÉAL") == [("Montreal", "MTL"), ("MONTRÉAL", "MTL")]


def test_a_name_of_two_has_two_readings() -> None:
    assert find_mentions("New York?") == [("New York", "NYR"), ("New York", "NYI")]


def test_the_longer_name_is_meant() -> None:
    assert find_mentions("the New York Islanders") == [("New York Islanders", "NYI")]


def test_a_code_in_small_letters_is_less_sure() -> None:
    assert [one.score < 1 for one in mentions("my car and CAR", names=TEAMS)] == [True, False]


@pytest.mark.parametrize("text", ["", "?!", "How did they do?", "Carla", "cargo", "x" * 5_000])
def test_other_words_are_no_names(text: str) -> None:
    assert find_mentions(text) == []
