"""Repairs that schema and data prove; the schema is the stored copy, the names are the cast's."""

import pytest

from sprints.schema.reading import stored_schema
from sprints.sql_sandbox.guard import Refused, check
from sprints.sql_sandbox.repair import repair_statement
from tests.sprints.cast import index
from tests.sprints.semantics.running import CATALOG
from tests.sprints.sql_sandbox.honest import HONEST

INDEX = index()
SCHEMA = stored_schema()


@pytest.mark.parametrize(
    ("sql", "repaired"),
    [
        (
            "SELECT s.name FROM sprints s LIMIT 50",
            "SELECT s.sprint_name FROM sprints s LIMIT 50",
        ),
        ("SELECT titel FROM issues", "SELECT title FROM issues"),
        (
            "SELECT i.titel, 'i.titel' FROM issues AS i -- i.titel",
            "SELECT i.title, 'i.titel' FROM issues AS i -- i.titel",
        ),
        (
            "SELECT i.team_key FROM issues i JOIN teams t USING (team_id)",
            "SELECT t.team_key FROM issues i JOIN teams t USING (team_id)",
        ),
        ("SELECT * FROM sprint", "SELECT * FROM sprints"),
        ("SELECT * FROM public.issue", "SELECT * FROM issues"),
        (
            "SELECT * FROM issues WHERE status = Done",
            "SELECT * FROM issues WHERE status = 'Done'",
        ),
        (
            'SELECT * FROM issues WHERE status = "Done"',
            "SELECT * FROM issues WHERE status = 'Done'",
        ),
        (
            "SELECT * FROM issues WHERE status = In Progress",
            "SELECT * FROM issues WHERE status = 'In Progress'",
        ),
        (
            "SELECT issues.title FROM issues i",
            "SELECT i.title FROM issues i",
        ),
    ],
)
def test_a_name_that_can_only_mean_one_other_is_repaired(sql: str, repaired: str) -> None:
    assert repair_statement(sql, schema=SCHEMA, index=INDEX).sql == repaired


def test_the_sentence_is_the_contract_s() -> None:
    found = repair_statement("SELECT s.name FROM sprints s", schema=SCHEMA, index=INDEX)

    assert found.changes == (
        "Fixed column name: changed 's.name' to 's.sprint_name' (sprints table uses sprint_name, not name)",
    )


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT salary FROM users",
        "SELECT * FROM customers",
        "DELETE FROM issues",
        "SELECT",
        "",
        "SELECT x.title FROM issues i JOIN teams t USING (team_id)",
        "SELECT i.titel, i.salary FROM issues i",
        "SELECT i.full_name FROM issues i",
        "SELECT 1/0",
    ],
)
def test_what_is_not_proved_is_left_alone(sql: str) -> None:
    found = repair_statement(sql, schema=SCHEMA, index=INDEX)

    assert (found.sql, found.changes) == (sql, ())


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT created_by FROM issues",
        "SELECT removed_by FROM sprint_issues",
        "SELECT completed_by FROM sprint_summary",
        "SELECT committed_points FROM sprint_days",
        "SELECT uncompleted_points FROM sprint_summary",
        "SELECT estimated_issues FROM sprint_summary",
        "SELECT unblocked_since FROM issues",
        "SELECT resolution_at FROM issues",
        "SELECT * FROM unblocked_periods",
    ],
)
def test_a_name_with_another_meaning_is_no_misspelling(sql: str) -> None:
    found = repair_statement(sql, schema=SCHEMA, index=INDEX)

    assert (found.sql, found.changes, len(found.unresolved)) == (sql, (), 1)


@pytest.mark.parametrize(
    ("name", "meant", "view"),
    [
        ("commited_issues", "committed_issues", "sprint_summary"),
        ("committed_point", "committed_points", "sprint_summary"),
        ("remainign_points", "remaining_points", "sprint_summary"),
        ("cycle_time", "cycle_time_days", "issues"),
        ("resolved_date", "resolved_at", "issues"),
        ("changed_by", "changed_by_id", "status_changes"),
        ("issuekey", "issue_key", "issues"),
    ],
)
def test_a_misspelt_name_is_repaired_word_by_word(name: str, meant: str, view: str) -> None:
    found = repair_statement(f"SELECT {name} FROM {view}", schema=SCHEMA, index=INDEX)

    assert found.sql == f"SELECT {meant} FROM {view}"


@pytest.mark.parametrize(
    ("view", "name"),
    [
        ("issues", "blocked"),
        ("points_changes", "points"),
        ("sprint_issues", "removed"),
        ("sprint_issues", "points_at"),
        ("sprint_summary", "completed"),
        ("sprint_summary", "complted"),
        ("sprints", "sprint"),
        ("status_changes", "status"),
        ("status_changes", "category"),
    ],
)
def test_a_part_of_the_names_of_several_columns_may_be_each_of_them(view: str, name: str) -> None:
    sql = f"SELECT x.{name} FROM {view} AS x"

    found = repair_statement(sql, schema=SCHEMA, index=INDEX)

    assert (found.sql, found.unresolved) == (sql, (f"x.{name}",))


@pytest.mark.parametrize(
    ("view", "name", "meant"),
    [
        ("issue_links", "issue", "issue_id"),
        ("issues", "resolved", "resolved_at"),
        ("issues", "sprint", "sprint_id"),
        ("sprints", "id", "sprint_id"),
        ("sprint_summary", "complted_points", "completed_points"),
        ("teams", "name", "team_name"),
    ],
)
def test_a_part_of_one_column_s_name_is_that_column(view: str, name: str, meant: str) -> None:
    found = repair_statement(f"SELECT x.{name} FROM {view} AS x", schema=SCHEMA, index=INDEX)

    assert found.sql == f"SELECT x.{meant} FROM {view} AS x"


def test_a_column_of_a_view_that_can_be_joined_is_no_misspelling_of_another() -> None:
    found = repair_statement("SELECT resolved_at FROM sprint_issues", schema=SCHEMA, index=INDEX)

    assert "SELECT issues.resolved_at FROM sprint_issues LEFT JOIN issues ON" in found.sql


@pytest.mark.parametrize(
    ("table", "view"),
    [
        ("public.sprints_users", "users"),
        ("sprints_teams", "teams"),
        ("public.sprints_sprints", "sprints"),
        ("sprints_status_changes", "status_changes"),
        ("sprints_sprint_issues", "sprint_issues"),
        ("other.issues", "issues"),
    ],
)
def test_a_table_is_its_view_in_the_repair_and_in_the_guard_s_suggestion(table: str, view: str) -> None:
    repaired = repair_statement(f"SELECT * FROM {table}", schema=SCHEMA, index=INDEX)
    with pytest.raises(Refused) as refused:
        check(f"SELECT * FROM {table}", catalog=CATALOG)

    assert repaired.sql == f"SELECT * FROM {view}"
    assert repaired.changes == (f"Fixed view name: changed '{table}' to '{view}'",)
    assert refused.value.suggestion.startswith(f"Use {view}. ")


@pytest.mark.parametrize("name", ["sprints_issues", "sprint_people", "sprints_user_roles", "auth_user"])
def test_a_relation_that_may_be_two_or_none_is_neither_repaired_nor_suggested(name: str) -> None:
    repaired = repair_statement(f"SELECT * FROM {name}", schema=SCHEMA, index=INDEX)
    with pytest.raises(Refused) as refused:
        check(f"SELECT * FROM {name}", catalog=CATALOG)

    assert (repaired.changes, repaired.unresolved) == ((), (name,))
    assert refused.value.suggestion.startswith("The views are: ")


def test_the_names_that_nothing_proves_are_named() -> None:
    found = repair_statement(
        "SELECT i.titel, i.salary FROM issues i JOIN custmers c ON true", schema=SCHEMA, index=INDEX
    )

    assert set(found.unresolved) == {"i.salary", "custmers"}


@pytest.mark.parametrize(
    ("sql", "repaired"),
    [
        (
            "SELECT i.titel, i.stauts FROM isues i WHERE i.status = Done AND priority = P0 ORDER BY titel",
            "SELECT i.title, i.status FROM issues i WHERE i.status = 'Done' AND priority = 'p0' ORDER BY title",
        ),
        (
            "SELECT i.sprint, s.name FROM issues i JOIN sprint s ON s.sprint_id = i.sprint_id",
            "SELECT i.sprint_id, s.sprint_name FROM issues i JOIN sprints s ON s.sprint_id = i.sprint_id",
        ),
        (
            "SELECT i.issue_key, i.team_key FROM issues AS i WHERE i.team_key = 'ACCEL'",
            (
                "SELECT i.issue_key, teams.team_key FROM issues AS i LEFT JOIN teams ON teams.team_id = i.team_id "
                "WHERE teams.team_key = 'ACCEL'"
            ),
        ),
        (
            "SELECT team_key, count(*) FROM issues GROUP BY team_key",
            (
                "SELECT teams.team_key, count(*) FROM issues LEFT JOIN teams ON teams.team_id = issues.team_id "
                "GROUP BY teams.team_key"
            ),
        ),
        (
            (
                "WITH o AS (SELECT i.titel AS name FROM issues i) SELECT o.name FROM o WHERE EXISTS "
                "(SELECT 1 FROM users u WHERE u.name = o.name)"
            ),
            (
                "WITH o AS (SELECT i.title AS name FROM issues i) SELECT o.name FROM o WHERE EXISTS "
                "(SELECT 1 FROM users u WHERE u.full_name = o.name)"
            ),
        ),
        ("SELECT sprint.name FROM sprint", "SELECT sprints.sprint_name FROM sprints"),
    ],
)
def test_everything_that_the_schema_proves_is_repaired_at_once(sql: str, repaired: str) -> None:
    found = repair_statement(sql, schema=SCHEMA, index=INDEX)

    assert (found.sql, found.unresolved) == (repaired, ())


@pytest.mark.parametrize("sql", HONEST)
def test_a_statement_that_works_is_not_changed(sql: str) -> None:
    found = repair_statement(sql, schema=SCHEMA, index=INDEX)

    assert (found.sql, found.changes, found.unresolved) == (sql, (), ())


@pytest.mark.parametrize(
    ("sql", "repaired"),
    [
        ("SELECT i.title FROM issues i WHERE i.state = 'Done'", "SELECT i.title FROM issues i WHERE i.status = 'Done'"),
        ("SELECT title FROM issues WHERE state IN ('Done')", "SELECT title FROM issues WHERE status IN ('Done')"),
        (
            "SELECT i.title FROM issues i WHERE 'Bug' = i.kind",
            "SELECT i.title FROM issues i WHERE 'Bug' = i.issue_type",
        ),
        (
            "SELECT i.title FROM issues i WHERE i.state = 'active'",
            (
                "SELECT i.title FROM issues i LEFT JOIN sprints ON sprints.sprint_id = i.sprint_id "
                "WHERE sprints.state = 'active'"
            ),
        ),
    ],
)
def test_a_column_is_known_by_the_value_it_is_compared_with(sql: str, repaired: str) -> None:
    """Issues have no state; sprints do, which is never Done: a join would find no rows."""
    assert repair_statement(sql, schema=SCHEMA, index=INDEX).sql == repaired


@pytest.mark.parametrize(
    ("sql", "repaired"),
    [
        (
            "WITH s AS (SELECT s.name FROM sprints s) SELECT name FROM s",
            "WITH s AS (SELECT s.sprint_name AS name FROM sprints s) SELECT name FROM s",
        ),
        (
            "SELECT q.titel FROM (SELECT titel FROM issues) q",
            "SELECT q.titel FROM (SELECT title AS titel FROM issues) q",
        ),
        (
            "WITH s AS (SELECT i.titel AS t FROM issues i) SELECT t FROM s",
            "WITH s AS (SELECT i.title AS t FROM issues i) SELECT t FROM s",
        ),
    ],
)
def test_a_column_that_another_query_reads_keeps_its_name(sql: str, repaired: str) -> None:
    assert repair_statement(sql, schema=SCHEMA, index=INDEX).sql == repaired
