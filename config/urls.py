"""Every address that Django serves."""

from django.contrib import admin
from django.urls import path
from ninja import NinjaAPI

from toolbox.registry import registry
from toolbox.rest import tools_router

api = NinjaAPI(
    title="Toolroom",
    version="1",
    description="Tools for LLM agents. Every call needs an API key: `Authorization: Bearer <key>`.",
    openapi_extra={"components": {"securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}}},
)
api.add_router("/tools", tools_router(registry))

urlpatterns = [
    path("admin/", admin.site.urls),
    path("api/", api.urls),
]
