"""What becomes of a question when the language server hangs, crashes, lies, floods, grows or answers late."""

import asyncio
import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from devassist.callers import client
from devassist.callers.caller_search import FoundCallers
from devassist.callers.languages import NoCommand
from devassist.callers.servers import NotNow
from devassist.callers.session import Patience
from tests.devassist.callers.conftest import Ask, Asker, fake, lives

RING, DAY = ("ring", 5, 1), ("day", 9, 2)
HASTY = Patience(start_seconds=30, answer_seconds=0.5)


async def test_a_good_one_is_asked_once_and_stays(shop: Path, asker: Ask) -> None:
    ask = asker(shop, server=fake("none"))

    assert await ask.ask_whole() == {RING, DAY}
    first = [session.process_id for session in ask.caller_search.servers.list_running()]
    assert await ask.ask_whole(depth=3) == {RING, DAY}
    assert [session.process_id for session in ask.caller_search.servers.list_running()] == first


@pytest.mark.parametrize("fault", ["references-only", "not-there-at-first", "complains", "asks"])
async def test_what_can_be_borne_is(fault: str, shop: Path, asker: Ask) -> None:
    assert await asker(shop, server=fake(fault)).ask_whole() == {RING, DAY}


async def test_a_reference_is_labelled_as_one(shop: Path, asker: Ask) -> None:
    found = await asker(shop, server=fake("references-only"))()

    assert {caller.found_by.value for caller in found.callers} == {"reference"}


@pytest.mark.parametrize("fault", ["hang", "crash", "grows"])
async def test_one_that_fails_once_is_started_again_within_the_question(
    fault: str, shop: Path, tmp_path: Path, asker: Ask
) -> None:
    ask = asker(shop, server=fake(fault, mark=tmp_path / "mark", most_megabytes=150), patience=_patience(fault))

    assert await ask.ask_whole() == {RING, DAY}


@pytest.mark.parametrize("fault", ["crash", "garbage", "huge", "flood"])
async def test_one_that_fails_each_time_is_said_to_and_then_left_alone(
    fault: str, shop: Path, asker: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "MAX_BYTES_BETWEEN_ANSWERS", 3_000_000)
    ask = asker(shop, server=fake(fault))

    with pytest.raises(NotNow):
        await _until_refused(ask)


@pytest.mark.parametrize("fault", ["error", "lie"])
async def test_an_answer_that_is_none_is_no_proof_of_no_callers(fault: str, shop: Path, asker: Ask) -> None:
    found = await asker(shop, server=fake(fault))()

    _says_that_it_does_not_know(found)


async def test_places_outside_of_the_workspace_and_of_its_files_are_left_out(shop: Path, asker: Ask) -> None:
    found = await asker(shop, server=fake("lie-outside"))()

    assert {caller.path for caller in found.callers} <= {"shop.py"}


@pytest.mark.parametrize("fault", ["hang-at-start", "indexing", "hang"])
async def test_who_cannot_wait_is_told_so_and_when_it_goes_on(fault: str, shop: Path, asker: Ask) -> None:
    ask = asker(shop, server=fake(fault))

    found = await ask(seconds=0.6)

    _says_that_it_does_not_know(found)
    assert "ask again" in (found.reason or "")


async def test_what_was_begun_is_ready_for_who_asks_again(shop: Path, asker: Ask) -> None:
    ask = asker(shop, server=fake("none"))

    first = await ask(seconds=0)

    assert first.reason
    assert await ask.ask_whole() == {RING, DAY}


async def test_what_was_found_is_kept_until_a_file_changes(shop: Path, asker: Ask) -> None:
    ask = asker(shop, server=fake("none"))
    await ask(seconds=0)
    whole = await ask()
    await ask.caller_search.servers.close()

    kept = await ask(seconds=0)

    assert (kept.callers, kept.reason) == (whole.callers, None)
    assert ask.caller_search.servers.list_running() == []
    (shop / "till.py").write_text("from shop import price\n\n\ndef chime(item):\n    return price(item)\n")
    assert await ask.ask_whole() == {("chime", 5, 1)}


async def test_a_question_goes_on_when_its_asker_has_left(shop: Path, asker: Ask) -> None:
    ask = asker(shop, server=fake("none"))
    with suppress(TimeoutError):
        await asyncio.wait_for(ask(), timeout=0.02)

    await asyncio.wait({kept.task for kept in ask.caller_search._kept.values()})

    assert (await ask(seconds=0)).reason is None


async def test_a_late_answer_reaches_nobody(shop: Path, asker: Ask) -> None:
    (shop / "late.py").write_text("def wrong():\n    pass\n")
    ask = asker(shop, server=fake("late"), patience=HASTY)

    found = await ask()

    assert "late.py" not in {caller.path for caller in found.callers}


async def test_a_crash_at_the_start_is_said_and_not_repeated_for_ever(shop: Path, asker: Ask) -> None:
    ask = asker(shop, server=fake("crash-at-start"))

    with pytest.raises(NotNow) as failing:
        await _until_refused(ask)

    assert failing.value.seconds > 1


async def test_a_command_that_is_not_there(shop: Path, asker: Ask) -> None:
    with pytest.raises(NoCommand, match="no-such-server"):
        await asker(shop, server=fake("none", command=("no-such-server",)))()


async def test_killed_while_it_answers(shop: Path, asker: Ask) -> None:
    ask = asker(shop, server=fake("hang"))
    await ask(seconds=1)
    _kill(ask)

    assert (await ask(seconds=1)).reason


async def test_killed_at_rest(shop: Path, asker: Ask) -> None:
    ask = asker(shop, server=fake("none"))
    await ask.ask_whole()
    _kill(ask)

    assert await ask.ask_whole(depth=3) == {RING, DAY}


async def test_many_questions_at_once_start_one_server(shop: Path, asker: Ask) -> None:
    ask = asker(shop, server=fake("none"))

    await asyncio.gather(*(ask("ring", path="till.py", depth=depth) for depth in range(1, 6)))

    assert len(ask.caller_search.servers.list_running()) == 1


async def test_one_that_nobody_asks_ends(shop: Path, asker: Ask) -> None:
    ask = asker(shop, server=fake("none"))
    await ask.ask_whole()
    process = ask.caller_search.servers.list_running()[0].process_id
    assert process

    ask.caller_search.servers.clock = lambda: float("inf")
    await ask.caller_search.servers.tidy()

    assert not lives(process)


async def test_what_a_server_started_ends_with_it(shop: Path, tmp_path: Path, asker: Ask) -> None:
    mark = tmp_path / "child"
    ask = asker(shop, server=fake("child", mark=mark))
    await ask.ask_whole()
    child = int(mark.read_text())
    assert lives(child)

    await ask.caller_search.close()

    assert not lives(child)


async def test_a_new_call_is_seen_by_the_next_question(shop: Path, asker: Ask) -> None:
    ask = asker(shop, server=fake("none"))
    await ask.ask_whole()

    (shop / "new.py").write_text("from shop import price\n\n\ndef fresh():\n    price(2)\n")

    assert ("fresh", 5, 1) in await ask.ask_whole()


async def test_a_file_that_names_it_and_does_not_parse_makes_the_answer_incomplete(shop: Path, asker: Ask) -> None:
    (shop / "broken.py").write_text("def half(:\n    price(\n")
    (shop / "other.py").write_text("def other(:\n")

    found = await asker(shop, server=fake("none"))()

    assert found.reason is not None
    assert "broken.py" in found.reason
    assert "other.py" not in found.reason


async def _until_refused(ask: Asker) -> None:
    for _ in range(4):
        _says_that_it_does_not_know(await ask())


def _says_that_it_does_not_know(found: FoundCallers) -> None:
    assert found.callers == []
    assert found.reason is not None


def _kill(ask: Asker) -> None:
    for session in ask.caller_search.servers.list_running():
        assert session.process_id
        os.killpg(session.process_id, signal.SIGKILL)


def _patience(fault: str) -> Patience:
    return HASTY if fault == "hang" else Patience()
