"""Answers that are given again, for their time and within their room."""

from graphql_proxy.contracts import GraphqlError
from graphql_proxy.execution.response_cache import ResponseCache, answer_key
from graphql_proxy.execution.responses import Outcome

ANSWER = Outcome(data={"a": 1})


def test_an_answer_is_given_again_with_its_age_until_its_time_is_over() -> None:
    kept = ResponseCache()
    kept.keep("key", outcome=ANSWER, size=10, now=100.0)

    assert kept.find("key", now=129.9, seconds=30) == Outcome(data={"a": 1}, age_seconds=29)
    assert kept.find("key", now=130.0, seconds=30) is None
    assert kept.find("other", now=100.0, seconds=30) is None


def test_where_nothing_is_to_be_kept_nothing_is_found() -> None:
    kept = ResponseCache()
    kept.keep("key", outcome=ANSWER, size=10, now=100.0)

    assert kept.find("key", now=100.0, seconds=0) is None


def test_an_answer_with_errors_is_not_kept() -> None:
    kept = ResponseCache()
    kept.keep("key", outcome=Outcome(data={}, errors=[GraphqlError(message="no")]), size=10, now=1.0)

    assert kept.find("key", now=1.0, seconds=30) is None


def test_the_longest_unused_goes_first_when_the_room_is_full() -> None:
    kept = ResponseCache(most_bytes=100)
    for name in ("a", "b", "c", "d"):
        kept.keep(name, outcome=ANSWER, size=25, now=1.0)
    kept.find("a", now=1.0, seconds=30)

    kept.keep("e", outcome=ANSWER, size=25, now=1.0)

    found = [name for name in "abcde" if kept.find(name, now=1.0, seconds=30)]
    assert found == ["a", "c", "d", "e"]


def test_an_answer_that_would_fill_the_room_is_not_kept() -> None:
    kept = ResponseCache(most_bytes=100)
    kept.keep("key", outcome=ANSWER, size=26, now=1.0)

    assert kept.find("key", now=1.0, seconds=30) is None


def test_keeping_again_counts_once() -> None:
    kept = ResponseCache(most_bytes=100)
    for _ in range(50):
        kept.keep("a", outcome=ANSWER, size=25, now=1.0)
    kept.keep("b", outcome=ANSWER, size=25, now=1.0)

    assert kept.find("a", now=1.0, seconds=30)


def test_requests_to_other_upstreams_or_addresses_are_not_equal() -> None:
    keys = {
        answer_key(b"{}", address="http://a", upstream_id=1),
        answer_key(b"{}", address="http://b", upstream_id=1),
        answer_key(b"{}", address="http://a", upstream_id=2),
        answer_key(b"{ }", address="http://a", upstream_id=1),
    }

    assert len(keys) == 4
