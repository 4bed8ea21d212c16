"""Who may read the resource API, how often, and how many rows a page holds: the same keys and scopes as for tools."""

from typing import Any

from django.contrib.auth.models import AnonymousUser
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import APIException, AuthenticationFailed, NotFound, ValidationError
from rest_framework.pagination import PageNumberPagination
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from toolbox.access.keys import identify
from toolbox.access.limits import call_limits
from toolbox.contract.caller import Caller
from toolbox.contract.errors import Bearer, DatabaseUnavailable, Refusal, Unauthenticated
from toolbox.database import event_loop
from toolbox.http.headers import read_credential, render_challenge
from toolbox.http.server_address import metadata_address, site_of


class DatabaseAway(APIException):
    """The database cannot be asked, for the key or for the rows; or whoever signs tokens cannot."""

    status_code = 503
    default_detail = "The database is not reachable."
    default_code = "database_error"


class KeyAuthentication(BaseAuthentication):
    """Authenticate by API key; the caller becomes `request.auth`."""

    def authenticate(self, request: Request) -> tuple[AnonymousUser, Caller] | None:
        """Look the key up; None where there is none, so that a session may do."""
        key = read_credential(request.headers.get("Authorization", ""), api_key=request.headers.get("X-API-Key", ""))
        if key is None:
            return None
        try:
            return AnonymousUser(), event_loop.run(identify(key))
        except Unauthenticated as refusal:
            raise AuthenticationFailed(refusal.message) from refusal
        except Refusal as refusal:  # whoever could tell, an outside issuer, is away
            raise DatabaseAway(refusal.message) from refusal
        except DatabaseUnavailable as away:
            raise DatabaseAway from away

    def authenticate_header(self, request: Request) -> str:
        """Tell what to send."""
        sent = bool(request.headers.get("Authorization") or request.headers.get("X-API-Key"))
        return render_challenge(
            Bearer(error="invalid_token" if sent else ""),
            metadata=metadata_address(site_of(request)),
        )


class MayReadDomain(BasePermission):
    """Let in keys with the read scope of the view's `domain`, and staff who are logged in."""

    message = "This key or user may not read this domain."

    def has_permission(self, request: Request, view: Any) -> bool:
        """Ask the view for its `domain`; a view without one is open to staff alone."""
        if isinstance(request.auth, Caller):
            return request.auth.has(f"{getattr(view, 'domain', '?')}:read")
        user: Any = request.user
        return bool(user and user.is_active and user.is_staff)


class KeyThrottle(BaseThrottle):
    """Count requests of a key together with its tool calls; people who are logged in are not counted."""

    _wait: float | None = None

    def allow_request(self, request: Request, view: Any) -> bool:
        """Count this request; False when the key has used up its minute."""
        if not isinstance(request.auth, Caller):
            return True
        try:
            event_loop.run(call_limits.count(request.auth))
        except Refusal as refusal:
            self._wait = refusal.retry_after_seconds
            return False
        return True

    def wait(self) -> float | None:
        """Give the seconds until the key may call again."""
        return self._wait


class Page(PageNumberPagination):
    """Pages of 100 rows, up to 1,000 by `page_size`; nonsense is refused, never replaced by a default."""

    page_size_query_param = "page_size"
    max_page_size = 1000
    last_page_strings = ()

    def get_page_size(self, request: Request) -> int | None:
        """Read `page_size`, from 1 to 1000."""
        size = self._whole_number(request, self.page_size_query_param, default=self.page_size)
        if size is not None and not 1 <= size <= self.max_page_size:
            raise ValidationError({self.page_size_query_param: [f"A page holds 1 to {self.max_page_size} rows."]})
        return size

    def get_page_number(self, request: Request, paginator: Any) -> int:
        """Read `page`, which must be there."""
        number = self._whole_number(request, self.page_query_param, default=1) or 0
        if number < 1:
            raise ValidationError({self.page_query_param: ["Pages are counted from 1."]})
        if number > paginator.num_pages:
            raise NotFound(f"There is no page {number}; the last is page {paginator.num_pages}.")
        return number

    def _whole_number(self, request: Request, name: str, *, default: int | None) -> int | None:
        given = request.query_params.get(name)
        if given is None:
            return default
        if not (given.isascii() and given.isdigit() and len(given) <= len(str(2**63))):
            raise ValidationError({name: ["A whole number is needed."]})
        return int(given)
