"""The wire to other servers: whatever they do, there is an answer or a WebFailure, in time."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpcore
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from tests.bad_upstream import GOOD, BadUpstream, bad_upstream
from toolbox.outbound.failures import (
    AddressRefused,
    AnswerTooLarge,
    DeadlineExceeded,
    InvalidAnswer,
    Redirected,
    TlsFailed,
    Unreachable,
    WebFailure,
)
from toolbox.outbound.host_pools import MAX_CONNECTIONS, MAX_POOLS, get_tls_context, may_connect
from toolbox.outbound.web import Destination, Web


@pytest.fixture(scope="module")
def upstream() -> Iterator[BadUpstream]:
    """Run a server that misbehaves on demand."""
    with bad_upstream() as running:
        yield running


@pytest.fixture
async def web() -> Any:
    """Yield a client with connections of its own."""
    client = Web()
    yield client
    from toolbox.database import event_loop

    await event_loop.run_on_loop(client.close)


def _to(upstream: BadUpstream, path: str, **options: Any) -> Destination:
    usual: dict[str, Any] = {"is_local": True, "timeout_seconds": 5.0, "most_bytes": 100_000}
    return Destination(url=upstream.url(path), **usual | options)


@pytest.mark.parametrize("path", ["good", "gzip", "deflate", "redirect-same"])
async def test_an_answer_comes_unpacked_and_whole(upstream: BadUpstream, web: Web, path: str) -> None:
    answer = await web.post(_to(upstream, path), body=b"{}")

    assert (answer.status, answer.body) == (200, GOOD)


@pytest.mark.parametrize(
    ("path", "failure"),
    [
        ("brotli", InvalidAnswer),
        ("torn-gzip", InvalidAnswer),
        ("not-gzip", InvalidAnswer),
        ("gzip-bomb", AnswerTooLarge),
        ("large", AnswerTooLarge),
        ("endless", AnswerTooLarge),
        ("half-answer", InvalidAnswer),
        ("no-http", InvalidAnswer),
        ("nothing", InvalidAnswer),
        ("endless-headers", InvalidAnswer),
        ("redirect-303", Redirected),
        ("redirect-loop", Redirected),
    ],
)
async def test_a_misbehaviour_is_named_in_time(
    upstream: BadUpstream, web: Web, path: str, failure: type[WebFailure]
) -> None:
    with pytest.raises(failure):
        await web.post(_to(upstream, path), body=b"{}")


@pytest.mark.parametrize("path", ["silence", "drip"])
async def test_an_answer_that_does_not_end_is_overdue(upstream: BadUpstream, web: Web, path: str) -> None:
    with pytest.raises(DeadlineExceeded):
        await web.post(_to(upstream, path, timeout_seconds=0.3), body=b"{}")


async def test_a_redirect_to_another_host_is_not_followed(upstream: BadUpstream, web: Web) -> None:
    with bad_upstream() as other:
        upstream.elsewhere = other.url("good")

        with pytest.raises(Redirected):
            await web.post(_to(upstream, "redirect-away", headers={"Authorization": "Bearer secret"}), body=b"{}")

        assert other.asked == []


async def test_a_get_sends_its_parameters_and_follows_within_its_origin(upstream: BadUpstream, web: Web) -> None:
    answer = await web.get(_to(upstream, "redirect-303"), query={"q": "a b&c"})

    assert (answer.status, answer.body) == (200, GOOD)
    assert [one.path for one in upstream.asked[-2:]] == ["/redirect-303?q=a+b%26c", "/good"]
    with bad_upstream() as other:
        upstream.elsewhere = other.url("good")
        with pytest.raises(Redirected):
            await web.get(_to(upstream, "redirect-away"), query={})
        assert other.asked == []


async def test_a_port_where_nobody_listens_is_unreachable(web: Web) -> None:
    with bad_upstream() as gone:
        to = _to(gone, "good")

    with pytest.raises(Unreachable):
        await web.post(to, body=b"{}")


async def test_a_name_that_nobody_knows_is_unreachable() -> None:
    async def unknown(host: str, port: int) -> list[str]:
        raise Unreachable("its host name is not known")

    with pytest.raises(Unreachable):
        await Web(resolver=unknown).post(Destination(url="http://absent.invalid/"), body=b"{}")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0x7f.1", "2130706433", "[::1]", "[::ffff:127.0.0.1]"])
async def test_the_private_network_is_refused_however_it_is_written(upstream: BadUpstream, web: Web, host: str) -> None:
    before = len(upstream.asked)

    with pytest.raises((AddressRefused, Unreachable)):
        await web.post(Destination(url=upstream.url("good", host=host)), body=b"{}")

    assert len(upstream.asked) == before


async def test_a_name_that_points_elsewhere_the_second_time_is_resolved_once(upstream: BadUpstream) -> None:
    """DNS rebinding: first a public address, then this machine's. What was judged is what is connected to."""
    answers = iter([["203.0.113.1", "127.0.0.1"], ["127.0.0.1"]])
    before = upstream.connections

    async def resolve_again(host: str, port: int) -> list[str]:
        return next(answers)

    web = Web(resolver=resolve_again)
    for _ in range(2):
        with pytest.raises(AddressRefused):
            await web.post(Destination(url=upstream.url("good", host="rebind.example"), timeout_seconds=2), body=b"{}")

    assert upstream.connections == before


async def test_the_address_that_was_judged_is_the_one_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    connected = []

    async def connect(backend: Any, host: str, *rest: Any) -> Any:
        connected.append(host)
        raise httpcore.ConnectError("no network in tests")

    async def public(host: str, port: int) -> list[str]:
        return ["93.184.215.14"]

    monkeypatch.setattr(httpcore.AnyIOBackend, "connect_tcp", connect)

    with pytest.raises(Unreachable):
        await Web(resolver=public).post(Destination(url="http://stats.example/graphql"), body=b"{}")

    assert connected == ["93.184.215.14"]


@pytest.mark.parametrize(
    ("address", "judged"),
    [
        ("93.184.215.14", (True, True)),
        ("2606:2800:21f:cb07::1", (True, True)),
        ("127.0.0.1", (False, True)),
        ("10.1.2.3", (False, True)),
        ("192.168.0.1", (False, True)),
        ("100.64.0.1", (False, True)),
        ("::1", (False, True)),
        ("fd00::1", (False, True)),
        ("::ffff:10.0.0.1", (False, True)),
        ("64:ff9b::7f00:1", (False, True)),
        ("2002:7f00:1::", (False, True)),
        ("169.254.169.254", (False, False)),
        ("::ffff:169.254.169.254", (False, False)),
        ("fe80::1%eth0", (False, False)),
        ("0.0.0.0", (False, False)),
        ("224.0.0.1", (False, False)),
    ],
)
def test_where_requests_may_go(address: str, judged: tuple[bool, bool]) -> None:
    assert (may_connect(address, is_local=False), may_connect(address, is_local=True)) == judged


async def test_a_hundred_at_once_share_connections(upstream: BadUpstream, web: Web) -> None:
    before = upstream.connections
    patient = _to(upstream, "good", timeout_seconds=300)  # however slow the machine is: sharing is what is tested

    for _ in range(3):
        answers = await asyncio.gather(*(web.post(patient, body=b"{}") for _ in range(100)))
        assert {answer.body for answer in answers} == {GOOD}

    assert upstream.connections - before <= MAX_CONNECTIONS


@pytest.fixture
async def hanging_requests(upstream: BadUpstream, web: Web) -> AsyncIterator[None]:
    """Start more requests to one destination than it has places, none of which is answered."""
    upstream.asked.clear()
    patient = _to(upstream, "silence", timeout_seconds=30)
    tasks = [asyncio.create_task(web.post(patient, body=b"{}")) for _ in range(2 * MAX_CONNECTIONS)]
    while len(upstream.asked) < MAX_CONNECTIONS:  # noqa: ASYNC110 - the server is on another thread
        await asyncio.sleep(0)
    yield
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_a_destination_that_hangs_keeps_nobody_from_another(
    upstream: BadUpstream, web: Web, hanging_requests: None
) -> None:
    assert (await web.post(_to(upstream, "good"), body=b"{}")).body == GOOD


async def test_who_waits_in_vain_for_a_place_is_told_so(
    upstream: BadUpstream, web: Web, hanging_requests: None
) -> None:
    with pytest.raises(DeadlineExceeded, match=r"all 32 connections to it were busy for 0\.1 s"):
        await web.post(_to(upstream, "silence", timeout_seconds=0.1), body=b"{}")


async def test_pools_that_nobody_uses_go_when_there_are_too_many(upstream: BadUpstream, web: Web) -> None:
    for number in range(MAX_POOLS + 5):
        await web.post(_to(upstream, f"good?{number}"), body=b"{}")

    assert len(web._pools._pools) == MAX_POOLS


async def test_a_failure_leaves_the_pool_whole(upstream: BadUpstream, web: Web) -> None:
    for _ in range(120):
        with pytest.raises(WebFailure):
            await web.post(_to(upstream, "no-http"), body=b"{}")

    assert (await web.post(_to(upstream, "good"), body=b"{}")).body == GOOD


async def test_what_may_be_repeated_is_sent_twice_at_most(upstream: BadUpstream, web: Web) -> None:
    before = len(upstream.asked)

    with pytest.raises(InvalidAnswer):
        await web.post(_to(upstream, "nothing"), body=b"{}", is_repeatable=True)

    assert len(upstream.asked) - before == 2


async def test_what_may_not_be_repeated_is_sent_once(upstream: BadUpstream, web: Web) -> None:
    before = len(upstream.asked)

    with pytest.raises(InvalidAnswer):
        await web.post(_to(upstream, "nothing"), body=b"{}")

    assert len(upstream.asked) - before == 1


async def test_no_failure_names_an_address(upstream: BadUpstream, web: Web) -> None:
    with pytest.raises(WebFailure) as failure:
        await web.post(_to(upstream, "half-answer", headers={"Authorization": "Bearer hush"}), body=b"{}")

    assert "127.0.0.1" not in str(failure.value)
    assert "hush" not in str(failure.value)
    assert "hush" not in repr(_to(upstream, "good", headers={"Authorization": "Bearer hush"}))


def test_certificates_are_verified() -> None:
    context = get_tls_context()

    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname


@pytest.fixture
async def tls_port(tmp_path: Path) -> AsyncIterator[int]:
    """Run a server with a self-signed certificate."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    made = x509.CertificateBuilder(issuer_name=name, subject_name=name, public_key=key.public_key())
    dated = made.not_valid_before(datetime(2020, 1, 1, tzinfo=UTC)).not_valid_after(datetime(2090, 1, 1, tzinfo=UTC))
    certificate = dated.serial_number(1).sign(key, hashes.SHA256())
    plain = (Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (tmp_path / "server.pem").write_bytes(key.private_bytes(*plain) + certificate.public_bytes(Encoding.PEM))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "server.pem")

    def close(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    server = await asyncio.start_server(close, "127.0.0.1", 0, ssl=context)
    yield server.sockets[0].getsockname()[1]
    server.close()


async def test_a_certificate_that_is_not_accepted_is_named_as_such(web: Web, tls_port: int) -> None:
    to = Destination(url=f"https://localhost:{tls_port}/", timeout_seconds=5.0, most_bytes=1_000, is_local=True)

    with pytest.raises(TlsFailed, match="its TLS certificate is not accepted"):
        await web.post(to, body=b"{}")


async def test_a_server_without_tls_is_named_as_such(web: Web) -> None:
    def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/"

    with pytest.raises(TlsFailed, match="TLS cannot be agreed on"):
        await web.post(Destination(url=url, timeout_seconds=5.0, most_bytes=1_000, is_local=True), body=b"{}")
    server.close()
