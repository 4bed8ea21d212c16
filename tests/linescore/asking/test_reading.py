"""Questions about games are read whole, word for word, or not at all."""

from itertools import product
from typing import Any

import pytest

from linescore.asking.game_question import GameQuestion, Team, TimeSpan
from linescore.asking.reading import read_game_question

pytestmark = pytest.mark.usefixtures("cast")

JANUARY = {"startDate": "2025-01-01", "endDate": "2025-01-31"}
SEASON = {"season": "2024-2025"}
RECORD, GAMES, PERIODS = "list_game_results", "list_game_results", "query_linescore_data"

READ: dict[str, tuple[str, dict[str, Any]]] = {
    "Did Boston beat Toronto in January?": (RECORD, {"teamCode": "BOS", "opponent": "TOR", **JANUARY, "limit": 100}),
    "Did Toronto lose to Boston?": (RECORD, {"teamCode": "TOR", "opponent": "BOS", **SEASON, "limit": 100}),
    "How did Edmonton do at home in March 2025?": (
        RECORD, {"teamCode": "EDM", "venue": "home", "startDate": "2025-03-01", "endDate": "2025-03-31", "limit": 100},
    ),
    "how did the kings do on the road": (RECORD, {"teamCode": "LAK", "venue": "away", **SEASON, "limit": 100}),
    "What was the score of Boston at Toronto?": (
        RECORD, {"teamCode": "BOS", "opponent": "TOR", "venue": "away", **SEASON, "limit": 100},
    ),
    "Last five games of Dallas": (GAMES, {"teamCode": "DAL", **SEASON, "limit": 1000}),
    "How many overtime games did Toronto lose this season?": (GAMES, {"teamCode": "TOR", **SEASON, "limit": 1000}),
    "Which games did Dallas win in a shootout?": (GAMES, {"teamCode": "DAL", **SEASON, "limit": 1000}),
    "How many games were played in January 2025?": (GAMES, {**JANUARY, "limit": 1000}),
    "How did Carolina do before February 2025?": (RECORD, {"teamCode": "CAR", "endDate": "2025-01-31", "limit": 100}),
    "How did Carolina do since 1 March 2025": (RECORD, {"teamCode": "CAR", "startDate": "2025-03-01", "limit": 100}),
    "How did Carolina do after March 2025": (RECORD, {"teamCode": "CAR", "startDate": "2025-04-01", "limit": 100}),
    "How did Carolina do from January 2025 to February 2025": (
        RECORD, {"teamCode": "CAR", "startDate": "2025-01-01", "endDate": "2025-02-28", "limit": 100},
    ),
    "How did Carolina do in 2025?": (
        RECORD, {"teamCode": "CAR", "startDate": "2025-01-01", "endDate": "2025-12-31", "limit": 100},
    ),
    "How did Montreal play on 2025-01-11?": (
        RECORD, {"teamCode": "MTL", "startDate": "2025-01-11", "endDate": "2025-01-11", "limit": 100},
    ),
    "How did Carolina do in the third period in January?": (PERIODS, {"teamCode": "CAR", **JANUARY, "limit": 1000}),
    "Top teams by periods won in January 2025": (PERIODS, {"periodOutcome": "WIN", **JANUARY, "limit": 10}),
    "Which club dominated periods in January?": (PERIODS, {"periodOutcome": "WIN", **JANUARY, "limit": 10}),
    "Who's the best team at winning periods this season?": (PERIODS, {"periodOutcome": "WIN", **SEASON, "limit": 10}),
    "How frequently did Tampa win at least two regulation periods in 2024-25?": (
        PERIODS, {"teamCode": "TBL", "wonTwoPlusRegPeriods": True, **SEASON, "limit": 1000},
    ),
}  # fmt: skip

NOT_READ = {
    "How did the Hurricanes not do in February?": "not",
    "How many games did Boston not lose?": "not",
    "How many goals did Ovechkin score for Washington?": "Ovechkin",
    "first five games of Dallas": "first",
    "Was Boston beaten by Toronto?": "beaten",
    "How did Boston do in every game except January?": "every",
    "Did Boston win more than five games?": "more",
    "How did Carolina do last week?": "week",
    "How did Boston do without overtime?": "without",
}


@pytest.mark.parametrize(("question", "call"), READ.items())
async def test_a_question_becomes_the_call_of_what_it_says(question: str, call: tuple[str, dict[str, Any]]) -> None:
    reading = await read_game_question(question)

    assert reading.query
    assert (reading.query.calls, reading.bound.unbound) == ((call,), ())


@pytest.mark.parametrize(("question", "word"), NOT_READ.items())
async def test_a_question_with_a_word_that_is_not_understood_is_not_read(question: str, word: str) -> None:
    reading = await read_game_question(question)

    assert word in [one.written for one in reading.bound.unbound]


@pytest.mark.parametrize(
    "question",
    ["How did Boston, Toronto and Dallas do?", "Boston Toronto", "Who scored for Boston on January 9 2025?",
     "Which team won the most games?", "How did Boston do at home and away?", "How many games did Boston win and lose?",
     "How did Boston do in January 2025 and 2024-2025?", "How did Boston do between March 2025 and January 2025?",
     "How did Boston do against Boston?", "Did home teams win?", "How did home games end?", "How many games?",
     "What were the last 500 games of Boston?", "How did Boston do since 2024-2025?"],
)  # fmt: skip
async def test_what_cannot_be_combined_is_said(question: str) -> None:
    reading = await read_game_question(question)

    assert reading.query is None
    assert reading.why


CAROLINA, BOSTON = Team(code="CAR", name="Carolina Hurricanes"), Team(code="BOS", name="Boston Bruins")
SPANS = [
    TimeSpan(label="in 2024-25", arguments=(("season", "2024-2025"),)),
    TimeSpan(label="in January 2025", arguments=tuple(JANUARY.items())),
    TimeSpan(
        label="on 9 January 2025", arguments=(("startDate", "2025-01-09"), ("endDate", "2025-01-09")), is_day=True
    ),
    TimeSpan(label="since January 2025", arguments=(("startDate", "2025-01-01"),)),
    TimeSpan(label="before January 2025", arguments=(("endDate", "2024-12-31"),)),
    TimeSpan(
        label="between November 2024 and January 2025",
        arguments=(("startDate", "2024-11-01"), ("endDate", "2025-01-31")),
    ),
]


def make_questions() -> list[GameQuestion]:
    """Return questions of every kind, with every filter that each may have."""
    made: list[GameQuestion] = []
    for span, venue, opponent in product(SPANS, (None, "home", "away"), (None, BOSTON)):
        one: dict[str, Any] = {"span": span, "venue": venue, "opponent": opponent, "teams": (CAROLINA,)}
        made.append(GameQuestion(measure="record", **one))
        made += [GameQuestion(measure="periods", period=number, **one) for number in (None, 1, 2, 3)]
        made.append(GameQuestion(measure="two_plus", outcome="WIN", **one))
        for outcome, ending in product((None, "WIN", "LOSS"), (None, "REG", "OT", "SO", "BEYOND")):
            asked: dict[str, Any] = {"measure": "games", "outcome": outcome, "ending": ending, **one}
            if outcome or ending:
                made.append(GameQuestion(**asked))
            made.append(GameQuestion(latest=7, **asked))
            if outcome:
                made.append(GameQuestion(latest=3, by_margin=True, **asked))
    for span in SPANS:
        made.append(GameQuestion(measure="record", span=span, teams=(CAROLINA, BOSTON)))
        made += [GameQuestion(measure="ranking", span=span, outcome=outcome) for outcome in ("WIN", "LOSS", "TIE")]
        made += [
            GameQuestion(measure="games", span=span, ending=ending) for ending in (None, "REG", "OT", "SO", "BEYOND")
        ]
    return made


async def test_every_question_in_words_is_read_as_the_same_question() -> None:
    wrong = []
    for query in make_questions():
        reading = await read_game_question(str(query))
        if reading.bound.unbound or reading.query != query:
            wrong.append((str(query), reading.query and str(reading.query), reading.why))

    assert not wrong, wrong[:10]
    assert len(make_questions()) > 1_000


@pytest.mark.parametrize(
    ("said", "whole"),
    [("and in February 2025?", "How did Boston Bruins do in February 2025?"),
     ("at home?", "How did Boston Bruins do at home in January 2025?"),
     ("against Toronto?", "How did Boston Bruins do against Toronto Maple Leafs in January 2025?"),
     ("and Carolina?", "How did Carolina Hurricanes do in January 2025?"),
     ("and Carolina at home in March 2025", "How did Carolina Hurricanes do at home in March 2025?"),
     ("How did Dallas do?", "How did Dallas Stars do in 2024-25?")],
)  # fmt: skip
async def test_what_a_next_question_leaves_out_is_that_of_the_one_before(said: str, whole: str) -> None:
    before = (await read_game_question("How did Boston do in January 2025?")).query

    reading = await read_game_question(said, before=before)

    assert str(reading.query) == whole


async def test_a_name_of_two_teams_is_unclear() -> None:
    reading = await read_game_question("How did New York do in January 2025?")

    assert reading.unclear
    assert {one.value for one in reading.unclear.candidates} == {"NYI", "NYR"}
