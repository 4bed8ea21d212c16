"""The page of supported engines; its text is the chapters of the domain's README."""

from functools import cache
from importlib.resources import files

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from backtests.pages.run_lookup import SCOPE
from toolbox.http.pages import require_scope

CHAPTERS = ("Bring your engine", "What an event says", "Another engine")


@cache
def read_chapters() -> str:
    """Read these chapters of the README in this order."""
    text = (files("backtests") / "README.md").read_text(encoding="utf-8")
    parts = dict(part.split("\n", 1) for part in text.split("\n## ")[1:])
    return "\n\n".join(f"## {name}\n{parts[name]}" for name in CHAPTERS)


@require_scope(scope=SCOPE)
def engines(request: HttpRequest) -> HttpResponse:
    """Show how runs of each engine are loaded, and how to add an engine."""
    return render(request, "backtests/engines.html", {"text": read_chapters()})
