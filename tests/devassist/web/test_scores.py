"""Words of a query, and the one measure for every source's results."""

from devassist.web.scoring import score
from devassist.web.words import MAX_WORDS, SearchTerms, weights


def test_words_lose_every_operator_and_secret() -> None:
    key = "tr_0123456789012345678901234"
    query = f'TypeError: "Cannot read" user:me [tag] -not AND repo:a/b map() {key} Bearer abcdefghij1'

    assert list(SearchTerms(query)) == [
        "TypeError", "Cannot", "read", "user", "me", "tag", "not", "and", "repo", "a", "b", "map", "Bearer",
    ]  # fmt: skip


def test_words_are_bounded_and_may_be_none() -> None:
    assert list(SearchTerms("🙂🙂🙂 … !!!")) == []
    assert len(SearchTerms(" ".join(f"w{number}" for number in range(100)))) == MAX_WORDS
    assert list(SearchTerms("java.lang.NullPointerException foo_bar C++ C#")) == [
        "java.lang.NullPointerException", "foo_bar", "C++", "C#",
    ]  # fmt: skip


def test_names_of_code_weigh_more_and_little_words_nothing() -> None:
    assert weights(["the", "NullPointerException", "crash"]) == {"nullpointerexception": 2.0, "crash": 1.0}
    assert weights(["what", "is", "this"]) == {"what": 1.0, "is": 1.0, "this": 1.0}


def test_a_score_counts_words_and_place() -> None:
    weighed = weights(["NullPointerException", "map", "crash"])

    best = score(weighed, title="NullPointerException: crashes in map", text="", place=0)
    in_text = score(weighed, title="Help", text="a NullPointerException crash, map", place=0)
    other = score(weighed, title="Bitmap", text="screen", place=9)

    assert best == 1.0
    assert in_text == round(0.6 * 0.8 + 0.4, 3)
    assert other == round(0.4 * 0.1, 3)
