"""System checks with `--deploy`: TOOLROOM_HTTPS is on and agrees with TOOLROOM_URL."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Tags, Warning, register  # noqa: A004 - Django's name for it


@register(Tags.security, deploy=True)
def check_https(**_: Any) -> list[CheckMessage]:
    """Report problems with TOOLROOM_HTTPS, the variable behind Django's warnings on cookies, HSTS and redirects."""
    return list(_find_problems())


def _find_problems() -> Iterator[CheckMessage]:
    if not settings.TOOLROOM_HTTPS:
        yield Warning(
            "TOOLROOM_HTTPS is off: cookies, keys and tokens may travel unencrypted.",
            hint="Put a proxy that ends TLS and sets X-Forwarded-Proto in front, and set TOOLROOM_HTTPS=1. It turns on "
            "secure cookies, HSTS and the redirect to https, which the security.W… warnings name.",
            id="config.W001",
        )
    elif settings.TOOLROOM_URL and urlsplit(settings.TOOLROOM_URL).scheme != "https":
        yield Warning(
            f"TOOLROOM_HTTPS is on, but TOOLROOM_URL is {settings.TOOLROOM_URL}.",
            hint="Set TOOLROOM_URL to this server's https:// address; tokens of OAuth are for that address.",
            id="config.W002",
        )
