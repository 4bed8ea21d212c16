"""How the resource API says no: in the kernel's own words and shape, as tools do."""

import logging
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import InterfaceError, OperationalError
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler

from toolbox.contract.errors import (
    FORBIDDEN,
    KERNEL_ENVELOPE,
    METHOD_NOT_ALLOWED,
    RATE_LIMITED,
    UNAUTHENTICATED,
    ErrorCode,
    ToolError,
)
from toolbox.resources_api.access import DatabaseAway

logger = logging.getLogger(__name__)

NOT_FOUND = ErrorCode("NOT_FOUND", 404, "There is nothing at this address.")
NOT_ACCEPTABLE = ErrorCode("NOT_ACCEPTABLE", 406, "The resource cannot be had in that format.")

_SUGGESTIONS = {
    KERNEL_ENVELOPE.bad_input: "Mend the parameter; /api/resources/docs lists every filter of a resource.",
    UNAUTHENTICATED: "Send the header 'Authorization: Bearer <key>' with a key that is valid.",
    FORBIDDEN: "Use a key with the domain's read scope.",
    NOT_FOUND: "Follow `next` and `previous` of a page, and ids that a list gave.",
    METHOD_NOT_ALLOWED: "Resources are read with GET; they are changed in the admin.",
    NOT_ACCEPTABLE: "Ask for application/json.",
    RATE_LIMITED: "Wait as long as Retry-After says, then call again.",
    KERNEL_ENVELOPE.database_down: "Database temporarily unavailable. Please try again.",
}
_BY_STATUS = {code.status: code for code in _SUGGESTIONS}


def refuse(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """Give the answer to a planned failure; None leaves an unplanned one to Django."""
    if isinstance(error, (OperationalError, InterfaceError)):
        logger.warning("the database is away: %s", error)
        error = DatabaseAway()
    response = exception_handler(error, dict(context))
    code = _BY_STATUS.get(response.status_code) if response else None
    if response and code:
        message, details = _said(error)
        response.data = KERNEL_ENVELOPE.refusal(
            ToolError(code, message, suggestion=_SUGGESTIONS[code], details=details)
        )
    return response


def _said(error: Exception) -> tuple[str, dict[str, Any]]:
    """Give the sentence, and for parameters each one's own sentences."""
    if isinstance(error, exceptions.ValidationError) and isinstance(error.detail, dict):
        fields = {name: [str(reason) for reason in reasons] for name, reasons in error.detail.items()}
        return " ".join(f"{name}: {' '.join(reasons)}" for name, reasons in fields.items()), {"parameters": fields}
    if isinstance(error, exceptions.NotAuthenticated):
        return "This address needs an API key.", {}
    if isinstance(error, Http404):
        return NOT_FOUND.meaning, {}
    if isinstance(error, PermissionDenied):
        return FORBIDDEN.meaning, {}
    return str(getattr(error, "detail", error)), {}
