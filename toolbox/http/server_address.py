"""Where this server is, as its clients see it: the resource that tokens are for, and the addresses of its metadata."""

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
    """Tell whether tokens of OAuth are taken at all: an outside issuer's, or our own."""
    return bool(settings.OAUTH_ISSUER or settings.TOOLROOM_OAUTH)


def site(sent: Mapping[bytes, str], *, scheme: str) -> str:
    """Give the address of this server, as TOOLROOM_URL says or else as the request was sent."""
    if settings.TOOLROOM_URL:
        return str(settings.TOOLROOM_URL)
    if settings.SECURE_PROXY_SSL_HEADER and sent.get(_PROXY_HEADER, "").strip() == "https":
        scheme = "https"
    return f"{scheme}://{sent.get(b'host', '')}"


def site_of(request: HttpRequest) -> str:
    """Give the site of a request whose host Django has validated."""
    return site({b"host": request.get_host()}, scheme=request.scheme or "http")


def find_address() -> str:
    """Give the address of this server to a command: TOOLROOM_URL, where a server announced itself, or the default."""
    if settings.TOOLROOM_URL:
        return str(settings.TOOLROOM_URL)
    try:
        return _address_file().read_text(encoding="utf-8").strip()
    except OSError:
        return DEFAULT_ADDRESS


@contextmanager
def announce_address(address: str) -> Iterator[None]:
    """Tell commands of the same TOOLROOM_VAR where this server is, until the block ends."""
    _address_file().parent.mkdir(parents=True, exist_ok=True)
    _address_file().write_text(address, encoding="utf-8")
    try:
        yield
    finally:
        _address_file().unlink(missing_ok=True)


def _address_file() -> Path:
    return Path(settings.TOOLROOM_VAR) / "address"


def metadata_address(place: str, *, path: str = "") -> str:
    """Give where the metadata of a resource of this server are (RFC 9728); empty where no token is taken."""
    return f"{place}{METADATA}{path}" if is_on() else ""


def resources() -> dict[str, str | None]:
    """Give the paths of what tokens may be for, each with the domain that it is, None for all."""
    domains = {f"{MCP}/{toolkit.domain}": toolkit.domain for toolkit in registry.toolkits()}
    return {"": None, "/": None, MCP: None} | domains


def find_audience(audiences: Iterable[str]) -> frozenset[str]:
    """Give the paths that a token for these resources of ours is for; empty where one of them is the whole server."""
    paths = {urlsplit(audience).path for audience in audiences}
    whole = {path for path, domain in resources().items() if domain is None}
    return frozenset() if paths & whole else frozenset(paths)


def scopes_within(resource: str, *, scopes: Iterable[str], place: str) -> frozenset[str]:
    """
    Leave of the scopes what a token for this resource may carry; nothing for one of another server.

    One for `/mcp/linescore` carries scopes of linescore alone.
    """
    path = resource.removeprefix(place)
    if not resource.startswith(place) or path not in resources():
        return frozenset()
    domain = resources()[path]
    if domain is None:
        return frozenset(scopes)
    parts = (scope.partition(":") for scope in scopes)
    return frozenset(f"{domain}:{right}" for name, _, right in parts if name in (domain, "*"))
