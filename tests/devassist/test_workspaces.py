"""Whose workspace it is: a key sees those it was given, and is told nothing of others."""

from pathlib import Path

import httpx
import pytest

from devassist.roots import problem_of_root
from devassist.workspaces import workspace_for
from tests.devassist.conftest import MakeReader, MakeWorkspace
from toolbox.contract.caller import LOCAL_OPERATOR, Caller
from toolbox.contract.errors import ToolError

TOOL = "/api/tools/devassist/read_file"


async def _ask(client: httpx.AsyncClient, key: str, **more: object) -> httpx.Response:
    return await client.post(TOOL, json={"filePath": "a.kt", **more}, headers={"Authorization": f"Bearer {key}"})


async def test_a_key_sees_what_it_was_given_and_nothing_tells_of_others(
    fast_client: httpx.AsyncClient, make_workspace: MakeWorkspace, make_reader: MakeReader, tmp_path: Path
) -> None:
    (tmp_path / "a.kt").write_text("class A\n")
    (row, key), (_, other) = make_reader(), make_reader(owner="bob")
    name = make_workspace(tmp_path, keys=(row,))

    given = await _ask(fast_client, key, workspace=name)
    refused = await _ask(fast_client, other, workspace=name)
    absent = await _ask(fast_client, other, workspace="test-nowhere")

    assert given.json() == {
        "success": True,
        "data": {"filePath": "a.kt", "content": "class A\n", "lineCount": 1, "encoding": "utf-8", "fileSize": 8},
    }
    assert (refused.status_code, refused.json()["error"]["code"]) == (404, "UNKNOWN_WORKSPACE")
    assert refused.text.replace(name, "X") == absent.text.replace("test-nowhere", "X")


async def test_an_owner_s_conversation_sees_what_any_of_their_keys_sees(
    make_workspace: MakeWorkspace, make_reader: MakeReader, tmp_path: Path
) -> None:
    row, _ = make_reader()
    name = make_workspace(tmp_path, keys=(row,))
    scopes = frozenset({"devassist:read"})

    owner = await workspace_for(Caller(name="c", scopes=scopes, owner_id=row.owner_id), named=name)
    operator = await workspace_for(LOCAL_OPERATOR, named=name)
    with pytest.raises(ToolError):
        await workspace_for(Caller(name="c", scopes=scopes, owner_id=row.owner_id + 1_000), named=name)
    with pytest.raises(ToolError):
        await workspace_for(Caller(name="k", scopes=scopes, owner_id=row.owner_id, key_id=row.pk + 1_000), named=name)

    assert owner.name == operator.name == name


async def test_what_is_meant_where_none_is_named(
    fast_client: httpx.AsyncClient, make_workspace: MakeWorkspace, make_reader: MakeReader, tmp_path: Path
) -> None:
    (tmp_path / "a.kt").write_text("own")
    own = make_workspace(tmp_path, name="test-own")
    (_, key), (_, several) = make_reader(default_workspace=own), make_reader()
    make_workspace(tmp_path, is_open=True)

    lost = await _ask(fast_client, key)
    unclear = await _ask(fast_client, several)
    make_workspace(tmp_path, is_open=True, is_default=True)
    default = await _ask(fast_client, several)

    assert lost.json()["error"]["code"] == unclear.json()["error"]["code"] == "UNKNOWN_WORKSPACE"
    assert "trailnotes" in unclear.json()["error"]["suggestion"]
    assert default.json()["data"]["content"] == "own"


@pytest.mark.parametrize("root", ["projects/shop", "/", "/proc/self", "/etc", "/nowhere-at-all", "/dev", "/tmp/\0"])
def test_some_folders_cannot_be_a_root(root: str) -> None:
    assert problem_of_root(root)


def test_a_link_to_the_system_cannot_be_a_root(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/proc")

    assert problem_of_root(str(tmp_path / "link"))
    assert problem_of_root(str(tmp_path)) == ""
