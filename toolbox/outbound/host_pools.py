"""Connection pools to other hosts, one per destination, connected only to checked addresses."""

import asyncio
import socket
from collections import OrderedDict
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from ssl import SSLContext
from typing import Any, Protocol

import httpcore

from toolbox.outbound.failures import AddressRefused, UnknownHost

MAX_CONNECTIONS = 32
"""To one destination; further requests wait. Not more, because httpcore scans idle connections for each request."""
MAX_POOLS = 200
IDLE_SECONDS = 4.0
"""Less than the 5 s after which Node and uvicorn close idle connections: a request sent just then is lost."""


class Resolver(Protocol):
    """Resolves host names; tests use their own."""

    async def __call__(self, host: str, *, port: int) -> list[str]:
        """Return every address of the host."""
        ...


@cache
def get_tls_context() -> SSLContext:
    """Return the shared TLS context, which verifies; httpcore would load all certificates for each connection."""
    return httpcore.default_ssl_context()


class HostPool:
    """The connections to one destination, and a semaphore that limits their users."""

    def __init__(self, resolver: Resolver, *, is_local: bool) -> None:
        self.places = asyncio.Semaphore(MAX_CONNECTIONS)
        self.in_use = 0
        self.pool = httpcore.AsyncConnectionPool(
            max_connections=MAX_CONNECTIONS,
            max_keepalive_connections=MAX_CONNECTIONS,
            keepalive_expiry=IDLE_SECONDS,
            network_backend=VettedBackend(resolver, is_local=is_local),
            ssl_context=get_tls_context(),
        )

    async def close(self) -> None:
        """Close every connection."""
        with suppress(RuntimeError):  # its loop may be gone
            await self.pool.aclose()


class HostPools:
    """
    One connection pool per destination, so that one that hangs blocks no other.

    Local destinations have their own pools, because addresses are checked only when a connection is made.
    """

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._pools: OrderedDict[tuple[str, bool], HostPool] = OrderedDict()

    async def get_pool(self, url: str, *, is_local: bool) -> HostPool:
        """Return the destination's pool; the least recently used idle one is closed if there are too many."""
        key = url, is_local
        if key not in self._pools:
            self._pools[key] = HostPool(self._resolver, is_local=is_local)
        self._pools.move_to_end(key)
        host_pool = self._pools[key]
        if len(self._pools) > MAX_POOLS:
            await self._close_one_idle(but=key)
        return host_pool

    async def close(self) -> None:
        """Close every connection; the next request opens its own."""
        host_pools = list(self._pools.values())
        self.clear()
        for host_pool in host_pools:
            await host_pool.close()

    def clear(self) -> None:
        """Drop all pools without closing them; for a forked child, where they are the parent's."""
        self._pools.clear()

    async def _close_one_idle(self, *, but: tuple[str, bool]) -> None:
        idle = next((key for key, host_pool in self._pools.items() if not host_pool.in_use and key != but), None)
        if idle:
            await self._pools.pop(idle).close()


class VettedBackend(httpcore.AsyncNetworkBackend):
    """Connects only to addresses that were checked."""

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
        """Connect to the first address that answers; refuses a host with any forbidden address."""
        addresses = await self._resolver(host, port=port)
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
    Return whether requests may go to this IP address.

    Never to link-local addresses (where clouds serve credentials), multicast and unspecified ones; to private and
    loopback ones only for local destinations. An IPv4 address inside an IPv6 address must be allowed too.
    """
    known = ip_address(address.partition("%")[0])
    return all(_is_allowed(one, is_local=is_local) for one in (known, *_embedded_addresses(known)))


def _is_allowed(address: IPv4Address | IPv6Address, *, is_local: bool) -> bool:
    if address.is_link_local or address.is_multicast or address.is_unspecified:
        return False
    return is_local or address.is_global


def _embedded_addresses(address: IPv4Address | IPv6Address) -> list[IPv4Address]:
    """Return the IPv4 addresses inside an IPv6 one: mapped, 6to4, Teredo, NAT64."""
    if isinstance(address, IPv4Address):
        return []
    found = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address.packed.startswith(bytes.fromhex("0064ff9b")):
        found.append(IPv4Address(address.packed[-4:]))
    return [inner for inner in found if inner is not None]


async def resolve(host: str, *, port: int) -> list[str]:
    """Return every address of a host; raises UnknownHost."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as unknown:
        raise UnknownHost("its host name is not known") from unknown
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))
