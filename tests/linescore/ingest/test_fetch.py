"""The wire: polite, patient, and not for ever. A real server on a real socket; only the waiting is pretended."""

import socket
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from linescore.ingest.fetch import NoAnswer, Wire
from tests.linescore.ingest.conftest import Answer, LocalApi


class Clock:
    """A clock that moves only when someone waits."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waits: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds

    def read(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def wire(api: LocalApi, clock: Clock) -> Wire:
    return Wire(base_url=api.address, requests_a_second=1e9, sleep=clock.sleep, clock=clock.read)


def test_a_document_is_given_as_it_came(api: LocalApi, wire: Wire) -> None:
    api.says("/v1/x", b"{}")

    with wire:
        assert wire.get("/v1/x") == b"{}"


def test_after_a_429_it_waits_as_long_as_it_is_told_then_succeeds(api: LocalApi, wire: Wire, clock: Clock) -> None:
    api.says("/v1/x", Answer(status=429, headers={"Retry-After": "7"}), b"{}")

    with wire:
        assert wire.get("/v1/x") == b"{}"
    assert clock.waits == [7.0]


def test_retry_after_may_be_a_time_of_day(api: LocalApi, wire: Wire, clock: Clock) -> None:
    at = format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)
    api.says("/v1/x", Answer(status=503, headers={"Retry-After": at}), b"{}")

    with wire:
        wire.get("/v1/x")

    assert clock.waits == [pytest.approx(58, abs=5)]


def test_a_server_that_fails_is_asked_again_more_and_more_slowly_then_given_up(
    api: LocalApi, wire: Wire, clock: Clock
) -> None:
    api.says("/v1/x", Answer(status=500))

    with wire, pytest.raises(NoAnswer, match="HTTP 500, 5 times"):
        wire.get("/v1/x")

    assert clock.waits == [1.0, 2.0, 4.0, 8.0]
    assert len(api.asked) == 5


def test_a_page_that_is_not_there_is_not_asked_for_again(api: LocalApi, wire: Wire) -> None:
    with wire, pytest.raises(NoAnswer, match="HTTP 404"):
        wire.get("/v1/x")

    assert len(api.asked) == 1


def test_it_does_not_wait_an_hour(api: LocalApi, wire: Wire, clock: Clock) -> None:
    api.says("/v1/x", Answer(status=429, headers={"Retry-After": "3600"}))

    with wire, pytest.raises(NoAnswer, match="not to be asked again for 3600 s"):
        wire.get("/v1/x")

    assert clock.waits == []


@pytest.mark.parametrize("said", ["soon", "", "9" * 30, "-1"])
def test_a_retry_after_that_means_nothing_is_ignored(api: LocalApi, wire: Wire, clock: Clock, said: str) -> None:
    api.says("/v1/x", Answer(status=429, headers={"Retry-After": said}), b"{}")

    with wire:
        wire.get("/v1/x")

    assert clock.waits == [1.0]


def test_a_server_that_is_not_there_is_given_up_with_a_sentence(clock: Clock) -> None:
    with socket.socket() as probe:  # it holds the port and listens to nobody
        probe.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{probe.getsockname()[1]}"
        wire = Wire(base_url=address, requests_a_second=1e9, sleep=clock.sleep, clock=clock.read)

        with wire, pytest.raises(NoAnswer, match="ConnectError"):
            wire.get("/v1/x")


def test_a_server_that_does_not_answer_times_out_and_is_given_up(clock: Clock) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        wire = Wire(base_url=f"http://127.0.0.1:{silent.getsockname()[1]}", timeout_seconds=0.05, sleep=clock.sleep)

        with wire, pytest.raises(NoAnswer, match="ReadTimeout"):
            wire.get("/v1/x")


def test_requests_are_spaced(api: LocalApi, clock: Clock) -> None:
    api.says("/v1/x", b"{}")

    with Wire(base_url=api.address, requests_a_second=4, sleep=clock.sleep, clock=clock.read) as wire:
        for _ in range(3):
            wire.get("/v1/x")

    assert clock.waits == [0.25, 0.25]


def test_a_body_without_end_is_cut_off(api: LocalApi, wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("linescore.ingest.fetch.MAX_BODY_BYTES", 1000)
    api.says("/v1/x", b"x" * 1001)

    with wire, pytest.raises(NoAnswer, match="an answer over"):
        wire.get("/v1/x")
