"""Whose workspace it is: a key sees those it was given, and is told nothing of others."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from devassist.roots import problem_of_root
from devassist.workspaces import workspace_for, workspace_of_file
from tests.devassist.conftest import MakeReader, MakeWorkspace
from toolbox.contract.caller import LOCAL_OPERATOR, CallContext, Caller
from toolbox.contract.client_channel import InputRequired, RetriedCall
from toolbox.contract.errors import ToolError

TOOL = "/api/tools/devassist/read_file"


async def _ask(client: httpx.AsyncClient, key: str, **more: object) -> httpx.Response:
    return await client.post(TOOL, json={"filePath": "a.kt"} | more, headers={"Authorization": f"Bearer {key}"})


async def test_a_key_sees_what_it_was_given_and_nothing_tells_of_others(
    fast_client: httpx.AsyncClient, make_workspace: MakeWorkspace, make_reader: MakeReader, tmp_path: Path
) -> None:
    (tmp_path / "a.kt").write_text("class A\n")
    (row, key), (_, other) = make_reader(), make_reader(owner="bob")
    name = make_workspace(tmp_path, keys=(row,))

    given = await _ask(fast_client, key, workspace=name)
    refused = await _ask(fast_client, other, workspace=name)
    absent = await _ask(fast_client, other, workspace="test-missing")

    assert given.json() == {
        "success": True,
        "data": {"filePath": "a.kt", "content": "class A\n", "lineCount": 1, "encoding": "utf-8", "fileSize": 8},
    }
    assert (refused.status_code, refused.json()["error"]["code"]) == (404, "UNKNOWN_WORKSPACE")
    assert refused.text.replace(name, "X") == absent.text.replace("test-missing", "X")


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
    roots = [tmp_path / name for name in ("one", "two")]
    for root in roots:
        root.mkdir()
        (root / "a.kt").write_text(root.name)
    (roots[1] / "only.kt").write_text("only in two")
    own = make_workspace(roots[0], name="test-own")
    (_, lost_key), (one, key) = make_reader(default_workspace=own), make_reader()
    names = [make_workspace(root, keys=(one,)) for root in roots]

    lost = await _ask(fast_client, lost_key)
    several = await _ask(fast_client, key)
    missing = await _ask(fast_client, key, filePath="none.kt")
    outside = await _ask(fast_client, key, filePath="../a.kt")
    alone = await _ask(fast_client, key, filePath="only.kt")
    make_workspace(roots[0], is_open=True, is_default=True)
    default = await _ask(fast_client, key)

    codes = [answer.json()["error"]["code"] for answer in (lost, several, missing, outside)]
    assert codes == ["PERMISSION_DENIED", "INVALID_PARAMETERS", "FILE_NOT_FOUND", "PERMISSION_DENIED"]
    assert several.json()["error"]["details"]["workspaces"] == sorted(names)
    assert set(missing.json()["error"]["details"]["workspaces"]) >= set(names)
    assert alone.json()["data"]["content"] == "only in two"
    assert default.json()["data"]["content"] == "one"


NEEDED: dict[str, dict[str, Any]] = {
    "read_file": {}, "get_code_context": {"line": 1},
    "find_callers_of_function": {"functionName": "go", "syntactic": True},
}  # fmt: skip
"""The contract's tools about files, and what each needs beside filePath."""


@pytest.mark.parametrize("tool", NEEDED)
async def test_of_two_workspaces_the_key_s_default_is_meant_else_the_names_are_told(
    fast_client: httpx.AsyncClient, make_workspace: MakeWorkspace, make_reader: MakeReader, tmp_path: Path, *, tool: str
) -> None:
    names = ["test-one", "test-two"]
    keys = [make_reader(default_workspace=name) for name in names] + [make_reader()]
    for name in names:
        (tmp_path / name).mkdir()
        text = f"def go():\n    pass\n\n\ndef {name.replace('-', '_')}():\n    go()\n"
        (tmp_path / name / "a.py").write_text(text)
        make_workspace(tmp_path / name, name=name, keys=tuple(row for row, _ in keys))

    answers = [
        await fast_client.post(
            f"/api/tools/devassist/{tool}",
            json={"filePath": "a.py"} | NEEDED[tool],
            headers={"Authorization": f"Bearer {key}"},
        )
        for _, key in keys
    ]

    *chosen, unclear = answers
    told = [{name for name in ("test_one", "test_two") if name in answer.text} for answer in chosen]
    assert told == [{"test_one"}, {"test_two"}], [answer.text for answer in chosen]
    refusal = unclear.json()["error"]
    assert (refusal["code"], refusal["details"]["workspaces"]) == ("INVALID_PARAMETERS", names)
    assert all(name in refusal["suggestion"] for name in names)


async def test_a_client_that_can_be_asked_is_asked_which_workspace_is_meant(
    make_workspace: MakeWorkspace, make_reader: MakeReader, tmp_path: Path
) -> None:
    (tmp_path / "a.kt").write_text("class A")
    row, _ = make_reader()
    names = sorted(make_workspace(tmp_path, keys=(row,)) for _ in range(2))
    caller = Caller(name="k", scopes=frozenset({"devassist:read"}), owner_id=row.owner_id, key_id=row.pk)

    call = CallContext(caller=caller, request_id="r", transport="mcp")

    def channel(**options: Any) -> RetriedCall:
        return RetriedCall(capabilities={"elicitation": {}}, call=call, **options)

    with pytest.raises(InputRequired) as asked:
        await workspace_of_file(channel(), path="a.kt", named=None)
    answers = {"workspace": {"action": "accept", "content": {"choice": names[1]}}}
    picked = await workspace_of_file(channel(answers=answers), path="a.kt", named=None)

    schema = asked.value.client_requests["workspace"].params["requestedSchema"]
    assert schema["properties"]["choice"]["enum"] == names
    assert picked.name == names[1]


@pytest.mark.parametrize("root", ["projects/shop", "/", "/proc/self", "/etc", "/missing-at-all", "/dev", "/tmp/\0"])
def test_some_folders_cannot_be_a_root(root: str) -> None:
    assert problem_of_root(root)


def test_a_link_to_the_system_cannot_be_a_root(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/proc")

    assert problem_of_root(str(tmp_path / "link"))
    assert problem_of_root(str(tmp_path)) == ""
