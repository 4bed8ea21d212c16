"""The public sources: requests, parsers, addresses and keys."""

from collections.abc import Callable
from dataclasses import dataclass, field

from devassist.web import github, mdn, stackoverflow
from devassist.web.source_answers import Request, SourceAnswer, SourceFailed
from devassist.web.words import SearchTerms
from toolbox.outbound.failures import WebFailure
from toolbox.outbound.web import Destination, WebAnswer, web

ASK_SECONDS = 8.0
"""The timeout of a request. A call waits less, and the next call finds a late answer."""
MAX_BYTES = 4_194_304
USER_AGENT = "Toolroom-devassist/1 (web_search_wiki)"
ADDRESSES = {
    "stackoverflow": "https://api.stackexchange.com/2.3",
    "github": "https://api.github.com",
    "mdn": "https://developer.mozilla.org",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A public source. Only an address that an operator changed may be in the private network."""

    name: str
    address: str
    key: str = field(default="", repr=False)

    async def ask(self, words: SearchTerms) -> SourceAnswer:
        """Search for the words. Raises SourceFailed, and nothing else that a server can cause."""
        request_of, read = _READERS[self.name]
        request = request_of(words, key=self.key)
        to = Destination(
            url=f"{self.address.rstrip('/')}{request.path}",
            headers={"User-Agent": USER_AGENT, "Accept": "application/json"} | request.headers,
            timeout_seconds=ASK_SECONDS,
            most_bytes=MAX_BYTES,
            is_local=self.may_be_private,
        )
        return read(await _answer(to, query=request.query))

    @property
    def may_be_private(self) -> bool:
        """Return whether the address may be in the private network: only if an operator changed it."""
        return self.address.rstrip("/") != ADDRESSES[self.name]


async def _answer(to: Destination, *, query: dict[str, str]) -> WebAnswer:
    try:
        return await web.get(to, query=query)
    except WebFailure as failure:
        raise SourceFailed(str(failure), pause_seconds=DOWN_SECONDS) from failure


DOWN_SECONDS = 15
_Asks = Callable[..., Request]
_READERS: dict[str, tuple[_Asks, Callable[[WebAnswer], SourceAnswer]]] = {
    "stackoverflow": (stackoverflow.request, stackoverflow.read),
    "github": (github.request, github.read),
    "mdn": (mdn.request, mdn.read),
}
