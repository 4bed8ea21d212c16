"""The demo user and key of `quickstart`, derived from the secret key so that they need not be stored."""

import base64
import hmac
from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.models import User

from toolbox.contract.caller import API_KEY_PREFIX, hash_api_key
from toolbox.models import ApiKey

USERNAME = "demo"


class DemoKeyRevoked(Exception):
    """The demo key was revoked; quickstart does not restore it by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Demo:
    """The demo user's log-in and API key."""

    user: User
    username: str
    password: str
    key: str


def ensure_demo() -> Demo:
    """Create the demo user (staff, superuser) and its key with every scope, if missing. Raises DemoKeyRevoked."""
    user, is_new = User.objects.get_or_create(username=USERNAME, defaults={"is_staff": True, "is_superuser": True})
    password, key = _derive_secret("password")[:16], API_KEY_PREFIX + _derive_secret("api key")
    demo = Demo(user=user, username=USERNAME, password=password, key=key)
    if is_new or not user.check_password(demo.password):
        user.set_password(demo.password)
        user.save()
    known = ApiKey.objects.filter(digest=hash_api_key(demo.key)).first()
    if known and known.revoked_at:
        raise DemoKeyRevoked("the demo key was revoked in the admin; delete it there, and quickstart makes it again")
    if not known:
        ApiKey.make(name="quickstart demo", owner_id=user.pk, scopes=["*:read", "*:write"], key=demo.key)
    return demo


def _derive_secret(purpose: str) -> str:
    secret = hmac.digest(settings.SECRET_KEY.encode(), f"toolroom demo {purpose}".encode(), "sha256")
    return base64.urlsafe_b64encode(secret).decode().rstrip("=")
