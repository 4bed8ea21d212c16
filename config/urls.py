"""The URL configuration: every address that Django serves."""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularJSONAPIView, SpectacularSwaggerView

from agents import api as agents_api
from backtests import resources_api as backtests_resources
from backtests.uploads import endpoints as backtests_api
from devassist import api as devassist_api
from linescore import resources_api as linescore_resources
from linescore.graphql.on_demand import view as hockey_graphql
from sprints import api as sprints_api
from sprints import resources_api as sprints_resources
from toolbox.catalogue.registry import registry
from toolbox.oauth.metadata import protected_resource
from toolbox.rest.endpoints import ToolsAPI, tools_router

api = ToolsAPI(
    title="Toolroom",
    version="1",
    description="Tools for LLM agents. Every call needs an API key: `Authorization: Bearer <key>`.",
)
api.add_router("/agents", agents_api.router)
api.add_router("/tools", tools_router(registry))
api.add_router("/backtests", backtests_api.router)
api.add_router("/devassist", devassist_api.router)
api.add_router("/sprints", sprints_api.router)

handler400 = "config.observability.error_pages.show_refusal"
handler404 = "config.observability.error_pages.show_missing"
handler500 = "config.observability.error_pages.show_failure"

admin.autodiscover()
urlpatterns = [
    path(".well-known/oauth-protected-resource", protected_resource, name="protected-resource"),
    path(".well-known/oauth-protected-resource/<path:path>", protected_resource),
    path("", include("console.urls")),
    path("linescore/", include("linescore.pages")),
    path("devassist/", include("devassist.pages")),
    path("schemas/", include("graphql_proxy.pages")),
    path("backtests/", include("backtests.pages.urls")),
    path("sprints/", include("sprints.boards.pages")),
    path("admin/", admin.site.urls),
    path("api/resources/backtests/", include(backtests_resources.router.urls)),
    path("api/resources/linescore/", include(linescore_resources.router.urls)),
    path("api/resources/sprints/", include(sprints_resources.router.urls)),
    path("api/resources/", RedirectView.as_view(pattern_name="resources-docs")),
    path("api/resources/openapi.json", SpectacularJSONAPIView.as_view(), name="resources-openapi"),
    path("api/resources/docs", SpectacularSwaggerView.as_view(url_name="resources-openapi"), name="resources-docs"),
    path("api/", api.urls),
    *([path("", include("config.oauth_urls"))] if settings.TOOLROOM_OAUTH else []),
    path("graphql/", hockey_graphql),
]
