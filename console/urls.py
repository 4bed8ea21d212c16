"""Addresses of the pages."""

from django.contrib.auth.views import LogoutView
from django.urls import path

from console import asking, catalogue, entering

app_name = "console"
urlpatterns = [
    path("", asking.home, name="ask"),
    path("tools/", catalogue.index, name="tools"),
    path("login/", entering.log_in, name="log_in"),
    path("login/once/<str:name>/<str:token>/", entering.enter, name="enter"),
    path("logout/", LogoutView.as_view(next_page="console:log_in"), name="log_out"),
]
