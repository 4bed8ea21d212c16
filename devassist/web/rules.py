"""Public sources in the settings."""

from django.conf import settings

from devassist.web.source_search import WebRules
from devassist.web.sources import Source


def read_rules() -> WebRules:
    """Return the enabled sources, and how long their answers are fresh."""
    named = {
        "stackoverflow": (settings.DEVASSIST_STACKEXCHANGE_URL, settings.DEVASSIST_STACKEXCHANGE_KEY),
        "github": (settings.DEVASSIST_GITHUB_URL, settings.DEVASSIST_GITHUB_TOKEN),
        "mdn": (settings.DEVASSIST_MDN_URL, ""),
    }
    sources = {name: Source(name=name, address=address, key=key) for name, (address, key) in named.items()}
    return WebRules(
        sources=sources if settings.DEVASSIST_WEB_SEARCH else {},
        fresh_seconds=settings.DEVASSIST_WEB_FRESH_HOURS * 3_600,
        keep_days=settings.DEVASSIST_WEB_KEEP_DAYS,
    )
