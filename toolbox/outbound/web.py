"""
HTTP client for hosts that configuration names: with a deadline, a size limit, and no access to private networks.

Host names are resolved here, once per connection, and the connection goes to the very address that was checked, so that
a name cannot change its address in between. Redirects to another origin are not followed. Bodies are decompressed piece
by piece, never past their limit. Connections are pooled per destination and belong to the process's event loop.
"""

import asyncio
import os
import ssl
import zlib
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode, urljoin, urlsplit

import httpcore

from toolbox.database import event_loop
from toolbox.outbound.failures import (
    AnswerTooLarge,
    DeadlineExceeded,
    InvalidAnswer,
    Redirected,
    TlsFailed,
    Unreachable,
)
from toolbox.outbound.host_pools import MAX_CONNECTIONS, HostPool, HostPools, Resolver, resolve

MAX_REDIRECTS = 3
_PIECE = 65_536
_KEEPS_METHOD = (307, 308)
_REDIRECTS = (301, 302, 303, *_KEEPS_METHOD)


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """Where a request goes and its limits; private addresses are allowed only if it is local."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout_seconds: float = 10.0
    most_bytes: int = 2_097_152
    is_local: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WebAnswer:
    """A complete, decompressed answer. Header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    """A request; a repeatable one may be sent again after a kept connection turned out to be dead."""

    method: str
    url: str
    body: bytes | None = None
    is_repeatable: bool = False


class Web:
    """An HTTP client with one connection pool per destination."""

    def __init__(self, *, resolver: Resolver | None = None) -> None:
        self._pools = HostPools(resolver or resolve)
        event_loop.on_shutdown(self.close)
        os.register_at_fork(after_in_child=self._pools.clear)

    async def post(self, to: Destination, *, body: bytes, is_repeatable: bool = False) -> WebAnswer:
        """Send a POST; raises only WebFailure."""
        request = _Request(method="POST", url=to.url, body=body, is_repeatable=is_repeatable)
        return await event_loop.run_on_loop(lambda: self._send_with_deadline(to, request))

    async def get(self, to: Destination, *, query: Mapping[str, str]) -> WebAnswer:
        """Send a GET with these parameters; raises only WebFailure."""
        url = f"{to.url}?{urlencode(query)}" if query else to.url
        request = _Request(method="GET", url=url, is_repeatable=True)
        return await event_loop.run_on_loop(lambda: self._send_with_deadline(to, request))

    async def close(self) -> None:
        """Close every connection; the next request opens its own."""
        await self._pools.close()

    async def _send_with_deadline(self, to: Destination, request: _Request) -> WebAnswer:
        host_pool = await self._pools.get_pool(to.url, is_local=to.is_local)
        host_pool.in_use += 1
        has_place = False
        try:
            async with asyncio.timeout(to.timeout_seconds), host_pool.places:
                has_place = True
                return await self._follow(to, request, host_pool=host_pool)
        except (TimeoutError, httpcore.TimeoutException) as late:
            what = "no whole answer within" if has_place else f"all {MAX_CONNECTIONS} connections to it were busy for"
            raise DeadlineExceeded(f"{what} {to.timeout_seconds:g} s") from late
        finally:
            host_pool.in_use -= 1

    async def _follow(self, to: Destination, request: _Request, *, host_pool: HostPool) -> WebAnswer:
        for _ in range(MAX_REDIRECTS + 1):
            answer = await self._ask(to, request, host_pool=host_pool)
            if answer.status not in _REDIRECTS:
                return answer
            request = replace(request, url=_redirect_target(request, answer))
        raise Redirected("it redirects without end")

    async def _ask(self, to: Destination, request: _Request, *, host_pool: HostPool) -> WebAnswer:
        try:
            return await self._send_once(to, request, host_pool=host_pool)
        except (httpcore.ReadError, httpcore.WriteError, httpcore.RemoteProtocolError) as lost:
            if not request.is_repeatable:
                raise InvalidAnswer("the connection broke before the answer was whole") from lost
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.UnsupportedProtocol, OSError) as away:
            raise _describe_connection_error(away) from away
        return await self._ask(to, replace(request, is_repeatable=False), host_pool=host_pool)

    async def _send_once(self, to: Destination, request: _Request, *, host_pool: HostPool) -> WebAnswer:
        headers = [("Host", urlsplit(request.url).netloc), ("Accept-Encoding", "gzip"), *to.headers.items()]
        async with host_pool.pool.stream(
            request.method, request.url, headers=headers, content=request.body
        ) as response:
            said = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
            if response.status in _REDIRECTS:
                return WebAnswer(status=response.status, headers=said, body=b"")
            pieces = _unpack(response.aiter_stream(), said, most_bytes=to.most_bytes)
            whole = b"".join([piece async for piece in pieces])
            return WebAnswer(status=response.status, headers=said, body=whole)


def _describe_connection_error(error: BaseException) -> Unreachable:
    """Return the error of a failed connection, TlsFailed for TLS; the text does not reveal addresses."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ssl.SSLError):
        cause = cause.__cause__ or cause.__context__
    if isinstance(cause, ssl.SSLCertVerificationError):
        reason = cause.verify_message.partition(",")[0].lower()
        return TlsFailed(f"its TLS certificate is not accepted ({reason})")
    if cause is not None:
        return TlsFailed("TLS cannot be agreed on with it")
    return Unreachable("no connection can be made")


def _redirect_target(request: _Request, answer: WebAnswer) -> str:
    """Return a redirect's address; raises Redirected if the origin or the method would change."""
    target = urljoin(request.url, answer.headers.get("location", ""))
    keeps_method = request.method == "GET" or answer.status in _KEEPS_METHOD
    if not keeps_method or urlsplit(target)[:2] != urlsplit(request.url)[:2]:
        raise Redirected("it redirects to another place, which is not followed")
    return target


async def _unpack(pieces: AsyncIterator[bytes], headers: Mapping[str, str], *, most_bytes: int) -> AsyncIterator[bytes]:
    """Yield the body, decompressed at most 64 KiB at a time; raises AnswerTooLarge and InvalidAnswer."""
    unpack = _make_unpacker(headers.get("content-encoding", "").strip().lower())
    size = 0
    async for packed in pieces:
        for piece in unpack(packed):
            size += len(piece)
            if size > most_bytes:
                raise AnswerTooLarge(f"the answer is larger than {most_bytes:,} bytes")
            yield piece
    if not unpack.is_whole:
        raise InvalidAnswer("the answer ends in the middle")


class _Unpacker:
    """Decompressor of a body without compression."""

    is_whole = True

    def __call__(self, packed: bytes) -> Iterable[bytes]:
        """Return the bytes unchanged."""
        return (packed,)


class _Gzip(_Unpacker):
    """Decompressor by zlib, which can limit its output."""

    def __init__(self, *, window: int) -> None:
        self._zlib = zlib.decompressobj(window)

    def __call__(self, packed: bytes) -> Iterable[bytes]:
        """Decompress piece by piece."""
        try:
            while packed and not self._zlib.eof:
                yield self._zlib.decompress(packed, _PIECE)
                packed = self._zlib.unconsumed_tail
        except zlib.error as damaged:
            raise InvalidAnswer("the answer is packed wrongly") from damaged

    @property
    def is_whole(self) -> bool:  # type: ignore[override]
        """Return whether the compressed stream is complete."""
        return self._zlib.eof


def _make_unpacker(encoding: str) -> _Unpacker:
    match encoding:
        case "" | "identity":
            return _Unpacker()
        case "gzip" | "x-gzip":
            return _Gzip(window=16 + zlib.MAX_WBITS)
        case "deflate":
            return _Gzip(window=zlib.MAX_WBITS)
    raise InvalidAnswer("the answer is packed in a way nobody asked for")


web = Web()
