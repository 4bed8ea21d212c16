"""
Rate limits per sender address, for requests that need no credential.

A request is counted before any work is done for it. The address is the peer's; behind a proxy, uvicorn takes it from
X-Forwarded-For of the proxies in FORWARDED_ALLOW_IPS.
"""

from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network

from limits import RateLimitItem

from toolbox.access.limits import call_limits
from toolbox.database import event_loop

_IPV6_PREFIX = 64
"""The size of one customer's IPv6 network: a sender can use any address in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressLimit:
    """A limit of requests per time window and address; IPv6 addresses are counted by network."""

    name: str
    window: RateLimitItem

    def hit(self, address: str) -> int:
        """Count one request; return 0, or the seconds to wait. Blocks: do not call it on the event loop."""
        key = f"toolroom-{self.name}-{find_network(address)}"
        return event_loop.run(call_limits.hit(self.window, key=key))


def find_network(address: str) -> str:
    """Return what counts as one sender: an IPv4 address, an IPv6 network, or unparsable text unchanged."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    if isinstance(parsed, IPv6Address):
        return str(ip_network((int(parsed), _IPV6_PREFIX), strict=False).network_address)
    return str(parsed)
