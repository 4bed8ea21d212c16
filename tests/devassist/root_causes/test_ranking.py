"""What words count in the ranking follows from the query; ground truth is worked out by hand."""

import math

import pytest

from devassist.entries.bm25 import Rarity
from devassist.root_causes.ranking import (
    FLOOR,
    MIN_FLOOR,
    WORDS_SHARE,
    floor_among,
    following_floor,
    weigh_query,
    weigh_words_alone,
)
from toolbox.text.stemmed_words import identifiers_in


def test_words_count_more_the_more_information_they_hold_up_to_a_limit() -> None:
    short = weigh_query(information=2.0, in_identifiers=0.0, entries=120)
    named = weigh_query(information=2.0, in_identifiers=1.0, entries=120)
    trace = weigh_query(information=20.0, in_identifiers=8.0, entries=120)

    assert short.words_share == pytest.approx(WORDS_SHARE * 2 / 6)
    assert named.words_share == pytest.approx(WORDS_SHARE * 4 / 6)
    assert trace.words_share == WORDS_SHARE


def test_information_is_counted_in_words_that_one_entry_has() -> None:
    rarity = Rarity(1_000, {1: 1, 2: 1_000})

    assert rarity.information([1]) == pytest.approx(1.0)
    assert rarity.information([2]) == pytest.approx(math.log(1 + 0.5 / 1000.5) / math.log(1 + 999.5 / 1.5))
    assert rarity.information([1, 1]) == pytest.approx(2.0)


def test_identifiers_are_told_from_prose() -> None:
    said = "NoteAdapter fails in refresh_all() with TS2532, see com.example.ui; the App crashes. Why does it?"

    words = identifiers_in(said)

    assert {"noteadapt", "not", "adapt", "ts2532", "exampl"} & words >= {"ts2532", "exampl"}
    assert not {"fail", "crash", "app", "see"} & words


def test_the_floor_is_lower_among_few_entries() -> None:
    assert [floor_among(entries) for entries in (0, 50, 1_500, 100_000)] == [MIN_FLOOR, MIN_FLOOR, FLOOR, FLOOR]
    assert floor_among(552) == pytest.approx(FLOOR - 0.027, abs=0.001)  # 1,500 / e
    assert weigh_query(information=2.0, in_identifiers=0.0, entries=552).floor == floor_among(552)


def test_entries_after_a_relevant_one_are_held_to_less() -> None:
    assert following_floor(FLOOR) < FLOOR
    assert following_floor(-1.0) == -1.0  # who wants all is given all


def test_by_words_alone_a_long_query_needs_less_of_them() -> None:
    assert weigh_words_alone(information=1.0).floor == 0.4
    assert weigh_words_alone(information=4.0).floor == 0.25
    assert weigh_words_alone(information=40.0).floor == 0.15
