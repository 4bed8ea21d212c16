"""The house rules (docs/design.md). An exception is listed by name, and the lists only shrink."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.bounded import is_bounded
from tests.architecture.sources import ROOT, Function, body_lines, code, files, functions, name_of, python, tree

MAX_FILE_LINES = 500
MAX_BODY_LINES = 80
TAKEN_NAMES = {"utils", "util", "helpers", "helper", "common", "services", "service", "base", "misc", "lib", "core"}
LONG_FILES: set[str] = set()
LONG_FUNCTIONS: set[str] = set()
VAGUE_NAMES = {"config/postgres/base.py"}  # Django finds a database backend by this name
OBJECTS_ROOMS = {"models.py", "queries.py", "load.py", "admin.py", "resources.py"}
OBJECTS_ELSEWHERE = {"config/demo.py", "toolbox/management/commands/create_api_key.py"}
FETCH_ROOMS = {"queries.py"}
FETCH_ELSEWHERE = {"config/asgi.py"}  # connects before the first call
POSITIONAL = {
    "config/observability/dashboard.py:dashboard",  # unfold calls it so
    "config/observability/error_pages.py:refused",  # Django calls its handlers so
    "linescore/admin.py:PlayedByFilter.keep",
    "toolbox/admin_pages/csv_export.py:export_csv",  # Django calls actions so
    "toolbox/examples/filters.py:column",  # Django calls filters so, these five
    "toolbox/examples/filters.py:first_of",
    "toolbox/examples/filters.py:found",
    "toolbox/examples/filters.py:number",
    "toolbox/examples/filters.py:where",
    "toolbox/rest/middleware.py:send_reply",
    "toolbox/oauth/authorization_server.py:FewDocuments.has_permission",  # django-oauth-toolkit calls it so
    "toolbox/database/pools.py:Pool.fetch",
    "toolbox/dispatch/arguments.py:read_question",
    "toolbox/resources_api/errors.py:refuse",  # DRF calls its exception handler so
    "toolbox/catalogue/schema_snapshot.py:breaking_changes",
}
SECRETS = (
    r"AKIA[0-9A-Z]{16}", r"-----BEGIN [A-Z ]*PRIVATE KEY", r"\bsk-[A-Za-z0-9_-]{20,}", r"\bgh[pousr]_[A-Za-z0-9]{30,}",
    r"\bxox[abprs]-[A-Za-z0-9-]{10,}", r"\btr_[A-Za-z0-9_-]{43}\b", r"\beyJ[A-Za-z0-9_-]{20,}\.eyJ",
)  # fmt: skip
MACHINE_PATHS = r"(?<![\w.~-])/(?:work|home|root|Users|mnt)/[\w.-]"


def test_a_file_has_at_most_500_lines() -> None:
    long = {name_of(path) for path in python() if len(path.read_text(encoding="utf-8").splitlines()) > MAX_FILE_LINES}

    assert long == LONG_FILES


def test_a_function_s_body_has_at_most_80_lines() -> None:
    long = {
        f"{name_of(path)}:{name}"
        for path in python()
        for name, function in functions(path)
        if body_lines(function) > MAX_BODY_LINES
    }

    assert long == LONG_FUNCTIONS


def test_a_module_s_name_says_what_is_inside() -> None:
    assert {name_of(path) for path in python() if path.stem in TAKEN_NAMES} == VAGUE_NAMES


def test_the_orm_is_touched_only_where_tables_are_at_home() -> None:
    elsewhere = {
        name_of(path)
        for path in code()
        if path.name not in OBJECTS_ROOMS
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Attribute) and node.attr in ("objects", "_default_manager", "_base_manager")
    }

    assert elsewhere == OBJECTS_ELSEWHERE


def test_a_domain_reads_through_its_queries() -> None:
    elsewhere = {
        name_of(path)
        for path in code()
        if path.name not in FETCH_ROOMS and not name_of(path).startswith("toolbox/")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Attribute) and node.attr in ("fetch", "using") and ast.unparse(node.value) == "reader"
    }

    assert elsewhere == FETCH_ELSEWHERE


def test_past_the_first_argument_everything_is_said_by_name() -> None:
    """Of functions and methods whose signature is ours: no dunders, no methods of classes with a foreign base."""
    positional = {
        f"{name_of(path)}:{name}" for path in code() for name, function in _own(tree(path)) if _places(function) > 1
    }

    assert positional == POSITIONAL


def test_every_select_of_a_domain_is_bounded() -> None:
    statements = {
        f"{name_of(path)}: {text.strip()[:60]}"
        for path in code()
        if path.name == "queries.py"
        for text in _texts(tree(path))
        if re.match(r"(?is)\s*(select|with)\b", text) and not is_bounded(text)
    }
    beside = {
        name_of(path)
        for path in files()
        if path.suffix == ".sql" and path.parent.name != "migrations" and not is_bounded(path.read_text("utf-8"))
    }

    assert statements | beside == set()


def test_nothing_looks_like_a_secret() -> None:
    assert _found("|".join(SECRETS)) == []


def test_nothing_names_a_place_on_somebody_s_machine() -> None:
    assert _found(MACHINE_PATHS) == []


def test_every_module_of_the_product_is_looked_at() -> None:
    names = {name_of(path) for path in code()}

    assert {"toolbox/dispatch/dispatch.py", "linescore/queries.py", "config/settings.py"} <= names
    assert (ROOT / "manage.py").exists()


def _own(module: ast.Module) -> Iterator[tuple[str, Function]]:
    known = {node.name: node for node in module.body if isinstance(node, ast.ClassDef)}
    for node in module.body:
        if isinstance(node, Function) and not node.name.startswith("_"):
            yield node.name, node
        if (
            isinstance(node, ast.ClassDef)
            and not node.name.startswith("_")
            and all(ast.unparse(base) in known for base in node.bases)
        ):
            for part in node.body:
                if isinstance(part, Function) and not part.name.startswith("_"):
                    yield f"{node.name}.{part.name}", part


def _places(function: Function) -> int:
    """Count the arguments that may be given by position, `self`, `cls`, an ASGI signature, a tool's call left out."""
    names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    if names[-3:] == ["scope", "receive", "send"]:
        return 0
    after = [ast.unparse(argument.annotation or ast.Constant("")) for argument in function.args.args[1:]]
    if after in (["CallContext"], ["Client"]):
        return 1
    return len([name for name in names if name not in ("self", "cls")])


def _texts(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _found(pattern: str) -> list[str]:
    found = []
    for path in files():
        text = _text(path)
        found += [f"{name_of(path)}: {match[0]}" for match in re.finditer(pattern, text)]
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""
