"""`diagnose` over REST, and the walk from the crash of the shipped app to its validated root cause."""

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from devassist.diagnosis import diagnose
from tests.devassist.conftest import MakeWorkspace
from tests.devassist.diagnosis.test_history import _git
from toolbox.embedding.embedder import embedder
from toolbox.embedding.failures import EmbeddingFailed

REST = "/api/tools/devassist/"
SAMPLES = Path(__file__).parents[3] / "devassist" / "samples"
CRASH = (SAMPLES / "crash.txt").read_text()
FRAGMENT = "app/src/main/kotlin/com/example/trailnotes/ui/NoteListFragment.kt"
TOKEN = "gh" + "p_A1b2C3d4E5f6G7h8J9k0L1m2N3p4Q5r6" + "S7t8"


async def _call(client: httpx.AsyncClient, tool: str, **arguments: Any) -> dict[str, Any]:
    answer = await client.post(f"{REST}{tool}", json=arguments)
    assert answer.status_code == 200, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


async def test_the_walk_from_the_crash_to_the_validated_root_cause(fast_client: httpx.AsyncClient) -> None:
    """The README tells this walk. What it must find is in the sample's own README: where the bug is, and its cause."""
    found = await _call(fast_client, "diagnose", trace=CRASH)

    places = [(frame["filePath"], frame["line"], frame["code"]["function"]) for frame in found["frames"]]
    assert places == [
        (FRAGMENT, 20, "NoteListFragment.binding"),
        (FRAGMENT, 56, "NoteListFragment.showNotes"),
        (FRAGMENT, 51, "NoteListFragment.refresh"),
    ]
    assert [one["callerName"] for one in found["frames"][1]["callers"]["callers"]] == ["NoteListFragment.refresh"]
    assert found["frames"][1]["callers"]["callers"][0]["isInTrace"]
    cause = found["similar"]["causes"][0]
    assert cause["id"] == "android-binding-after-destroy-view"
    assert len(found["nextChecks"]) == 3
    # The cause holds in the code: the first check leads to the file, where work outlives the view.
    check = found["nextChecks"][0]
    assert cause["id"] in check["check"]
    read = await _call(fast_client, check["source"]["tool"], **check["source"]["arguments"])
    assert "        lifecycleScope.launch {" in read["content"].split("\n")
    assert "viewLifecycleOwner" in cause["solution"]
    # A person stands by the cause.
    past = await _call(fast_client, found["similar"]["source"]["tool"], **found["similar"]["source"]["arguments"])
    assert (past["results"][0]["id"], past["results"][0]["userValidated"]) == (cause["id"], True)


async def test_every_part_can_be_called_again_with_the_arguments_it_names(fast_client: httpx.AsyncClient) -> None:
    found = await _call(fast_client, "diagnose", trace=CRASH)

    def sources(part: Any) -> list[dict[str, Any]]:
        if isinstance(part, list):
            return [source for one in part for source in sources(one)]
        if not isinstance(part, dict):
            return []
        own = [part["source"]] if "source" in part else []
        return own + [source for one in part.values() for source in sources(one)]

    named = sources(found)
    assert {one["tool"] for one in named} >= {"get_code_context", "find_callers_of_function", "vector_search_db"}
    for one in named:
        arguments = one["arguments"] | ({"syntactic": True} if one["tool"] == "find_callers_of_function" else {})
        await _call(fast_client, one["tool"], **arguments)


async def test_what_a_limit_left_out_is_unknown(fast_client: httpx.AsyncClient) -> None:
    lines = "".join(f'  File "/srv/shop/own_{number}.py", line 1, in f{number}\n    go()\n' for number in range(8))
    trace = f"Traceback (most recent call last):\n{lines}ValueError: {'x' * 2_000}\n"

    found = await _call(fast_client, "diagnose", trace=trace + " " * 200_000)

    assert len(found["frames"]) == 6
    said = " ".join(found["unknown"])
    assert "There are 8 own frames; 6 were looked at." in said
    assert "Messages were cut to 1,000 characters." in said
    assert "Only the first and last 100,000 characters were read." in said


async def test_without_a_trace_the_editor_is_read(fast_client: httpx.AsyncClient) -> None:
    seen = await _call(fast_client, "diagnose")
    pasted = await _call(fast_client, "diagnose", trace=CRASH)

    assert seen["readFrom"] == "editor"
    assert seen["fingerprint"] == pasted["fingerprint"]


async def test_secrets_of_a_trace_are_neither_given_back_nor_searched_for(
    fast_client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedded: list[str] = []
    embed = embedder.embed

    def note(texts: list[str]) -> Any:
        embedded.extend(texts)
        return embed(texts)

    monkeypatch.setattr(embedder, "embed", note)
    trace = f"java.lang.IllegalStateException: login with {TOKEN} password=hunter2-x failed\n\tat a.b.C.d(C.kt:1)\n"

    answer = await fast_client.post(f"{REST}diagnose", json={"trace": trace})

    assert answer.status_code == 200
    for secret in (TOKEN[:12], "hunter2"):
        assert secret not in answer.text
        assert secret not in " ".join(embedded)
    assert embedded


@pytest.mark.parametrize("most", [1_000, 1_500])
async def test_an_answer_keeps_its_budget_or_says_what_it_left_out(fast_client: httpx.AsyncClient, most: int) -> None:
    whole = await _call(fast_client, "diagnose", trace=CRASH, maxTokens=20_000)
    found = await _call(fast_client, "diagnose", trace=CRASH, maxTokens=most)

    assert "leftOut" not in whole
    assert len(json.dumps(found)) < len(json.dumps(whole))
    assert found["leftOut"]
    assert len(json.dumps(found, separators=(",", ":"))) / 4 <= most
    assert found["fingerprint"] == whole["fingerprint"]


async def test_a_trace_of_long_messages_keeps_its_budget(fast_client: httpx.AsyncClient) -> None:
    causes = [
        f"Caused by: a.b.E{number}Exception: {'word ' * 400}\n\tat a.b{'b' * 300}.C.d(C.kt:1)" for number in range(60)
    ]
    trace = "java.lang.IllegalStateException: first\n\tat a.b.C.d(C.kt:1)\n" + "\n".join(causes)

    found = await _call(fast_client, "diagnose", trace=trace, maxTokens=1_000)

    assert len(json.dumps(found, separators=(",", ":"))) / 4 <= 1_000


async def test_history_and_ambiguity_come_with_their_reasons(
    fast_client: httpx.AsyncClient, make_workspace: MakeWorkspace, tmp_path: Path
) -> None:
    root = tmp_path / "root"
    (root / "shop").mkdir(parents=True)
    _git(root, "init", "-q")
    (root / "shop" / "till.py").write_text("def ring(item):\n    return item.price\n\n\ndef day():\n    ring(None)\n")
    _git(root, "add", ".")
    _git(root, "commit", "-qm", "A till")
    for name in ("a", "b"):
        (root / name).mkdir()
        (root / name / "twin.py").write_text("def go():\n    day()\n")
    workspace = make_workspace(root, is_open=True)
    trace = (
        'Traceback (most recent call last):\n  File "/app/twin.py", line 2, in go\n    day()\n'
        '  File "/app/shop/till.py", line 6, in day\n    ring(None)\n'
        '  File "/app/shop/till.py", line 2, in ring\n    return item.price\n'
        "AttributeError: 'NoneType' object has no attribute 'price'\n"
    )

    found = await _call(fast_client, "diagnose", trace=trace, workspace=workspace)

    ring, day, twin = found["frames"]
    assert (ring["filePath"], ring["line"], ring["history"]["blamed"]["subject"]) == ("shop/till.py", 2, "A till")
    assert [one["callerName"] for one in ring["callers"]["callers"]] == ["day"]
    assert day["code"]["function"] == "day"
    assert "filePath" not in twin
    assert {one["filePath"] for one in twin["candidates"]} == {"a/twin.py", "b/twin.py"}
    assert any("1 of 3 own frames" in one for one in found["unknown"])
    assert found["proposal"]["errorType"] == "AttributeError"


async def test_without_the_model_past_errors_are_found_by_words(
    fast_client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def raise_missing(_: object) -> None:
        raise EmbeddingFailed("no model")

    monkeypatch.setattr(embedder, "embed", raise_missing)
    trace = (
        "kotlin.UninitializedPropertyAccessException: lateinit property adapter has not been initialized\n"
        "\tat com.example.trailnotes.ui.NoteListFragment.showNotes(NoteListFragment.kt:56)\n"
    )

    found = await _call(fast_client, "diagnose", trace=trace)

    assert found["similar"]["causes"][0]["id"] == "kotlin-lateinit-not-initialized"
    assert found["similar"]["causes"][0]["why"].startswith("By words alone.")
    assert found["similar"]["source"]["arguments"]["mode"] == "words"


async def test_a_model_that_is_late_is_not_waited_for_and_nothing_is_said_to_be_unknown_that_was_not_asked(
    fast_client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(_: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(embedder, "embed_text", never)
    monkeypatch.setattr(diagnose, "MEANING_SECONDS", 0.01)
    by_words = await _call(fast_client, "diagnose", trace=CRASH)
    monkeypatch.setattr(diagnose, "PART_SECONDS", 0.0)
    late = await _call(fast_client, "diagnose", trace=CRASH)

    assert by_words["similar"]["causes"][0]["why"].startswith("By words alone.")
    assert "similar" not in late
    assert [one for one in late["unknown"] if one.startswith("Past root causes")] == [
        "Past root causes: took longer than 0 s."
    ]
    assert not [one for one in late["unknown"] if "none is like" in one]


async def test_what_is_no_trace_is_refused_with_what_to_do(fast_client: httpx.AsyncClient) -> None:
    error = (await fast_client.post(f"{REST}diagnose", json={"trace": "it does not work"})).json()["error"]

    assert (error["code"], error["details"]["field"]) == ("INVALID_PARAMETERS", "trace")
    assert "vector_search_db" in error["suggestion"]
