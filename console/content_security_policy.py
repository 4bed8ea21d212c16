"""The Content-Security-Policy of our pages: a browser loads files of this server, and nothing else."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.deprecation import MiddlewareMixin

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
OTHERS = ("/admin/", "/api/")
"""Pages of libraries, which contain scripts and styles."""


class ContentSecurityPolicy(MiddlewareMixin):
    """Sends the policy with every page of ours; none contains a script or style."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Add the header."""
        if not request.path.startswith(OTHERS):
            response.headers.setdefault("Content-Security-Policy", POLICY)
        return response
