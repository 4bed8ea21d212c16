"""The house rules over every file of the repository. An exception is listed by name, and the lists only shrink."""

from pathlib import Path

from tests.architecture.rules import (
    MACHINE_PATHS,
    SECRETS,
    VAGUE_MODULES,
    find_long_functions,
    find_positional,
    find_unbounded_reads,
    is_long_file,
    reads_rows,
    uses_orm,
)
from tests.architecture.select_limits import is_bounded
from tests.architecture.sources import ROOT, code, files, name_of, python, tree

LONG_FILES: set[str] = set()
LONG_FUNCTIONS: set[str] = set()
VAGUE_NAMES = {"config/postgres/base.py"}  # Django finds a database backend by this name
ORM_MODULES = ("models.py", "queries.py", "load.py", "admin.py", "resources_api.py")  # how the file's name ends
ORM_ELSEWHERE = {
    "config/demo.py",
    "graphql_proxy/ingest/samples.py",
    "toolbox/access/groups.py",  # runs after migrations
    "toolbox/admin_pages/jobs.py",
    "toolbox/catalogue/prompts.py",
    "toolbox/management/commands/create_api_key.py",
}
BOUNDED_OTHERWISE = {
    "backtests/ingest/statements.py",  # one run, by its id; events of one batch
    "backtests/overview/queries.py",  # bounded by arithmetic over chunks of 1,024
    "sprints/ingest/references.py",  # one organisation's ids
    "sprints/semantics/aggregation.py",  # steps of a statement whose last one has a LIMIT
    "sprints/semantics/rows.py",  # the same
    "sprints/sql_sandbox/bounded_run.py",  # the guard has set a LIMIT inside
    "sprints/sql_sandbox/role_lockdown.py",  # the catalogue, in a statement made of parts
    "toolbox/access/keys.py",  # one key, by its id or its digest
}
READS_ELSEWHERE = {"config/asgi.py"}  # connects before the first call
POSITIONAL = {
    "backtests/uploads/storage.py:store_upload",
    "config/observability/dashboard.py:dashboard",  # unfold calls it so
    "config/observability/error_pages.py:show_missing",  # Django calls its handlers so
    "config/observability/error_pages.py:show_refusal",  # the same
    "linescore/admin.py:PlayedByFilter.keep",
    "sprints/semantics/describe.py:remove_chip",
    "toolbox/admin_pages/csv_export.py:export_csv",  # Django calls actions so
    "toolbox/catalogue/schema_snapshot.py:breaking_changes",
    "toolbox/database/migration_operations.py:GrantRead.database_backwards",  # Django calls migration operations so
    "toolbox/database/migration_operations.py:GrantRead.database_forwards",  # Django calls migration operations so
    "toolbox/database/migration_operations.py:NotifyResourceChanges.database_backwards",
    "toolbox/database/migration_operations.py:NotifyResourceChanges.database_forwards",
    "toolbox/database/migration_operations.py:NotifyToolChanges.database_backwards",
    "toolbox/database/migration_operations.py:NotifyToolChanges.database_forwards",
    "toolbox/database/pool.py:Pool.fetch",
    "toolbox/dispatch/arguments.py:parse_arguments",
    "toolbox/examples/filters.py:column",  # Django calls filters so, these five
    "toolbox/examples/filters.py:first_of",
    "toolbox/examples/filters.py:find_match",
    "toolbox/examples/filters.py:number",
    "toolbox/examples/filters.py:filter_rows",
    "toolbox/mcp/client.py:run_on",
    "toolbox/mcp/tool_listing.py:answer_compact",  # a name and its arguments, as everywhere
    "toolbox/http/asgi.py:send_reply",
    "toolbox/oauth/authorization_server.py:MetadataDocumentLimit.has_permission",  # django-oauth-toolkit calls it so
    "toolbox/resources_api/views.py:render_error",  # DRF calls its exception handler so
    "toolbox/rest/middleware.py:send_reply",
}


def test_a_file_has_at_most_500_lines() -> None:
    assert {name_of(path) for path in python() if is_long_file(path.read_text(encoding="utf-8"))} - LONG_FILES == set()


def test_a_function_has_at_most_80_lines() -> None:
    assert {
        f"{name_of(path)}:{name}" for path in python() for name in find_long_functions(tree(path))
    } == LONG_FUNCTIONS


def test_a_module_s_name_says_what_is_inside() -> None:
    assert {name_of(path) for path in python() if path.stem in VAGUE_MODULES} - VAGUE_NAMES == set()


def test_the_orm_is_used_in_models_queries_loading_and_admin_pages_only() -> None:
    elsewhere = {
        name_of(path)
        for path in code()
        if not path.name.endswith(ORM_MODULES) and path.parent.name != "models" and uses_orm(tree(path))
    }

    assert elsewhere - ORM_ELSEWHERE == set()


def test_a_domain_reads_through_its_queries() -> None:
    domains = [
        path for path in code() if not path.name.endswith("queries.py") and not name_of(path).startswith("toolbox/")
    ]

    assert {name_of(path) for path in domains if reads_rows(tree(path))} - READS_ELSEWHERE == set()


def test_past_the_first_argument_everything_is_given_by_name() -> None:
    assert {f"{name_of(path)}:{name}" for path in code() for name in find_positional(tree(path))} - POSITIONAL == set()


def test_every_select_is_bounded() -> None:
    read = [path for path in code() if name_of(path) not in BOUNDED_OTHERWISE]
    statements = {f"{name_of(path)}: {text}" for path in read for text in find_unbounded_reads(tree(path))}
    stored = {
        name_of(path)
        for path in files()
        if path.suffix == ".sql" and path.parent.name != "migrations" and not is_bounded(path.read_text("utf-8"))
    }

    assert statements | stored == set()


def test_nothing_looks_like_a_secret() -> None:
    assert [f"{name_of(path)}: {match[0]}" for path in files() for match in SECRETS.finditer(_read(path))] == []


def test_nothing_names_a_place_on_somebody_s_machine() -> None:
    assert [f"{name_of(path)}: {match[0]}" for path in files() for match in MACHINE_PATHS.finditer(_read(path))] == []


def test_every_module_of_the_product_is_looked_at() -> None:
    names = {name_of(path) for path in code()}

    assert {"toolbox/dispatch/dispatch.py", "linescore/queries.py", "config/settings.py"} <= names
    assert (ROOT / "manage.py").exists()


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""
