"""Deleting a workspace while its code graph is being built."""

from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from django.db import connection
from django.db.models.signals import pre_delete

from devassist.code_graph.building import _Build, build
from devassist.models import Workspace
from tests.blocking import wait_until_blocked
from tests.devassist.conftest import MakeWorkspace
from tests.graphql_proxy.conftest import in_a_thread
from toolbox.database.pools import direct_conninfo

ADD_BASE = b"""
INSERT INTO devassist_graph_bases (workspace_id, symbol_id, base_name, base_id)
SELECT workspace_id, id, 'Base', id FROM devassist_graph_symbols WHERE workspace_id = %(id)s LIMIT 1
"""
COUNT_WAITING = """
SELECT count(*) FROM pg_locks
WHERE NOT granted AND locktype = 'transactionid' AND transactionid = pg_current_xact_id()::xid
"""


def delete_workspace(key: int, *, way: str) -> None:
    if way == "one":
        Workspace.objects.get(pk=key).delete()
    else:
        Workspace.objects.filter(pk=key).delete()


@pytest.mark.parametrize("way", ["one", "all that are chosen"])
def test_a_build_that_is_under_way_does_not_stop_the_deletion(
    make_workspace: MakeWorkspace, tmp_path: Path, way: str
) -> None:
    (tmp_path / "shop.py").write_text("def price():\n    return 1\n")
    name = make_workspace(tmp_path)
    key = in_a_thread(lambda: Workspace.objects.get(name=name).pk)
    assert build(key, root=str(tmp_path))

    def add() -> str:
        try:
            with psycopg.connect(direct_conninfo()) as builder:
                assert builder.execute(ADD_BASE, {"id": key}).rowcount == 1
                builder.commit()
        except psycopg.errors.ForeignKeyViolation:
            return "refused"
        return "added"

    def delete_while_adding() -> str:
        adding: list[Future[str]] = []

        def begin_adding(**_: object) -> None:
            adding.append(pool.submit(add))
            waiting = 0
            while not waiting and not adding[0].done():
                with connection.cursor() as cursor:
                    cursor.execute(COUNT_WAITING)
                    waiting = cursor.fetchone()[0]

        with ThreadPoolExecutor(max_workers=1) as pool:
            pre_delete.connect(begin_adding, sender=Workspace)
            try:
                delete_workspace(key, way=way)
            finally:
                pre_delete.disconnect(begin_adding, sender=Workspace)
            return adding[0].result(timeout=60)

    assert in_a_thread(delete_while_adding) == "refused"
    assert not in_a_thread(lambda: Workspace.objects.filter(pk=key).exists())


@pytest.mark.parametrize("way", ["one", "all that are chosen"])
def test_a_deletion_in_the_middle_of_a_rebuild_waits_for_its_batch_and_ends_it(
    make_workspace: MakeWorkspace, tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A batch deletes the rows of calls and writes them again; the deletion begins between the two."""
    shop = tmp_path / "shop.py"
    shop.write_text("def price():\n    return 1\n\n\ndef total():\n    return price()\n")
    name = make_workspace(tmp_path)
    key = in_a_thread(lambda: Workspace.objects.get(name=name).pk)
    assert build(key, root=str(tmp_path))
    shop.write_text("def price():\n    return 1\n\n\ndef total():\n    return price() + price()\n")
    deletions: list[Future[None]] = []
    execute = _Build._execute

    def delete() -> None:
        try:
            delete_workspace(key, way=way)
        finally:
            connection.close()

    def execute_beside_a_deletion(self: _Build, statement: str, **parameters: object) -> None:
        execute(self, statement, **parameters)
        if "DELETE FROM devassist_graph_calls WHERE file_id" in statement and not deletions:
            deletions.append(pool.submit(delete))
            wait_until_blocked(self.connection.info.backend_pid, work=deletions[0])

    monkeypatch.setattr(_Build, "_execute", execute_beside_a_deletion)
    with ThreadPoolExecutor(max_workers=1) as pool:
        build(key, root=str(tmp_path))
        assert deletions
        deletions[0].result(timeout=60)
    assert not in_a_thread(lambda: Workspace.objects.filter(pk=key).exists())
    assert not build(key, root=str(tmp_path))
