"""The addresses of our authorization server, under the names that django-oauth-toolkit uses."""

from django.urls import path
from oauth2_provider import views

from console.accounts.oauth_consent import ConsentView
from toolbox.oauth.endpoints import ClientConfigurationView, RegistrationView, RevocationView, TokensView

app_name = "oauth2_provider"
METADATA = ".well-known/oauth-authorization-server"
urlpatterns = [
    path(METADATA, views.OAuthServerMetadataView.as_view(), name="oauth-server-metadata"),
    path("oauth/authorize/", ConsentView.as_view(), name="authorize"),
    path("oauth/token/", TokensView.as_view(), name="token"),
    path("oauth/revoke/", RevocationView.as_view(), name="revoke-token"),
    path("oauth/register/", RegistrationView.as_view(), name="dcr-register"),
    path(
        "oauth/register/<str:client_id>/",
        ClientConfigurationView.as_view(),
        name="dcr-register-management",
    ),
]
