"""Lazy import of the view of `/graphql/`: Strawberry and the schema take 5 MB that most processes never need."""

from collections.abc import Awaitable
from typing import cast

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt


@csrf_exempt
async def view(request: HttpRequest) -> HttpResponseBase:
    """Pass the request to the view of the hockey API."""
    from linescore.graphql.views import view as hockey  # noqa: PLC0415

    return await cast("Awaitable[HttpResponseBase]", hockey(request))
