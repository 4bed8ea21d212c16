"""The admin's sidebar: lists in groups, each with an icon; only those that the person may see."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse

OTHER = "More"
GROUPS: dict[str, dict[str, str]] = {
    "Hockey": {
        "linescore.game": "sports_hockey", "linescore.team": "groups", "linescore.periodresult": "scoreboard",
        "linescore.missinggame": "event_busy",
    },
    "Backtests": {"backtests.run": "candlestick_chart", "backtests.quarantinedline": "report"},
    "Sprints": {
        "sprints.verifiedquery": "verified", "sprints.termsynonym": "spellcheck", "sprints.sprint": "sprint",
        "sprints.issue": "task_alt", "sprints.team": "groups", "sprints.user": "person", "sprints.status": "label",
        "sprints.organisation": "corporate_fare", "sprints.quarantinedrecord": "report",
    },
    "Code and errors": {
        "devassist.rootcause": "bug_report", "devassist.workspace": "folder_code", "devassist.docpage": "menu_book",
        "devassist.websource": "travel_explore", "devassist.webanswer": "quick_reference",
    },
    "GraphQL": {
        "graphql_proxy.upstream": "dns", "graphql_proxy.schemasnapshot": "schema",
        "graphql_proxy.savedoperation": "bookmark", "graphql_proxy.errorhint": "lightbulb",
        "graphql_proxy.upstreamrefusal": "block",
    },
    "Agents": {
        "agents.conversation": "forum", "agents.run": "play_circle", "agents.step": "steps",
        "agents.budget": "savings", "agents.dailyusage": "bar_chart", "agents.modelprice": "sell",
    },
    "Curation": {
        "toolbox.example": "school", "toolbox.namealias": "badge", "toolbox.curatedprompt": "chat_bubble",
    },
    "Operation": {
        "toolbox.toolcall": "history", "toolbox.job": "upload", "toolbox.task": "checklist",
        "toolbox.serverprocess": "memory", "admin.logentry": "manage_history",
    },
    "Access": {
        "toolbox.apikey": "key", "auth.user": "person", "auth.group": "group",
        "oauth2_provider.application": "apps", "oauth2_provider.accesstoken": "token",
        "oauth2_provider.refreshtoken": "autorenew", "oauth2_provider.grant": "handshake",
        "oauth2_provider.idtoken": "badge",
    },
}  # fmt: skip
"""The groups in order; each list by its model's label, with the name of a Material symbol."""


def list_groups(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the groups as the admin's theme reads them; lists without a group are under More."""
    visible = {
        f"{app['app_label']}.{model['object_name']}".lower(): model
        for app in admin.site.get_app_list(request)
        for model in app["models"]
        if model["admin_url"]
    }
    named = {label for icons in GROUPS.values() for label in icons}
    groups = GROUPS | {OTHER: {label: "table_rows" for label in visible if label not in named}}
    home = {"title": "Overview", "icon": "dashboard", "link": reverse("admin:index")}
    return [
        {"title": "", "items": [home]},
        *(
            {
                "title": title,
                "items": [
                    {"title": visible[label]["name"], "icon": icon, "link": visible[label]["admin_url"]}
                    for label, icon in icons.items()
                    if label in visible
                ],
            }
            for title, icons in groups.items()
            if icons.keys() & visible.keys()
        ),
    ]
