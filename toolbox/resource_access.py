"""Who may read the resource API, and how many rows a page holds: the same keys and scopes as for tools."""

from typing import Any

from django.contrib.auth.models import AnonymousUser
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import APIException, AuthenticationFailed
from rest_framework.pagination import PageNumberPagination
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from toolbox import home
from toolbox.callers import Caller
from toolbox.errors import DatabaseUnavailable, Refusal
from toolbox.keys import identify
from toolbox.wire import credential


class DatabaseAway(APIException):
    """The key cannot be looked up."""

    status_code = 503
    default_detail = "Database temporarily unavailable. Please try again."
    default_code = "database_error"


class KeyAuthentication(BaseAuthentication):
    """Authenticate by API key; the caller becomes `request.auth`."""

    def authenticate(self, request: Request) -> tuple[AnonymousUser, Caller] | None:
        """Look the key up; None where there is none, so that a session may do."""
        key = credential(request.headers.get("Authorization", ""), api_key=request.headers.get("X-API-Key", ""))
        if key is None:
            return None
        try:
            return AnonymousUser(), home.run(identify(key))
        except Refusal as refusal:
            raise AuthenticationFailed(refusal.message) from refusal
        except DatabaseUnavailable as away:
            raise DatabaseAway from away

    def authenticate_header(self, request: Request) -> str:
        """Tell what to send."""
        return 'Bearer realm="Toolroom"'


class MayReadDomain(BasePermission):
    """Let in keys with the domain's read scope, and staff who are logged in."""

    message = "This key lacks the domain's read scope."

    def has_permission(self, request: Request, view: Any) -> bool:
        """Ask the view for its `domain`."""
        if isinstance(request.auth, Caller):
            return request.auth.has(f"{getattr(view, 'domain', '?')}:read")
        user: Any = request.user
        return bool(user and user.is_staff)


class Page(PageNumberPagination):
    """Pages of 100 rows, up to 1,000 by `page_size`."""

    page_size_query_param = "page_size"
    max_page_size = 1000
