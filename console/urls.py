"""Addresses of the pages."""

from django.contrib.auth.views import LogoutView
from django.urls import path

from console import asking, catalogue, conversation, deciding, entering, letting_in

app_name = "console"
ONE = "c/<uuid:conversation_id>/"
RUN = f"{ONE}runs/<uuid:run_id>/"
urlpatterns = [
    path("", asking.home, name="ask"),
    path("ask/", asking.begin, name="begin"),
    path(ONE, conversation.page, name="conversation"),
    path(f"{ONE}say/", deciding.say, name="say"),
    path(f"{ONE}rename/", deciding.rename, name="rename"),
    path(f"{ONE}share/", deciding.share, name="share"),
    path(f"{ONE}fork/", deciding.fork, name="fork"),
    path(f"{ONE}delete/", deciding.delete, name="delete"),
    path(RUN, conversation.run, name="run"),
    path(f"{RUN}steps/<int:number>/", conversation.step, name="step"),
    path(f"{RUN}<slug:word>/", deciding.decide, name="decide"),
    path("tools/", catalogue.index, name="tools"),
    path("tools/<str:name>/", catalogue.show, name="tool"),
    path("clients/", letting_in.index, name="clients"),
    path("clients/<int:client_id>/end/", letting_in.end, name="end_client"),
    path("login/", entering.log_in, name="log_in"),
    path("login/once/<str:name>/<str:token>/", entering.enter, name="enter"),
    path("logout/", LogoutView.as_view(next_page="console:log_in"), name="log_out"),
]
