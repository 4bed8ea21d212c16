"""Addresses of the pages at /backtests/. A page is imported by its first request, and numpy with it."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import path

PAGES = "backtests.pages"


def load_view(module: str, *, name: str) -> Callable[..., HttpResponseBase]:
    """Return a view that imports the page's own view with its first request."""

    def view(request: HttpRequest, **parameters: Any) -> HttpResponseBase:
        response: HttpResponseBase = getattr(import_module(f"{PAGES}.{module}"), name)(request, **parameters)
        return response

    return view


app_name = "backtests"
urlpatterns = [
    path("", load_view("runs", name="runs"), name="runs"),
    path("compare/", load_view("runs", name="compare"), name="compare"),
    path("engines/", load_view("engines", name="engines"), name="engines"),
    path("sweeps/", load_view("sweeps", name="sweeps"), name="sweeps"),
    path("sweeps/ranking.<str:kind>", load_view("exports", name="export_ranking"), name="export_ranking"),
    path("runs/<uuid:run_id>/", load_view("runs", name="run"), name="run"),
    path("runs/<uuid:run_id>/trades/", load_view("trades", name="trades"), name="trades"),
    path("runs/<uuid:run_id>/trades.<str:kind>", load_view("exports", name="export_trades"), name="export_trades"),
    path("runs/<uuid:run_id>/days.<str:kind>", load_view("exports", name="export_days"), name="export_days"),
    path("runs/<uuid:run_id>/attribution/", load_view("trades", name="attribution"), name="attribution"),
    path("runs/<uuid:run_id>/events/<uuid:event_id>/", load_view("runs", name="event"), name="event"),
]
