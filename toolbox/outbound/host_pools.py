"""Pooled connections to other hosts, one pool per destination, made to vetted addresses only."""

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
"""To one destination; more requests wait their turn. httpcore looks at every idle one for each request, so not more."""
MAX_POOLS = 200
IDLE_SECONDS = 4.0
"""Node and uvicorn end what is idle for 5 s: a request that leaves at that moment is lost."""


class Resolver(Protocol):
    """Names into addresses; tests give their own."""

    async def __call__(self, host: str, *, port: int) -> list[str]:
        """Give every address of the host."""
        ...


@cache
def get_tls_context() -> SSLContext:
    """Give the one TLS context, which verifies; httpcore would read all certificates anew for each connection."""
    return httpcore.default_ssl_context()


class HostPool:
    """The connections to one destination, and a semaphore for those who may use one at a time."""

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

    Local destinations have pools of their own: a connection is vetted when it is made.
    """

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._pools: OrderedDict[tuple[str, bool], HostPool] = OrderedDict()

    async def get_pool(self, url: str, *, is_local: bool) -> HostPool:
        """Return the destination's pool; the longest unused one is closed when there are too many."""
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
        """Drop all pools: in a forked child they are the parent's."""
        self._pools.clear()

    async def _close_one_idle(self, *, but: tuple[str, bool]) -> None:
        idle = next((key for key, host_pool in self._pools.items() if not host_pool.in_use and key != but), None)
        if idle:
            await self._pools.pop(idle).close()


class VettedBackend(httpcore.AsyncNetworkBackend):
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
    Tell whether requests may go to this IP address.

    Link-local (where clouds keep their credentials), multicast and unspecified ones never; private and loopback ones
    where the destination is local. IPv6 addresses that carry an IPv4 address are judged by that too.
    """
    known = ip_address(address.partition("%")[0])
    return all(_is_allowed(one, is_local=is_local) for one in (known, *_embedded_addresses(known)))


def _is_allowed(address: IPv4Address | IPv6Address, *, is_local: bool) -> bool:
    if address.is_link_local or address.is_multicast or address.is_unspecified:
        return False
    return is_local or address.is_global


def _embedded_addresses(address: IPv4Address | IPv6Address) -> list[IPv4Address]:
    """Give the IPv4 addresses inside an IPv6 one: mapped, 6to4, Teredo, NAT64."""
    if isinstance(address, IPv4Address):
        return []
    found = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address.packed.startswith(bytes.fromhex("0064ff9b")):
        found.append(IPv4Address(address.packed[-4:]))
    return [inner for inner in found if inner is not None]


async def resolve(host: str, *, port: int) -> list[str]:
    """Give every address of a host; raises UnknownHost."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as unknown:
        raise UnknownHost("its host name is not known") from unknown
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))
