"""The address of this server as clients see it: the OAuth resource and the address of its metadata."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest

from toolbox.catalogue.registry import registry

DEFAULT_ADDRESS = "http://127.0.0.1:8000"
MCP = "/mcp"
METADATA = "/.well-known/oauth-protected-resource"
_PROXY_HEADER = b"x-forwarded-proto"


def is_on() -> bool:
    """Return whether OAuth tokens are accepted: an external issuer's or our own."""
    return bool(settings.OAUTH_ISSUER or settings.TOOLROOM_OAUTH)


def site(sent: Mapping[bytes, str], *, scheme: str) -> str:
    """Return this server's address, from TOOLROOM_URL or else from the request."""
    if settings.TOOLROOM_URL:
        return str(settings.TOOLROOM_URL)
    if settings.SECURE_PROXY_SSL_HEADER and sent.get(_PROXY_HEADER, "").strip() == "https":
        scheme = "https"
    return f"{scheme}://{sent.get(b'host', '')}"


def site_of(request: HttpRequest) -> str:
    """Return the address for a request whose host Django has validated."""
    return site({b"host": request.get_host()}, scheme=request.scheme or "http")


def find_address() -> str:
    """Return this server's address for a command: TOOLROOM_URL, the announced address, or the default."""
    if settings.TOOLROOM_URL:
        return str(settings.TOOLROOM_URL)
    try:
        return _address_file().read_text(encoding="utf-8").strip()
    except OSError:
        return DEFAULT_ADDRESS


@contextmanager
def announce_address(address: str) -> Iterator[None]:
    """Announce this server's address to commands with the same TOOLROOM_VAR, until the block ends."""
    _address_file().parent.mkdir(parents=True, exist_ok=True)
    _address_file().write_text(address, encoding="utf-8")
    try:
        yield
    finally:
        _address_file().unlink(missing_ok=True)


def _address_file() -> Path:
    return Path(settings.TOOLROOM_VAR) / "address"


def metadata_address(place: str, *, path: str = "") -> str:
    """Return the address of a resource's metadata (RFC 9728); empty if no tokens are accepted."""
    return f"{place}{METADATA}{path}" if is_on() else ""


def resources() -> dict[str, str | None]:
    """Return the paths that tokens can be for, each with its domain, None for all domains."""
    domains = {f"{MCP}/{toolkit.domain}": toolkit.domain for toolkit in registry.toolkits()}
    return {"": None, "/": None, MCP: None} | domains


def find_audience(audiences: Iterable[str]) -> frozenset[str]:
    """Return the paths that a token for these resources is for; empty if one of them is the whole server."""
    paths = {urlsplit(audience).path for audience in audiences}
    whole = {path for path, domain in resources().items() if domain is None}
    return frozenset() if paths & whole else frozenset(paths)


def scopes_within(resource: str, *, scopes: Iterable[str], place: str) -> frozenset[str]:
    """
    Return the scopes that a token for this resource may carry; none for another server's resource.

    A token for `/mcp/linescore` carries scopes of linescore alone.
    """
    path = resource.removeprefix(place)
    if not resource.startswith(place) or path not in resources():
        return frozenset()
    domain = resources()[path]
    if domain is None:
        return frozenset(scopes)
    parts = (scope.partition(":") for scope in scopes)
    return frozenset(f"{domain}:{right}" for name, _, right in parts if name in (domain, "*"))
