"""A question with typing mistakes means the same, or it is asked back; what is corrected is said."""

import json
import random
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from sprints.linking.folding import Word, words
from sprints.semantics.query import MetricQuery
from sprints.semantics.questions.spelling import find_candidates, is_known
from tests.sprints.semantics.questions.reading import INDEX, LEXICON, parse, read

SETS = [Path(f"tests/data/sprints/questions{number}.jsonl") for number in ("", "_2", "_3")]
MISTAKES = ("swapped", "left out", "doubled", "slipped")
ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
MIN_RIGHT = {"swapped": 0.85, "doubled": 0.9, "left out": 0.5, "slipped": 0.45}


@cache
def list_questions() -> tuple[tuple[str, MetricQuery], ...]:
    """Return the questions that are read without their own typing mistakes, with their queries."""
    lines = [json.loads(line) for path in SETS for line in path.read_text(encoding="utf-8").splitlines()]
    parsed = [(line["question"], parse(line["question"])) for line in lines
              if not line["previous"] and line["kind"] != "ask_back" and line["style"] != "typos"]  # fmt: skip
    return tuple((said, one.query) for said, one in parsed if one.query is not None and not one.linked.unclear)


def mistype(word: str, *, mistake: str, chance: random.Random) -> str:
    place = chance.randrange(len(word) - (mistake == "swapped"))
    before, letter, after = word[:place], word[place], word[place + 1 :]
    if mistake == "swapped":
        return f"{before}{after[0]}{letter}{after[1:]}"
    if mistake == "slipped":
        row = next((row for row in ROWS if letter.lower() in row), "qwertyuiop")
        at = max(row.find(letter.lower()), 0)
        return f"{before}{row[at - 1 if at else 1]}{after}"
    return f"{before}{letter * 2 if mistake == 'doubled' else ''}{after}"


def may_be_mistyped(word: Word, *, text: str) -> bool:
    is_key = text[word.end : word.end + 2].lstrip("-").isdigit()
    return len(word.folded) > 1 and word.folded.isascii() and word.folded.isalpha() and not is_key


def list_mistyped(mistake: str, *, count: int, seed: int) -> Iterator[tuple[str, MetricQuery]]:
    """Yield the questions with that many words mistyped. A mistake that makes another known word is no mistake."""
    chance = random.Random(seed)
    for question, query in list_questions():
        text = question
        known = [word for word in words(text) if may_be_mistyped(word, text=text)]
        for word in sorted(chance.sample(known, min(count, len(known))), key=lambda one: -one.start):
            said = text[word.start : word.start + len(word.folded)]
            tried = [mistype(said, mistake=mistake, chance=chance) for _ in range(8)]
            wrong = [one for one in tried if one != said and not is_known(one.lower(), lexicon=LEXICON, index=INDEX)]
            if wrong:
                text = text[: word.start] + wrong[0] + text[word.start + len(said) :]
        yield text, query


def count_answers(mistake: str, *, count: int, seed: int) -> tuple[Counter[str], list[str]]:
    """Return how many are right or asked back, and the questions that are answered otherwise."""
    counts: Counter[str] = Counter()
    wrong = []
    for text, query in list_mistyped(mistake, count=count, seed=seed):
        found = parse(text)
        if found.query is None or found.linked.unclear:
            counts["asked back"] += 1
        elif found.query == query:
            counts["right"] += 1
        else:
            wrong.append(text)
    return counts, wrong


@pytest.mark.slow
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistyped_question_means_the_same_or_is_asked_back(mistake: str) -> None:
    counts, wrong = count_answers(mistake, count=1, seed=7)

    assert wrong == []
    assert counts["right"] >= MIN_RIGHT[mistake] * counts.total()


@pytest.mark.slow
@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.parametrize("seed", range(4))
def test_two_mistakes_in_a_question_are_corrected_or_asked_back(mistake: str, seed: int) -> None:
    _, wrong = count_answers(mistake, count=2, seed=seed)

    assert wrong == []


@pytest.mark.parametrize(
    ("mistyped", "plain"),
    [
        ("hwo many isseus are in ACCEL Sprint 10", "how many issues are in ACCEL Sprint 10"),
        ("hwo resolved teh most bugs", "who resolved the most bugs"),
        ("howmany opne tikcets", "how many open tickets"),
        ("waht is open taht has no asignee", "what is open that has no assignee"),
        ("wich isues fo ORBIT are blcoked", "which issues of ORBIT are blocked"),
        ("velcity fo ACCLE adn HARBR", "velocity of ACCEL and HARBOR"),
        ("goal of ACCEL sprnt 9", "goal of ACCEL sprint 9"),
        ("goal of ACCEL Sprint9", "goal of ACCEL Sprint 9"),
        ("goal of ACCEL sprint9", "goal of ACCEL sprint 9"),
        ("how  many   bugs are open", "how many bugs are open"),
        ("bugs created in Novembr", "bugs created in November"),
        ("bugs created lsat mnoth", "bugs created last month"),
        ("unasigned p0 issues", "unassigned p0 issues"),
        ("which issues are in porgress", "which issues are in progress"),
    ],
)
def test_words_are_corrected_by_what_stands_beside_them(mistyped: str, plain: str) -> None:
    assert parse(mistyped).query == read(plain)


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("unblocked", "blocked"), ("reopened", "opened"), ("gone", "done"), ("noting", "nothing"), ("spring", "sprint"),
        ("unestimated", "estimated"), ("skipped", "shipped"), ("commented", "committed"),
    ],
)  # fmt: skip
def test_another_word_is_no_typing_mistake(word: str, other: str) -> None:
    is_read = is_known(word, lexicon=LEXICON, index=INDEX)

    assert is_read or other not in find_candidates(word, lexicon=LEXICON)


@pytest.mark.parametrize(
    "question",
    [
        "How many open issues are mot bugs?",
        "How many committed points did ORBIT ont complete in Sprint 7?",
        "Which hree closed sprints completed the fewest points?",
        "p1 nresolved, by team",
        "How many open issues do ot have the security label?",
        "which issues were done this spring",
        "open bugs of Globxe",
    ],
)
def test_a_word_that_may_be_two_is_asked_back(question: str) -> None:
    assert parse(question).query is None


def test_each_correction_is_said() -> None:
    said = parse("hwo many isues are labelled secuirty in sprnt 9 of ACCEL").assumptions

    assert {"Read 'hwo' as 'how'.", "Read 'isues' as 'issues'.", "Read 'sprnt' as 'sprint'."} <= {*said}
    assert "Took 'secuirty' as the label security." in said
