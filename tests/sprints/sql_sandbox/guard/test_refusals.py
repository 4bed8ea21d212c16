"""The guard alone: no attack passes, the contract's words are kept, and each refusal says what to write instead."""

import pytest

from sprints.sql_sandbox.guard import Refused, ViewCatalog, check
from tests.sprints.sql_sandbox.attacks import (
    ENDLESS,
    FLOODS,
    FUNCTIONS,
    PLACES,
    READS,
    SESSIONS,
    STACKED,
    WRITES,
    Attack,
)
from tests.sprints.sql_sandbox.conftest import CATALOG

FORBIDDEN = [*STACKED, *WRITES, *SESSIONS, *FUNCTIONS, *PLACES, *READS]


def refuse(sql: str) -> Refused:
    """Return the refusal; fails if the statement passes."""
    with pytest.raises(Refused) as caught:
        check(sql, catalog=CATALOG)
    return caught.value


@pytest.mark.parametrize("attack", FORBIDDEN, ids=lambda attack: attack.sql[:60])
def test_an_attack_is_refused_and_told_what_to_write(attack: Attack) -> None:
    refusal = refuse(attack.sql)

    assert len(refusal.suggestion) > 10
    assert refusal.message.startswith("Forbidden keyword") is bool(attack.word)


@pytest.mark.parametrize("attack", [attack for attack in FORBIDDEN if attack.word], ids=lambda attack: attack.sql[:60])
def test_the_error_of_what_is_no_select_is_the_contract_s_word_for_word(attack: Attack) -> None:
    assert refuse(attack.sql).message == (
        f"Forbidden keyword detected: {attack.word}. Only SELECT queries are allowed in read-only mode."
    )


@pytest.mark.parametrize("sql", ["INSERT INTO", "DROP", "update issues set", "GRANT x TO"])
def test_what_begins_like_a_change_is_named_even_if_it_does_not_parse(sql: str) -> None:
    assert refuse(sql).message.startswith(f"Forbidden keyword detected: {sql.split(maxsplit=1)[0].upper()}. ")


@pytest.mark.parametrize(
    "sql", ["SELECT repeat('a', 1000000000)", "SELECT rpad('a', 20000)", "SELECT lpad('a', 10001, 'b')"]
)
def test_a_text_of_a_gigabyte_is_not_made(sql: str) -> None:
    assert "10,000" in refuse(sql).message


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT format('%1000000000s', 'a')",
        "SELECT format('%*s', 99999, 'a')",
        "SELECT format(title) FROM issues",
    ],
)
def test_a_width_that_cannot_be_read_off_is_refused(sql: str) -> None:
    assert "written in the statement" in refuse(sql).message


def test_a_length_that_is_computed_is_bounded_where_it_stands(catalog: ViewCatalog) -> None:
    assert (
        "repeat('#', LEAST(length(title), 10000))"
        in check("SELECT repeat('#', length(title)) FROM issues", catalog=catalog).sql
    )


@pytest.mark.parametrize("sql", ["", " ", ";", ";;", "-- nothing", "/* nothing */"])
def test_no_statement_is_refused_as_such(sql: str) -> None:
    assert refuse(sql).message == "There is no statement."


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELCT 1", 'syntax error at or near "SELCT"'),
        ("SELECT FROM WHERE", 'syntax error at or near "WHERE"'),
        ("SELECT 'a", 'unterminated quoted string at or near "\'a"'),
        ("SELECT 1 /* a", 'unterminated /* comment at or near "/* a"'),
    ],
)
def test_a_syntax_error_is_postgresql_s_own(sql: str, message: str) -> None:
    assert refuse(sql).message == message


def test_an_unknown_view_is_worded_as_postgresql_words_it_and_the_nearest_is_named() -> None:
    refusal = refuse("SELECT * FROM issue")

    assert refusal.message == 'relation "issue" does not exist'
    assert refusal.suggestion == "Use issues. The views are: issues, sprints, teams, users."


def test_an_unknown_function_s_nearest_is_named() -> None:
    assert "percentile_cont" in refuse("SELECT percentile_count(0.5)").suggestion


@pytest.mark.parametrize("name", ["a\x07b", "x" * 200, "\u202eabc"])
def test_what_is_repeated_is_cut_and_printable(name: str) -> None:
    message = refuse(f'SELECT * FROM "{name}"').message

    assert len(message) < 120
    assert message.isprintable()


def test_what_is_only_dear_is_left_to_the_planner_and_the_clock(catalog: ViewCatalog) -> None:
    for sql in [*ENDLESS, *(attack.sql for attack in FLOODS[:2])]:
        assert check(sql, catalog=catalog).max_rows <= 50
