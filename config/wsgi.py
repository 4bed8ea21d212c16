"""The entry for WSGI servers: everything but MCP, and slower; ASGI is what Toolroom is made for."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_wsgi_application()
