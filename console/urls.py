"""Addresses of the console's pages."""

from django.contrib.auth.views import LogoutView
from django.urls import path

from console import data
from console.accounts import login, oauth_clients
from console.activity import pages as activity
from console.connect import pages as connect
from console.conversations import actions, ask, pages
from console.teaching import pages as teaching
from console.tools import pages as tools

app_name = "console"
ONE = "c/<uuid:conversation_id>/"
RUN = f"{ONE}runs/<uuid:run_id>/"
urlpatterns = [
    path("", ask.show_ask_page, name="ask"),
    path("ask/", actions.begin, name="begin"),
    path(ONE, pages.show, name="conversation"),
    path(f"{ONE}say/", actions.say, name="say"),
    path(f"{ONE}rename/", actions.rename, name="rename"),
    path(f"{ONE}share/", actions.share, name="share"),
    path(f"{ONE}fork/", actions.fork, name="fork"),
    path(f"{ONE}delete/", actions.delete, name="delete"),
    path(RUN, pages.run, name="run"),
    path(f"{RUN}steps/<int:number>/", pages.step, name="step"),
    path(f"{RUN}steps/<int:number>/picture/", pages.picture, name="picture"),
    path(f"{RUN}<slug:word>/", actions.decide, name="decide"),
    path("teach/", teaching.show_teach_page, name="teach"),
    path("teach/save/", teaching.teach, name="teach_save"),
    path("teach/published/", teaching.show_published, name="teach_published"),
    path("teach/answered/", teaching.show_answerable, name="teach_answerable"),
    path("tools/", tools.index, name="tools"),
    path("tools/<str:name>/", tools.show, name="tool"),
    path("activity/", activity.list_calls, name="activity"),
    path("activity/calls/<int:call_id>/", activity.open_call, name="call"),
    path("activity/conversations/<uuid:conversation_id>/", activity.show_conversation, name="activity_conversation"),
    path("activity/queue/", activity.show_queue, name="activity_queue"),
    path("activity/trends/", activity.show_trends, name="activity_trends"),
    path("data/", data.list_domains, name="data"),
    path("connect/", connect.show_connect_page, name="connect"),
    path("connect/key/", connect.make_client_key, name="make_client_key"),
    path("connect/calls/", connect.show_first_calls, name="first_calls"),
    path("clients/", oauth_clients.index, name="clients"),
    path("clients/<int:client_id>/end/", oauth_clients.end, name="end_client"),
    path("login/", login.log_in, name="log_in"),
    path("login/once/<str:name>/<str:token>/", login.enter, name="enter"),
    path("logout/", LogoutView.as_view(next_page="console:log_in"), name="log_out"),
]
