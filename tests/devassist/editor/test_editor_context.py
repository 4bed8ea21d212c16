"""Pushing an editor's state, and asking for it, over REST."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from django.contrib.auth.models import User
from django.db import connection

from devassist.editor.load import SAMPLE, ensure_sample_state
from devassist.ingest.samples import SAMPLE_ROOT
from devassist.models import EditorState
from tests.devassist.web.conftest import change
from toolbox.access import keys
from toolbox.audit.log import audit
from toolbox.contract.caller import LOCAL_OPERATOR, Caller
from toolbox.database import event_loop
from toolbox.dispatch.dispatch import Call, dispatch
from toolbox.models import ApiKey, ToolCall

PUSH = "/api/devassist/editor-context"
ASK = "/api/tools/devassist/get_user_error_context"
EDITH_KEY = "tr_edith_has_an_editor_of_her_own_and_pushes"
STATE: dict[str, Any] = {
    "activeFile": "app\\src\\Main.kt",
    "cursorPosition": {"line": 3, "character": 7},
    "selectedText": 'val apiKey = "s3cret"',
    "diagnostics": [
        {"severity": "error", "message": "Unresolved reference", "line": 3, "column": 7, "source": "kotlin"}
    ],
    "workspace": "trailnotes",
}
TERMINAL = {"terminalOutput": "\n".join(f"line {number}" for number in range(60)) + "\n\x1b[31mtoken=s3cret\x1b[0m\n"}


@pytest.fixture
def edith(cast: object, django_db_blocker: Any) -> Iterator[dict[str, str]]:
    """Yield the authorization header of a user with an editor; the user and her data are deleted afterwards."""
    with django_db_blocker.unblock():
        keys.forget()
        owner = User.objects.create_user("edith")
        row, _ = ApiKey.make(
            name="edith", owner_id=owner.pk, scopes=["devassist:read", "devassist:write"], key=EDITH_KEY
        )
        yield {"Authorization": f"Bearer {EDITH_KEY}"}
        event_loop.run(audit.flush())
        ToolCall.objects.filter(key_id=row.pk).delete()
        owner.delete()
        connection.close()


async def _ask(client: httpx.AsyncClient, edith: dict[str, str], **ask: bool) -> dict[str, Any]:
    body: dict[str, Any] = (await client.post(ASK, json=ask, headers=edith)).json()
    told: dict[str, Any] = body.get("data") or body["error"]
    return told


async def test_what_an_editor_pushes_is_told_with_secrets_masked(
    fast_client: httpx.AsyncClient, edith: dict[str, str]
) -> None:
    pushed = await fast_client.put(PUSH, json=STATE | TERMINAL, headers=edith)

    told = await _ask(fast_client, edith, captureTerminal=True)

    assert pushed.json() == {"success": True, "data": {"kept": ["editor", "terminal"], "seconds": 900}}
    assert told["activeFile"] == "app/src/Main.kt"
    assert told["cursorPosition"] == {"line": 3, "character": 7}
    assert told["selectedText"] == 'val apiKey = "[redacted]"'
    assert told["diagnostics"] == STATE["diagnostics"]
    assert told["terminalOutput"].split("\n") == [f"line {number}" for number in range(11, 60)] + ["token=[redacted]"]
    assert told["workspace"] == "trailnotes"
    assert told["ageSeconds"] in range(120)
    assert "isSample" not in told


async def test_only_what_is_asked_for_is_told(fast_client: httpx.AsyncClient, edith: dict[str, str]) -> None:
    await fast_client.put(PUSH, json=STATE | TERMINAL, headers=edith)

    by_default = await _ask(fast_client, edith)
    bare = await _ask(fast_client, edith, captureSelection=False, captureDiagnostics=False)

    assert "terminalOutput" not in by_default
    assert "selectedText" not in bare
    assert bare["diagnostics"] == []


async def test_a_terminal_s_push_leaves_the_editor_s_part_and_the_other_way_round(
    fast_client: httpx.AsyncClient, edith: dict[str, str]
) -> None:
    await fast_client.put(PUSH, json=TERMINAL, headers=edith)
    alone = await _ask(fast_client, edith)
    terminal = await _ask(fast_client, edith, captureTerminal=True)
    await fast_client.put(PUSH, json=STATE, headers=edith)
    await fast_client.put(PUSH, json={"activeFile": "b.kt"}, headers=edith)

    both = await _ask(fast_client, edith, captureTerminal=True)

    assert (alone["code"], alone["details"]["retryWith"]) == ("NO_ACTIVE_EDITOR", {"captureTerminal": True})
    assert (terminal["activeFile"], terminal["cursorPosition"]["line"]) == ("", 0)
    assert (both["activeFile"], both["diagnostics"]) == ("b.kt", [])  # an editor's part is replaced as a whole
    assert both["terminalOutput"].startswith("line 11")


async def test_a_window_clears_and_forgets_only_what_it_pushed(
    fast_client: httpx.AsyncClient, edith: dict[str, str]
) -> None:
    await fast_client.put(PUSH, json=STATE | {"window": "one"}, headers=edith)

    await fast_client.put(PUSH, json={"window": "two", "activeFile": None}, headers=edith)
    await fast_client.delete(f"{PUSH}?window=two", headers=edith)
    others = await _ask(fast_client, edith)
    cleared = await fast_client.put(PUSH, json={"window": "one", "activeFile": None} | TERMINAL, headers=edith)
    own = await _ask(fast_client, edith)
    await fast_client.put(PUSH, json=STATE | {"window": "one"}, headers=edith)
    await fast_client.delete(f"{PUSH}?window=one", headers=edith)
    closed = await _ask(fast_client, edith)

    assert others["activeFile"] == "app/src/Main.kt"
    assert cleared.json()["data"]["kept"] == ["terminal"]
    assert own["code"] == closed["code"] == "NO_ACTIVE_EDITOR"


async def test_what_is_over_is_not_told_and_goes_with_the_next_push(
    fast_client: httpx.AsyncClient, edith: dict[str, str], django_db_blocker: Any
) -> None:
    await fast_client.put(PUSH, json=STATE, headers=edith)
    over = "UPDATE devassist_editor_states SET kept_until = now() - interval '1 second' WHERE kept_until IS NOT NULL"
    change(over)

    gone = await _ask(fast_client, edith)
    await fast_client.put(PUSH, json=TERMINAL, headers=edith)

    assert gone["code"] == "NO_ACTIVE_EDITOR"
    assert await EditorState.objects.filter(owner__username="edith").acount() == 1


async def test_no_diagnostics_is_said_where_they_alone_were_asked_for(
    fast_client: httpx.AsyncClient, edith: dict[str, str]
) -> None:
    await fast_client.put(PUSH, json=STATE | {"diagnostics": []}, headers=edith)

    alone = await _ask(fast_client, edith, captureSelection=False)
    beside = await _ask(fast_client, edith)

    assert alone["code"] == "NO_DIAGNOSTICS"
    assert beside["diagnostics"] == []


async def test_nobody_sees_another_s_editor_but_whoever_runs_the_machine(
    fast_client: httpx.AsyncClient, edith: dict[str, str]
) -> None:
    await fast_client.put(PUSH, json=STATE, headers=edith)

    alice = (await fast_client.post(ASK, json={})).json()["data"]
    operator = await _ask_context(LOCAL_OPERATOR)
    conversation = await _ask_context(Caller(name="a conversation", scopes=LOCAL_OPERATOR.scopes, owner_id=2**40))
    await fast_client.delete(PUSH, headers=edith)
    afterwards = await _ask_context(LOCAL_OPERATOR)

    assert alice["isSample"] is True  # her own: the example that ships
    assert operator["data"]["activeFile"] == "app/src/Main.kt"
    assert conversation["error"]["code"] == "NO_ACTIVE_EDITOR"
    assert afterwards["data"]["isSample"] is True
    assert (await _ask(fast_client, edith))["code"] == "NO_ACTIVE_EDITOR"


async def _ask_context(caller: Caller) -> dict[str, Any]:
    call = Call(
        tool="get_user_error_context", arguments=b"{}", credential=caller, transport="mcp", request_id="12345678"
    )
    body: dict[str, Any] = json.loads((await dispatch(call)).body)
    return body


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (b"", (400, "INVALID_PARAMETERS", "activeFile")),
        (b"{", (400, "INVALID_PARAMETERS", None)),
        (b"[1]", (400, "INVALID_PARAMETERS", None)),
        (b"\xff\xfe", (400, "INVALID_PARAMETERS", None)),
        (b'{"activeFile": "a.kt", "cursorPosition": {"line": 0}}', (400, "INVALID_PARAMETERS", "cursorPosition.line")),
        (b'{"activeFile": "../a.kt"}', (400, "INVALID_PARAMETERS", "activeFile")),
        (b'{"activeFile": "/etc/passwd"}', (400, "INVALID_PARAMETERS", "activeFile")),
        (b'{"activeFile": "C:\\\\a.kt"}', (400, "INVALID_PARAMETERS", "activeFile")),
        (b'{"activeFile": "a\\u0000.kt"}', (400, "INVALID_PARAMETERS", "activeFile")),
        (b'{"activeFile": "a.kt", "colour": 1}', (400, "INVALID_PARAMETERS", "colour")),
        (b'{"activeFile": "a.kt", "selectedText": "\\ud800"}', (400, "INVALID_PARAMETERS", None)),
        (b'{"activeFile": "app/local.properties", "selectedText": "x"}', (403, "PERMISSION_DENIED", "activeFile")),
        (b'{"terminalOutput": "' + b"x" * 300_000 + b'"}', (413, "TOO_LARGE", None)),
        (b'{"terminalOutput": "' + b"x" * 4_000_000 + b'"}', (413, "TOO_LARGE", None)),
    ],
)  # fmt: skip
async def test_a_bad_push_is_refused_plainly(
    fast_client: httpx.AsyncClient, edith: dict[str, str], sent: bytes, said: tuple[int, str, str | None]
) -> None:
    refused = await fast_client.put(PUSH, content=sent, headers=edith)

    error = refused.json()["error"]
    field = error.get("details", {}).get("field")
    assert (refused.status_code, error["code"], field) == said
    assert (await _ask(fast_client, edith))["code"] == "NO_ACTIVE_EDITOR"


async def test_odd_text_is_kept_without_harm(fast_client: httpx.AsyncClient, edith: dict[str, str]) -> None:
    odd = {"activeFile": "ä/日本.kt", "selectedText": "a\0b\u202e", "terminalOutput": "\0\x1b]0;x"}

    assert (await fast_client.put(PUSH, json=odd, headers=edith)).status_code == 200
    told = await _ask(fast_client, edith, captureTerminal=True)

    assert (told["activeFile"], told["selectedText"]) == ("ä/日本.kt", "ab\u202e")


async def test_a_push_needs_a_key_that_writes_and_leaves_no_content_in_the_audit(
    fast_client: httpx.AsyncClient, edith: dict[str, str], cast: Any
) -> None:
    nobody = await fast_client.put(PUSH, json=STATE, headers={"Authorization": ""})
    reader = await fast_client.put(PUSH, json=STATE, headers={"Authorization": f"Bearer {cast.bob}"})
    await fast_client.put(PUSH, json=STATE, headers=edith)
    event_loop.run(audit.flush())

    call = await ToolCall.objects.filter(tool="push_editor_context", caller="edith").alatest("id")
    assert (nobody.status_code, reader.status_code) == (401, 403)
    assert call.outcome == "answered"
    assert set(json.loads(call.arguments)) == {"bytes"}


def test_the_shipped_example_fits_the_sample_project() -> None:
    state = json.loads(SAMPLE.read_text())
    lines = (SAMPLE_ROOT / state["activeFile"]).read_text().splitlines()

    assert lines[state["cursorPosition"]["line"] - 1].strip() == state["selectedText"]
    assert lines[20 - 1].strip() == "private val binding get() = _binding!!"  # the first own frame
    assert lines[51 - 1].strip() == "showNotes(notes)"
    for number in (20, 56, 51):
        assert f"(NoteListFragment.kt:{number})" in state["terminalOutput"]
    assert len(state["terminalOutput"].splitlines()) <= 50


@pytest.mark.django_db
def test_the_example_gives_way_and_is_not_brought_back() -> None:
    owner = User.objects.create_user("emil")

    assert ensure_sample_state("emil") is True
    assert ensure_sample_state("emil") is False
    terminal = EditorState.objects.get(owner=owner, part="terminal").content["terminalOutput"]
    assert terminal == json.loads(SAMPLE.read_text())["terminalOutput"]  # nothing in it looks like a secret
