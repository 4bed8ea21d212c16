"""
How often somebody may try to log in: ten wrong passwords for a name from an address, in ten minutes.

Every attempt counts before its password is looked at, so that a hundred at once are no way around; one that succeeds
begins the count anew. Counted by name and address together, so that nobody is shut out from elsewhere. A link that
logs in (`manage.py login_link`) is not counted: it cannot be guessed.
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


class _Counted(AuthenticationForm):
    """A log-in form whose attempts are counted."""

    def clean(self) -> dict[str, Any]:
        """Look at the password only where there were not too many before it."""
        address = self.request.META.get("REMOTE_ADDR", "") if self.request else ""
        key = _key(self.cleaned_data.get("username") or "", address=address)
        if wait := event_loop.run(call_limits.hit(WINDOW, key=key)):
            minutes = -(-wait // 60)
            raise ValidationError(
                f"Too many wrong passwords for this name. Wait {minutes} minute{'s' if minutes > 1 else ''}, or have "
                "whoever runs this server print a link: manage.py login_link.",
                code=TOO_MANY,
            )
        cleaned: dict[str, Any] = super().clean()
        event_loop.run(call_limits.clear(WINDOW, key=key))
        return cleaned


class RateLimitedLoginView(_Counted):
    """The console's."""


class RateLimitedAdminLogin(_Counted, AdminAuthenticationForm):  # type: ignore[misc]  # unfold has no types
    """The admin's."""


def _key(name: str, *, address: str) -> str:
    return f"toolroom-login-{sha256(name.casefold().encode()).hexdigest()[:24]}-{address}"
