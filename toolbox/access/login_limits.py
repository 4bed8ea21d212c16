"""
Log-in limits in ten minutes: 10 wrong passwords per name and address, 60 log-ins per address.

Every attempt is counted before its password is checked, so concurrent attempts cannot get around the limit; a success
resets the count of its name. A name is counted together with the address, so nobody can lock out a person from
elsewhere. The address is also counted alone, because checking a password costs up to a second of CPU. Log-in links
(`manage.py login_link`) are not counted: they cannot be guessed.
"""

from hashlib import sha256
from typing import Any

from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import ValidationError
from limits import RateLimitItemPerMinute
from unfold.forms import AuthenticationForm as AdminAuthenticationForm

from toolbox.access.address_limits import AddressLimit, find_network
from toolbox.access.limits import call_limits
from toolbox.database import event_loop

MAX_ATTEMPTS, MINUTES = 10, 10
WINDOW = RateLimitItemPerMinute(MAX_ATTEMPTS, MINUTES)
ADDRESS_LIMIT = AddressLimit(name="logins", window=RateLimitItemPerMinute(60, MINUTES))
TOO_MANY = "too_many_attempts"


class _RateLimitedForm(AuthenticationForm):
    """A log-in form with limited attempts."""

    def clean(self) -> dict[str, Any]:
        """Check the password, unless there were too many attempts."""
        address = self.request.META.get("REMOTE_ADDR", "") if self.request else ""
        key = _make_key(self.cleaned_data.get("username") or "", address=address)
        if wait := ADDRESS_LIMIT.hit(address):
            raise ValidationError(
                f"Too many log-ins from this address. Wait {_format_minutes(wait)}, or have an administrator print a "
                "link: manage.py login_link.",
                code=TOO_MANY,
            )
        if wait := event_loop.run(call_limits.hit(WINDOW, key=key)):
            raise ValidationError(
                f"Too many wrong passwords for this name. Wait {_format_minutes(wait)}, or have an "
                "administrator print a link: manage.py login_link.",
                code=TOO_MANY,
            )
        cleaned: dict[str, Any] = super().clean()
        event_loop.run(call_limits.clear(WINDOW, key=key))
        return cleaned


class RateLimitedLoginForm(_RateLimitedForm):
    """Log-in form of the console."""


class RateLimitedAdminLogin(_RateLimitedForm, AdminAuthenticationForm):  # type: ignore[misc]  # unfold has no types
    """Log-in form of the admin."""


def _make_key(name: str, *, address: str) -> str:
    return f"toolroom-login-{sha256(name.casefold().encode()).hexdigest()[:24]}-{find_network(address)}"


def _format_minutes(seconds: int) -> str:
    minutes = -(-seconds // 60)
    return f"{minutes} minute{'s' if minutes > 1 else ''}"
