"""What the tables hold is found by name, by class hierarchy and by call."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from devassist.code_graph import queries
from devassist.models import GraphBase, GraphBuild, GraphCall, GraphFile, GraphSymbol, Workspace
from tests.devassist.conftest import MakeWorkspace
from tests.graphql_proxy.conftest import in_a_thread


@pytest.fixture
def shop(make_workspace: MakeWorkspace, tmp_path: Path) -> Iterator[int]:
    """Yield a workspace in which Store has a method `save` that Cache overrides and `(top level)` calls."""
    workspace = in_a_thread(lambda: Workspace.objects.get(name=make_workspace(tmp_path)))

    def fill() -> None:
        file = GraphFile.objects.create(
            workspace=workspace, path="shop.py", language="python", content_hash="1", modified_ns=1, size=1,
            is_test=False, facts=b"",
        )  # fmt: skip
        GraphBuild.objects.create(workspace=workspace, root=str(tmp_path), state="ready", files_done=1, files_total=1)
        store, cache = (_symbol(file, name, kind="class", line=line) for name, line in (("Store", 1), ("Cache", 10)))
        save = _symbol(file, "save", kind="method", line=2, container=store)
        _symbol(file, "save", kind="method", line=11, container=cache)
        GraphBase.objects.create(workspace=workspace, symbol=cache, base_name="Store", base=store)
        GraphCall.objects.create(
            workspace=workspace, file=file, callee_name="save", receiver="store", line=20, character=6, target=save,
            found_by="syntax", confidence=0.9, is_open=False,
        )  # fmt: skip

    in_a_thread(fill)
    yield workspace.pk
    in_a_thread(lambda: GraphFile.objects.filter(workspace=workspace).delete())


def _symbol(file: GraphFile, name: str, *, kind: str, line: int, container: GraphSymbol | None = None) -> GraphSymbol:
    return GraphSymbol.objects.create(
        workspace=file.workspace, file=file, container=container, number=0, name=name, kind=kind, line=line,
        qualified_name=f"{container.qualified_name}.{name}" if container else name, character=4, start_line=line,
        end_line=line + 3, signature=f"def {name}",
    )  # fmt: skip


async def test_a_method_is_found_by_its_name_and_by_its_class(shop: int) -> None:
    both = await queries.find_symbols("save", workspace_id=shop)
    one = await queries.find_symbols("Cache#save()", workspace_id=shop)

    assert [(symbol.qualified_name, symbol.container, symbol.line) for symbol in both] == [
        ("Store.save", "Store", 2), ("Cache.save", "Cache", 11),
    ]  # fmt: skip
    assert [symbol.qualified_name for symbol in one] == ["Cache.save"]


async def test_a_beginning_finds_names_in_any_case(shop: int) -> None:
    found = await queries.find_symbols("sto", workspace_id=shop, is_prefix=True)

    assert [symbol.name for symbol in found] == ["Store"]


async def test_overrides_and_subclasses_implement(shop: int) -> None:
    found: dict[str, Any] = {}
    for name in ("Store", "Store.save"):
        (symbol,) = await queries.find_symbols(name, workspace_id=shop)
        rows = await queries.find_implementations(symbol)
        found[name] = [(row.qualified_name, row.found_by) for row in rows]

    assert found == {"Store": [("Cache", "hierarchy")], "Store.save": [("Cache.save", "hierarchy")]}


async def test_callers_have_the_place_of_the_call(shop: int) -> None:
    (save,) = await queries.find_symbols("Store.save", workspace_id=shop)

    (call,) = await queries.find_callers(save)

    assert (call.path, call.line, call.receiver, call.caller, call.confidence) == ("shop.py", 20, "store", None, 0.9)


async def test_nothing_is_found_in_another_workspace_and_the_build_is_told(shop: int) -> None:
    build = await queries.read_build(shop)

    assert await queries.find_symbols("save", workspace_id=shop + 1) == []
    assert build
    assert (build.state, build.files_done) == ("ready", 1)
    assert await queries.read_build(shop + 1) is None
