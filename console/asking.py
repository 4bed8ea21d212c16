"""Conversations, as their owners see them."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


@login_required
def home(request: HttpRequest) -> HttpResponse:
    """Show where to ask, and what was asked before."""
    return render(request, "console/ask.html")
