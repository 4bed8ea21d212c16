"""The tools, for people."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


@login_required
def index(request: HttpRequest) -> HttpResponse:
    """Show every tool that this person may use."""
    return render(request, "console/tools.html")
