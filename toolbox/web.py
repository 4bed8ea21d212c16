"""
HTTP to hosts that configuration names: with a deadline, a byte cap, and no way into the private network.

Host names are resolved here, once a connection, and the connection is made to the very address that was judged, so
that a name cannot point elsewhere a moment later. Nothing is followed to another origin. Bodies are unpacked a piece at
a time and never past their cap. Connections are kept and shared; they belong to the home loop.
"""

import asyncio
import os
import socket
import zlib
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any, Protocol
from urllib.parse import urljoin, urlsplit

import httpcore

from toolbox import home

MOST_CONNECTIONS = 32
"""Of one process; more requests wait their turn. httpcore looks at every idle one for each request, so not more."""
IDLE_SECONDS = 15.0
MOST_REDIRECTS = 3
_PIECE = 65_536
_KEEPS_METHOD = (307, 308)
_REDIRECTS = (301, 302, 303, *_KEEPS_METHOD)


class WebFailure(Exception):
    """There is no answer. The message says why, and names neither addresses nor headers."""


class AddressRefused(WebFailure):
    """The host stands where requests may not go."""


class Unreachable(WebFailure):
    """No connection could be made."""


class Overdue(WebFailure):
    """The deadline passed before the answer was whole."""


class Oversized(WebFailure):
    """The answer is larger than the cap."""


class Broken(WebFailure):
    """What came is not HTTP, ended early, or is packed in a way nobody asked for."""


class Redirected(WebFailure):
    """The host sent the request elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """Where a request goes and how far its answer is read; private addresses only where it is local."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout_seconds: float = 10.0
    most_bytes: int = 2_097_152
    is_local: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WebAnswer:
    """A whole answer, unpacked. Header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Resolver(Protocol):
    """Names into addresses; tests give their own."""

    async def __call__(self, host: str, port: int) -> list[str]:
        """Give every address of the host."""
        ...


class Web:
    """
    A client whose connections are shared by all who ask the same origin.

    `post` may send a request a second time when a kept connection turns out to be dead, if the caller says that it is
    safe to repeat.
    """

    def __init__(self, *, resolver: Resolver | None = None) -> None:
        self._resolver = resolver or _resolve
        self._pools: dict[bool, httpcore.AsyncConnectionPool] = {}
        home.at_close(self.close)
        os.register_at_fork(after_in_child=self._pools.clear)

    async def post(self, to: Destination, *, body: bytes, is_repeatable: bool = False) -> WebAnswer:
        """Send the body; raises a WebFailure, never anything of the wire's own."""
        return await home.at_home(lambda: self._within_time(to, body, is_repeatable=is_repeatable))

    async def close(self) -> None:
        """Let go of every connection; the next request opens its own."""
        pools = list(self._pools.values())
        self._pools.clear()
        for pool in pools:
            with suppress(RuntimeError):  # its loop may be gone
                await pool.aclose()

    async def _within_time(self, to: Destination, body: bytes, *, is_repeatable: bool) -> WebAnswer:
        try:
            async with asyncio.timeout(to.timeout_seconds):
                return await self._follow(to, body, is_repeatable=is_repeatable)
        except (TimeoutError, httpcore.TimeoutException) as late:
            raise Overdue(f"no whole answer within {to.timeout_seconds:g} s") from late

    async def _follow(self, to: Destination, body: bytes, *, is_repeatable: bool) -> WebAnswer:
        url = to.url
        for _ in range(MOST_REDIRECTS + 1):
            answer = await self._ask(to, url, body, is_repeatable=is_repeatable)
            if answer.status not in _REDIRECTS:
                return answer
            url = _next_address(url, answer)
        raise Redirected("it redirects without end")

    async def _ask(self, to: Destination, url: str, body: bytes, *, is_repeatable: bool) -> WebAnswer:
        try:
            return await self._once(to, url, body)
        except (httpcore.ReadError, httpcore.WriteError, httpcore.RemoteProtocolError) as lost:
            if not is_repeatable:
                raise Broken("the connection broke before the answer was whole") from lost
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.UnsupportedProtocol, OSError) as away:
            raise Unreachable("no connection can be made") from away
        return await self._ask(to, url, body, is_repeatable=False)

    async def _once(self, to: Destination, url: str, body: bytes) -> WebAnswer:
        headers = [("Host", urlsplit(url).netloc), ("Accept-Encoding", "gzip"), *to.headers.items()]
        pool = self._pool(is_local=to.is_local)
        async with pool.stream("POST", url, headers=headers, content=body) as response:
            said = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
            if response.status in _REDIRECTS:
                return WebAnswer(status=response.status, headers=said, body=b"")
            pieces = _unpacked(response.aiter_stream(), said, most_bytes=to.most_bytes)
            whole = b"".join([piece async for piece in pieces])
            return WebAnswer(status=response.status, headers=said, body=whole)

    def _pool(self, *, is_local: bool) -> httpcore.AsyncConnectionPool:
        """Give the pool of local destinations, or that of all others: a connection is judged when it is made."""
        if is_local not in self._pools:
            self._pools[is_local] = httpcore.AsyncConnectionPool(
                max_connections=MOST_CONNECTIONS,
                max_keepalive_connections=MOST_CONNECTIONS,
                keepalive_expiry=IDLE_SECONDS,
                network_backend=_Judged(self._resolver, is_local=is_local),
            )
        return self._pools[is_local]


class _Judged(httpcore.AsyncNetworkBackend):
    """Connects to addresses that were looked at first."""

    def __init__(self, resolver: Resolver, *, is_local: bool) -> None:
        self._resolver = resolver
        self._is_local = is_local
        self._backend = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's signature
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the first address that answers; a host with any forbidden address is refused whole."""
        addresses = await self._resolver(host, port)
        if not addresses or not all(may_connect(address, is_local=self._is_local) for address in addresses):
            raise AddressRefused("its host stands at an address where requests may not go")
        for address in addresses[:-1]:
            with suppress(httpcore.ConnectError):
                return await self._backend.connect_tcp(address, port, timeout, local_address, socket_options)
        return await self._backend.connect_tcp(addresses[-1], port, timeout, local_address, socket_options)

    async def sleep(self, seconds: float) -> None:
        """Wait, for httpcore's own retries."""
        await asyncio.sleep(seconds)


def may_connect(address: str, *, is_local: bool) -> bool:
    """
    Tell whether requests may go to this IP address.

    Link-local (where clouds keep their credentials), multicast and unspecified ones never; private and loopback ones
    where the destination is local. IPv6 addresses that carry an IPv4 address are judged by that too.
    """
    known = ip_address(address.partition("%")[0])
    return all(_is_open(one, is_local=is_local) for one in (known, *_inner(known)))


def _is_open(address: IPv4Address | IPv6Address, *, is_local: bool) -> bool:
    if address.is_link_local or address.is_multicast or address.is_unspecified:
        return False
    return is_local or address.is_global


def _inner(address: IPv4Address | IPv6Address) -> list[IPv4Address]:
    """Give the IPv4 addresses inside an IPv6 one: mapped, 6to4, Teredo, NAT64."""
    if isinstance(address, IPv4Address):
        return []
    found = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address.packed.startswith(bytes.fromhex("0064ff9b")):
        found.append(IPv4Address(address.packed[-4:]))
    return [inner for inner in found if inner is not None]


async def _resolve(host: str, port: int) -> list[str]:
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as unknown:
        raise Unreachable("its host name is not known") from unknown
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def _next_address(url: str, answer: WebAnswer) -> str:
    """Give where a redirect leads, if that is the same origin and the method is kept; else raise Redirected."""
    target = urljoin(url, answer.headers.get("location", ""))
    if answer.status not in _KEEPS_METHOD or urlsplit(target)[:2] != urlsplit(url)[:2]:
        raise Redirected("it redirects to another place, which is not followed")
    return target


async def _unpacked(
    pieces: AsyncIterator[bytes], headers: Mapping[str, str], *, most_bytes: int
) -> AsyncIterator[bytes]:
    """Give the body, unpacked by at most 64 KiB at a time; raises Oversized and Broken."""
    unpack = _unpacker(headers.get("content-encoding", "").strip().lower())
    size = 0
    async for packed in pieces:
        for piece in unpack(packed):
            size += len(piece)
            if size > most_bytes:
                raise Oversized(f"the answer is larger than {most_bytes:,} bytes")
            yield piece
    if not unpack.is_whole:
        raise Broken("the answer ends in the middle")


class _Unpacker:
    """Takes packed bytes, gives unpacked ones."""

    is_whole = True

    def __call__(self, packed: bytes) -> Iterable[bytes]:
        """Give the bytes as they came."""
        return (packed,)


class _Gzip(_Unpacker):
    """zlib, which stops at the size it is told."""

    def __init__(self, *, window: int) -> None:
        self._zlib = zlib.decompressobj(window)

    def __call__(self, packed: bytes) -> Iterable[bytes]:
        """Unpack a piece at a time."""
        try:
            while packed and not self._zlib.eof:
                yield self._zlib.decompress(packed, _PIECE)
                packed = self._zlib.unconsumed_tail
        except zlib.error as damaged:
            raise Broken("the answer is packed wrongly") from damaged

    @property
    def is_whole(self) -> bool:  # type: ignore[override]
        """Tell whether the packed stream came to its end."""
        return self._zlib.eof


def _unpacker(encoding: str) -> _Unpacker:
    match encoding:
        case "" | "identity":
            return _Unpacker()
        case "gzip" | "x-gzip":
            return _Gzip(window=16 + zlib.MAX_WBITS)
        case "deflate":
            return _Gzip(window=zlib.MAX_WBITS)
    raise Broken("the answer is packed in a way nobody asked for")


web = Web()
