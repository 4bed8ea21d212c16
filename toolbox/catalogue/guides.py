"""Each domain's own page, written from its code, as a document that a client can read before it chooses a tool."""

from functools import cache

from toolbox.catalogue.documentation import domain_page
from toolbox.contract.resources import Resource
from toolbox.contract.tool import Toolkit

KEEP_SECONDS = 3_600


def guide(toolkit: Toolkit) -> Resource:
    """Give the domain's guide, at `toolroom://guides/<domain>`; it changes only when the server does."""

    @cache
    def page() -> str:
        return domain_page(toolkit)

    async def read() -> str:
        return page()

    read.__name__ = f"{toolkit.domain}_guide"
    read.__doc__ = f"{toolkit.summary} Every tool: what it takes, answers and refuses."
    return Resource(
        domain=toolkit.domain,
        function=read,
        uri=f"toolroom://guides/{toolkit.domain}",
        title=f"Guide to {toolkit.domain}",
        mime_type="text/markdown",
        ttl_seconds=KEEP_SECONDS,
        measure=lambda: len(page().encode()),
    )
