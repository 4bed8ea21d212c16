"""Access to the resource API: only callers that the one entry has admitted."""

from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from toolbox.contract.caller import Caller

_CALLER = "_toolroom_caller"


def admit(request: HttpRequest, *, caller: Caller) -> None:
    """Mark a request as admitted by the entry."""
    setattr(request, _CALLER, caller)


class EntryAuthentication(BaseAuthentication):
    """Takes the caller from the entry; it becomes `request.auth`."""

    def authenticate(self, request: Request) -> tuple[Any, Caller] | None:
        """Return the caller; None if the request did not pass the entry."""
        caller: Caller | None = getattr(request._request, _CALLER, None)  # noqa: SLF001 - DRF has no public name for it
        return (AnonymousUser(), caller) if caller else None


class PassedEntry(BasePermission):
    """Refuses every request that did not pass the entry, so that a view that forgets it shows nothing."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Return whether the entry admitted the request."""
        return isinstance(request.auth, Caller)
