"""
What people and models have tried against SQL guards, each with the expected result of the guard or the role alone.

`word` is the keyword that the contract's error names; "" if the guard has other words. `outcome` is what the role does
with the statement without a guard.
"""

from dataclasses import dataclass
from enum import Enum


class Outcome(Enum):
    """The result of a statement when only the role protects."""

    REFUSED = "the database says no"
    STOPPED = "it is stopped by a limit"
    EMPTY = "it runs, and neither shows nor leaves anything"


REFUSED, STOPPED, EMPTY = Outcome


@dataclass(frozen=True, kw_only=True)
class Attack:
    """A statement, and its expected results."""

    sql: str
    word: str = ""
    outcome: Outcome = REFUSED


def _each(*statements: str, word: str = "", outcome: Outcome = REFUSED) -> list[Attack]:
    return [Attack(sql=sql, word=word, outcome=outcome) for sql in statements]


STACKED = [
    *_each("SELECT 1; DROP TABLE sprints_issues", "SELECT 1;;; DROP VIEW issues;", word="DROP"),
    *_each("SELECT 1; DELETE FROM issues --", "; DELETE FROM issues", word="DELETE"),
    *_each("SELECT 1; COMMIT; INSERT INTO teams VALUES (1)", word="COMMIT"),
    *_each("BEGIN; DELETE FROM issues; COMMIT", word="BEGIN"),
    *_each("SELECT 1; SELECT 2"),
    *_each("SELECT $$a$$; DROP TABLE sprints_issues; SELECT $$b$$", word="DROP"),
    *_each("SELECT 'a' /* ; */ ; /* ' */ TRUNCATE sprints_issues", word="TRUNCATE"),
]
WRITES = [
    *_each("INSERT INTO issues (title) VALUES ('x')", "insert into sprints_issues default values", word="INSERT"),
    *_each("INSERT INTO issues SELECT * FROM issues", "/**/INSERT/**/INTO issues DEFAULT VALUES", word="INSERT"),
    *_each("UPDATE issues SET title = 'x'", "-- hello\nUPDATE sprints_issues SET title = 'x'", word="UPDATE"),
    *_each("DELETE FROM issues", "\n\t DELETE FROM sprints_issues", word="DELETE"),
    *_each("MERGE INTO issues i USING teams t ON true WHEN MATCHED THEN DELETE", word="MERGE"),
    *_each("WITH x AS (DELETE FROM issues RETURNING *) SELECT * FROM x", word="DELETE"),
    *_each("WITH x AS (SELECT 1) INSERT INTO teams SELECT 1", word="INSERT"),
    *_each("WITH x AS (UPDATE issues SET title = '' RETURNING 1) SELECT 1", word="UPDATE"),
    *_each("WITH a AS (SELECT 1), x AS (INSERT INTO teams VALUES (1) RETURNING 1) TABLE x", word="INSERT"),
    *_each("SELECT * FROM (WITH x AS (DELETE FROM teams RETURNING *) SELECT * FROM x) AS t", word="DELETE"),
    *_each("SELECT * INTO stolen FROM issues", "SELECT 1 INTO TEMP stolen", word="INTO"),
    *_each("CREATE TABLE stolen AS SELECT * FROM issues", "CREATE TEMP TABLE sneaky (a int)", word="CREATE"),
    *_each("CREATE VIEW v AS SELECT 1", "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'", word="CREATE"),
    *_each("CREATE EXTENSION dblink", "CREATE ROLE sneaky SUPERUSER", "CREATE SCHEMA sneaky", word="CREATE"),
    *_each("ALTER TABLE sprints_issues ADD x int", "ALTER ROLE sprints_analyst SUPERUSER", word="ALTER"),
    *_each("ALTER SYSTEM SET work_mem = '1GB'", word="ALTER"),
    *_each("DROP SCHEMA sprintscope CASCADE", "DROP VIEW issues", word="DROP"),
    *_each("TRUNCATE sprints_issues", "TRUNCATE issues", word="TRUNCATE"),
    *_each("GRANT ALL ON sprints_issues TO PUBLIC", word="GRANT"),
    *_each("REVOKE ALL ON issues FROM sprints_analyst", word="REVOKE"),
    *_each("COMMENT ON VIEW issues IS 'x'", word="COMMENT"),
    *_each("REFRESH MATERIALIZED VIEW issues", word="REFRESH"),
    *_each("VACUUM", "VACUUM FULL sprints_issues", word="VACUUM"),
    *_each("REINDEX TABLE sprints_issues", word="REINDEX"),
    *_each("SECURITY LABEL ON VIEW issues IS 'x'", word="SECURITY"),
]
SESSIONS = [
    *_each("COPY issues TO STDOUT", word="COPY"),
    *_each("COPY (SELECT 1) TO PROGRAM 'id'", "COPY sprints_issues FROM '/etc/passwd'", word="COPY"),
    *_each("COPY issues TO '/tmp/x'", "COPY (DELETE FROM issues RETURNING *) TO STDOUT", word="COPY"),
    *_each("DO $$ BEGIN PERFORM 1; END $$", "DO LANGUAGE plpgsql 'BEGIN END'", word="DO"),
    *_each("EXPLAIN ANALYZE DELETE FROM issues", word="EXPLAIN"),
    *_each("EXPLAIN SELECT 1", "EXPLAIN (ANALYZE) SELECT 1", word="EXPLAIN", outcome=EMPTY),
    *_each("PREPARE sneaky AS SELECT 1", word="PREPARE", outcome=EMPTY),
    *_each("PREPARE sneaky AS DELETE FROM issues", word="PREPARE"),
    *_each("EXECUTE sneaky", word="EXECUTE"),
    *_each("DEALLOCATE ALL", word="DEALLOCATE", outcome=EMPTY),
    *_each("DECLARE sneaky CURSOR WITH HOLD FOR SELECT 1", word="DECLARE", outcome=EMPTY),
    *_each("FETCH ALL FROM sneaky", word="FETCH"),
    *_each("SET ROLE toolroom", "SET SESSION AUTHORIZATION postgres", word="SET"),
    *_each(
        "SET statement_timeout = 0", "SET LOCAL work_mem = '4GB'", "SET search_path = public", word="SET", outcome=EMPTY
    ),
    *_each("SET default_transaction_read_only = off", word="SET", outcome=EMPTY),
    *_each("SET TRANSACTION READ WRITE", word="SET", outcome=EMPTY),
    *_each("RESET ALL", "RESET ROLE", word="RESET", outcome=EMPTY),
    *_each("SHOW server_version", word="SHOW", outcome=EMPTY),
    *_each("DISCARD ALL", word="DISCARD"),
    *_each("COMMIT", word="COMMIT", outcome=EMPTY),
    *_each("ROLLBACK", word="ROLLBACK", outcome=EMPTY),
    *_each("SAVEPOINT s", word="SAVEPOINT", outcome=EMPTY),
    *_each("PREPARE TRANSACTION 'sneaky'", word="PREPARE"),
    *_each("LISTEN sneaky", word="LISTEN", outcome=EMPTY),
    *_each("NOTIFY toolroom, 'x'", word="NOTIFY", outcome=EMPTY),
    *_each("LOCK TABLE sprints_issues IN ACCESS EXCLUSIVE MODE", word="LOCK"),
    *_each("LOCK TABLE issues IN ACCESS SHARE MODE", word="LOCK", outcome=EMPTY),
    *_each("CALL sneaky()", word="CALL"),
    *_each("LOAD 'auto_explain'", word="LOAD"),
    *_each("CHECKPOINT", word="CHECKPOINT"),
    *_each("IMPORT FOREIGN SCHEMA a FROM SERVER b INTO c", word="IMPORT"),
    *_each("SELECT * FROM issues FOR UPDATE", word="FOR UPDATE"),
    *_each("SELECT * FROM (SELECT * FROM issues FOR SHARE) AS i", word="FOR SHARE"),
    *_each("SELECT * FROM issues FOR NO KEY UPDATE SKIP LOCKED", word="FOR NO KEY UPDATE"),
]
_FUNCTIONS = [
    "pg_sleep(30)", "pg_sleep_for('1 minute')", "pg_advisory_lock(1)", "pg_try_advisory_lock(1)",
    "pg_advisory_xact_lock(1)", "set_config('statement_timeout', '0', false)", "current_setting('data_directory')",
    "pg_read_file('/etc/passwd')", "pg_read_binary_file('/etc/passwd')", "pg_ls_dir('/')", "pg_stat_file('/etc')",
    "lo_import('/etc/passwd')", "lo_export(1, '/tmp/x')", "lo_creat(-1)", "lo_create(1)", "lo_unlink(1)",
    "lo_from_bytea(0, 'x')", "lo_put(1, 0, 'x')", "lo_get(1)", "loread(0, 1)", "lowrite(0, 'x')",
    "pg_notify('toolroom', 'x')", "pg_terminate_backend(1)", "pg_cancel_backend(1)", "pg_reload_conf()",
    "pg_rotate_logfile()", "pg_switch_wal()", "pg_create_restore_point('x')", "pg_backup_start('x')",
    "pg_create_physical_replication_slot('x')", "pg_logical_emit_message(true, 'a', 'b')", "pg_export_snapshot()",
    "txid_current()", "pg_current_xact_id()", "nextval('sprints_statuses_status_id_seq')", "setval('a', 1)",
    "currval('a')", "lastval()", "query_to_xml('SELECT 1', true, true, '')", "table_to_xml('issues', true, true, '')",
    "database_to_xml(true, true, '')", "cursor_to_xml('sneaky', 1, true, true, '')", "ts_stat('SELECT 1')",
    "ts_rewrite('a'::tsquery, 'SELECT 1')", "dblink('', 'SELECT 1')", "dblink_exec('', 'DROP TABLE x')",
    "version()", "current_database()", "inet_server_addr()", "pg_backend_pid()", "pg_postmaster_start_time()",
    "has_table_privilege('sprints_issues', 'SELECT')", "pg_get_viewdef('issues'::regclass)", "to_regclass('a')",
    "pg_stat_get_activity(NULL)", "pg_relation_size('issues')", "pg_database_size('postgres')", "setseed(0.5)",
    "pg_stat_reset()", "pg_promote()", "pg_import_system_collations('public')", "obj_description(1, 'pg_class')",
    "pg_show_all_settings()", "pg_lock_status()", "pg_timezone_names()", "xpath('/a', '<a/>')" ,
]  # fmt: skip
_HARMLESS_TO_THE_ROLE = {"xpath('/a', '<a/>')"}
FUNCTIONS = [
    Attack(sql=f"SELECT {call}", outcome=EMPTY if call in _HARMLESS_TO_THE_ROLE else REFUSED) for call in _FUNCTIONS
]
PLACES = _each(
    "SELECT * FROM pg_sleep(9)",
    "SELECT 1 FROM issues, LATERAL pg_sleep(9)",
    "SELECT * FROM ROWS FROM (generate_series(1, 2), pg_sleep(9))",
    "VALUES (pg_sleep(9))",
    "VALUES (1), ((SELECT 1 FROM pg_sleep(9)))",
    "SELECT 1 FROM generate_series(1, 2) ORDER BY pg_sleep(9)",
    "SELECT 1 GROUP BY pg_sleep(9)",
    "SELECT 1 HAVING pg_sleep(9) IS NULL",
    "SELECT 1 LIMIT (SELECT 1 FROM pg_sleep(9))",
    "SELECT 1 OFFSET (SELECT 1 FROM pg_sleep(9))",
    "SELECT count(*) FILTER (WHERE pg_sleep(9) IS NULL)",
    "SELECT array_agg(1 ORDER BY pg_sleep(9))",
    "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY (SELECT 1.0 FROM pg_sleep(9)))",
    "SELECT count(*) OVER (PARTITION BY pg_sleep(9))",
    "SELECT count(*) OVER (ORDER BY 1 ROWS (SELECT 1 FROM pg_sleep(9)) PRECEDING)",
    "SELECT count(*) OVER w WINDOW w AS (ORDER BY pg_sleep(9))",
    "SELECT DISTINCT ON (pg_sleep(9)) 1",
    "SELECT CASE WHEN pg_sleep(9) IS NULL THEN 1 END",
    "SELECT coalesce(pg_sleep(9)::text, 'a')",
    "SELECT greatest(1, (SELECT 2 FROM pg_sleep(9)))",
    "SELECT ARRAY[pg_sleep(9)]",
    "SELECT (ARRAY[1, 2])[(SELECT 1 FROM pg_sleep(9))]",
    "SELECT ROW(pg_sleep(9))",
    "SELECT (pg_sleep(9))::text",
    "SELECT 1 WHERE 1 IN (SELECT 1 FROM pg_sleep(9))",
    "SELECT 1 WHERE 1 = ANY (ARRAY(SELECT 1 FROM pg_sleep(9)))",
    "SELECT 1 WHERE pg_sleep(9)::text BETWEEN 'a' AND 'b'",
    "SELECT 1 WHERE pg_sleep(9) IS NOT NULL",
    "SELECT json_build_object('a', pg_sleep(9))",
    "SELECT json_object('a': pg_sleep(9))",
    "SELECT json_array(pg_sleep(9))",
    "SELECT json_value('{}', '$.a' DEFAULT pg_sleep(9)::text ON EMPTY)",
    "SELECT * FROM json_table('[1]', '$[*]' PASSING pg_sleep(9)::text AS a COLUMNS (x int PATH '$'))",
    "SELECT 1 UNION SELECT 2 FROM pg_sleep(9)",
    "(SELECT 1) EXCEPT (SELECT 1 FROM pg_sleep(9))",
    "SELECT * FROM issues i JOIN teams t ON pg_sleep(9) IS NULL",
    "WITH a AS (SELECT pg_sleep(9)) SELECT * FROM a",
    "WITH RECURSIVE a AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM a, pg_sleep(9)) SELECT * FROM a",
    "SELECT (0.5::float8).pg_sleep",
    "SELECT (SELECT 9.0::float8).pg_sleep",
    "SELECT (x.n).pg_sleep FROM (SELECT 9.0::float8 AS n) AS x",
    "SELECT ((ARRAY[9.0::float8])[1]).pg_sleep AS pg_sleep",
    "SELECT i.pg_restore_relation_stats FROM issues AS i",
    "SELECT x.lo_creat FROM generate_series(1, 1) AS x",
    "SELECT x.lo_creat, 1 AS lo_creat FROM generate_series(1, 1) AS x",
    "SELECT x.lo_creat FROM generate_series(1, 1) AS x WHERE 1 IN (SELECT 1 FROM generate_series(1, 1) AS x(lo_creat))",
    "SELECT unnest.current_setting FROM unnest(ARRAY['data_directory'])",
    "SELECT x.to_regclass FROM ROWS FROM (unnest(ARRAY['public.auth_user'])) AS x",
    "SELECT x.setseed FROM issues AS i CROSS JOIN LATERAL unnest(ARRAY[0.5::float8]) AS x",
    "SELECT \"coalesce\".current_setting FROM coalesce('data_directory')",
    'SELECT "pg_sleep"(9)',
    'SELECT U&"pg\\005Fsleep"(9)',
    "SELECT pg_catalog.pg_sleep(9)",
    'SELECT "pg_catalog"."pg_sleep"(9)',
    "SELECT PG_SLEEP /* */ ( 9 )",
    "SELECT public.vector_dims('[1]')",
    "SELECT refuse_large_row()",
    "SELECT sprintscope.planned_cost('SELECT 1; DELETE FROM public.sprints_issues')",
    "SELECT 1 WHERE 1 OPERATOR(public.<->) 2",
    "SELECT 1 WHERE 1 OPERATOR(public.=) ANY (SELECT 1)",
    "SELECT n FROM generate_series(1, 2) AS n ORDER BY n USING OPERATOR(public.<)",
    "SELECT 'a' COLLATE public.x",
    "SELECT * FROM xmltable('/a' PASSING xmlparse(DOCUMENT pg_read_file('/etc/passwd')) COLUMNS b text)",
)
READS = [
    *_each(
        "SELECT * FROM sprints_issues", "SELECT email FROM sprints_users", "SELECT * FROM public.sprints_issues",
        "SELECT * FROM toolbox_api_keys", "TABLE public.auth_user", "SELECT (SELECT count(*) FROM public.auth_user)",
        "SELECT * FROM pg_class", "SELECT * FROM pg_catalog.pg_roles", "SELECT * FROM information_schema.tables",
        "SELECT * FROM pg_stat_activity", "SELECT * FROM pg_settings", "SELECT * FROM pg_shadow",
        "SELECT * FROM pg_hba_file_rules", "SELECT * FROM pg_views", "SELECT definition FROM pg_rules",
        'SELECT * FROM "pg_class"', "SELECT * FROM ONLY pg_proc", "SELECT * FROM toolroom.public.sprints_issues",
        "SELECT ctid FROM issues", "SELECT i.tableoid FROM issues i", "SELECT xmin FROM issues",
        "SELECT 1 FROM issues TABLESAMPLE system (1)",
        "WITH a AS (SELECT 1) SELECT * FROM a, (SELECT * FROM b) AS c, (WITH b AS (SELECT 1) SELECT * FROM b) AS d",
        "WITH a AS (SELECT * FROM pg_class), pg_class AS (SELECT 1) SELECT * FROM a",
        "SELECT * FROM issues WHERE issue_id = (SELECT $1)", "SELECT $1",
        "SELECT CAST('a' AS public.vector)", "SELECT NULL::sprintscope.issues[]::text::public.sprints_issues",
        "SELECT 'nobody'::regrole", "SELECT 'no_such'::regclass", "SELECT regclass 'no_such'",
        "SELECT CAST('pg_no_function' AS regproc)", "SELECT 'no_such'::regtype::oid",
    ),
    *_each("SELECT 'pg_class'::regclass::oid", "SELECT current_user", "SELECT session_user, current_schema",
           "SELECT 1::oid::regclass", "SELECT '{1,2}'::regclass[]", "SELECT xmlelement(name a)",
           "SELECT NULL::issues", outcome=EMPTY),
]  # fmt: skip
FLOODS = [
    *_each("SELECT count(*) FROM generate_series(1, 1000000000000)", outcome=STOPPED),
    *_each("SELECT count(*) FROM issues a, issues b, issues c, issues d, issues e", outcome=STOPPED),
    *_each("SELECT repeat('a', 1000000000)", "SELECT lpad('a', 1000000000)", outcome=STOPPED),
]
ENDLESS = [
    "WITH RECURSIVE a(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM a) SELECT count(*) FROM a",
    "WITH RECURSIVE a(n) AS (SELECT 1 UNION ALL SELECT n FROM a) SELECT sum(n) FROM a",
]
"""Nothing in these is forbidden; time and temporary space end them."""

ATTACKS = [*STACKED, *WRITES, *SESSIONS, *FUNCTIONS, *PLACES, *READS, *FLOODS]
