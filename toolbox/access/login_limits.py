"""
Rate limit of log-ins: ten wrong passwords for a name from an address, in ten minutes.

Every attempt counts before its password is checked, so that concurrent attempts cannot get around the limit; a
successful one resets the count. The name counts together with the address, so that nobody is locked out from elsewhere.
A link that logs in (`manage.py login_link`) is not counted: it cannot be guessed.
"""

from hashlib import sha256
from typing import Any

from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import ValidationError
from limits import RateLimitItemPerMinute
from unfold.forms import AuthenticationForm as AdminAuthenticationForm

from toolbox.access.limits import call_limits
from toolbox.database import event_loop

MAX_ATTEMPTS, MINUTES = 10, 10
WINDOW = RateLimitItemPerMinute(MAX_ATTEMPTS, MINUTES)
TOO_MANY = "too_many_attempts"


class _RateLimitedForm(AuthenticationForm):
    """A log-in form with limited attempts."""

    def clean(self) -> dict[str, Any]:
        """Check the password, unless there were too many attempts before."""
        address = self.request.META.get("REMOTE_ADDR", "") if self.request else ""
        key = _make_key(self.cleaned_data.get("username") or "", address=address)
        if wait := event_loop.run(call_limits.hit(WINDOW, key=key)):
            minutes = -(-wait // 60)
            raise ValidationError(
                f"Too many wrong passwords for this name. Wait {minutes} minute{'s' if minutes > 1 else ''}, or have "
                "an administrator print a link: manage.py login_link.",
                code=TOO_MANY,
            )
        cleaned: dict[str, Any] = super().clean()
        event_loop.run(call_limits.clear(WINDOW, key=key))
        return cleaned


class RateLimitedLoginForm(_RateLimitedForm):
    """The form of the console."""


class RateLimitedAdminLogin(_RateLimitedForm, AdminAuthenticationForm):  # type: ignore[misc]  # unfold has no types
    """The form of the admin."""


def _make_key(name: str, *, address: str) -> str:
    return f"toolroom-login-{sha256(name.casefold().encode()).hexdigest()[:24]}-{address}"
