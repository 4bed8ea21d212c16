"""Mends that schema and data prove; the schema is the stored copy, the names are the cast's."""

import pytest

from sprints.asking.mending import mend
from sprints.asking.pieces import pieces, sources
from sprints.schema.reading import stored_schema
from tests.sprints.cast import index

INDEX = index()
SCHEMA = stored_schema()


@pytest.mark.parametrize(
    ("sql", "error", "mended"),
    [
        (
            "SELECT s.name FROM sprints s LIMIT 50",
            "column s.name does not exist",
            "SELECT s.sprint_name FROM sprints s LIMIT 50",
        ),
        ("SELECT titel FROM issues", 'column "titel" does not exist', "SELECT title FROM issues"),
        (
            "SELECT i.titel, 'i.titel' FROM issues AS i -- i.titel",
            "column i.titel does not exist",
            "SELECT i.title, 'i.titel' FROM issues AS i -- i.titel",
        ),
        (
            "SELECT i.team_key FROM issues i JOIN teams t USING (team_id)",
            "column i.team_key does not exist",
            "SELECT t.team_key FROM issues i JOIN teams t USING (team_id)",
        ),
        ("SELECT * FROM sprint", 'relation "sprint" does not exist', "SELECT * FROM sprints"),
        ("SELECT * FROM public.issue", 'relation "public.issue" does not exist', "SELECT * FROM issues"),
        (
            "SELECT * FROM issues WHERE status = Done",
            'column "done" does not exist',
            "SELECT * FROM issues WHERE status = 'Done'",
        ),
        (
            'SELECT * FROM issues WHERE status = "Done"',
            'column "Done" does not exist',
            "SELECT * FROM issues WHERE status = 'Done'",
        ),
        (
            "SELECT * FROM issues WHERE status = In Progress",
            'syntax error at or near "In"',
            "SELECT * FROM issues WHERE status = 'In Progress'",
        ),
        (
            "SELECT issues.title FROM issues i",
            'invalid reference to FROM-clause entry for table "issues"',
            "SELECT i.title FROM issues i",
        ),
    ],
)
def test_a_name_that_can_only_mean_one_other_is_mended(sql: str, error: str, mended: str) -> None:
    found = mend(sql, error=error, schema=SCHEMA, index=INDEX)

    assert found is not None
    assert found.sql == mended


def test_the_sentence_is_the_contract_s() -> None:
    found = mend("SELECT s.name FROM sprints s", error="column s.name does not exist", schema=SCHEMA, index=INDEX)

    assert found is not None
    assert found.said == (
        "Fixed column name: changed 's.name' to 's.sprint_name' (sprints table uses sprint_name, not name)"
    )


@pytest.mark.parametrize(
    ("sql", "error"),
    [
        ("SELECT salary FROM users", 'column "salary" does not exist'),
        ("SELECT * FROM customers", 'relation "customers" does not exist'),
        (
            "DELETE FROM issues",
            "Forbidden keyword detected: DELETE. Only SELECT queries are allowed in read-only mode.",
        ),
        ("SELECT", "syntax error at end of input"),
        ("", ""),
        ("SELECT x.title FROM issues i JOIN teams t USING (team_id)", 'missing FROM-clause entry for table "x"'),
    ],
)
def test_what_is_not_proved_is_left_alone(sql: str, error: str) -> None:
    assert mend(sql, error=error, schema=SCHEMA, index=INDEX) is None


@pytest.mark.parametrize("sql", ["SELECT 'a''b', $x$ q $x$ /* c */ -- d", "'unfinished", "\x00é\n", 'SELECT "a""b"'])
def test_pieces_are_the_statement(sql: str) -> None:
    assert "".join(piece.text for piece in pieces(sql)) == sql


def test_relations_are_known_by_their_aliases() -> None:
    found = sources(pieces("SELECT 1 FROM issues AS i JOIN users u ON true LEFT JOIN teams WHERE 'from x'"))

    assert found == {"i": "issues", "u": "users", "teams": "teams"}
