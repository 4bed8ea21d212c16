"""Console pages of a team's board: burndown, velocity, cycle time, ageing, with a selection of team and sprint."""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.utils.html import format_html

from sprints.boards import queries as board_queries
from sprints.boards.panels import Links, Row, sprint_panels, team_panels
from sprints.boards.queries import Rows
from toolbox.http.pages import require_scope

SCOPE = "sprints:read"


@require_scope(scope=SCOPE)
def board(request: HttpRequest) -> HttpResponse:
    """Show a team and a sprint: the requested ones, by default the first team and its active sprint."""
    team_id, sprint_id = _read_id(request, name="team"), _read_id(request, name="sprint")
    if sprint_id and not team_id:
        team_id = board_queries.team_of(sprint_id)
        if not team_id:
            raise Http404(f"There is no sprint {sprint_id}.")
    teams = board_queries.teams()
    team = _team(teams, team_id=team_id)
    if team is None:
        return render(request, "sprints/board.html")
    sprints = board_queries.sprints(team["team_id"])
    sprint = _sprint(sprints, sprint_id=sprint_id)
    links = Links(issue=_issue_key, sprint=lambda row: _sprint_link(row, team=team))
    total = board_queries.summary(sprint["sprint_id"]) if sprint else {}
    context = {
        "total": total,
        "teams": teams,
        "team": team,
        "sprints": sprints,
        "sprint": sprint,
        "sprint_panels": sprint_panels(sprint["sprint_id"], total=total, links=links) if sprint else [],
        "team_panels": team_panels(team["team_id"], links=links),
    }
    return render(request, "sprints/board.html", context)


def _read_id(request: HttpRequest, *, name: str) -> UUID | None:
    """Parse an id. Raises Http404 if it is malformed."""
    text = request.GET.get(name, "")
    try:
        return UUID(text) if text else None
    except ValueError as error:
        raise Http404(f"{text[:60]!r} is no id of a {name}.") from error


def _team(teams: Rows, *, team_id: UUID | None) -> Row | None:
    """Return the requested team, by default the first. Raises Http404 for an unknown id."""
    found = [team for team in teams if team_id in (None, team["team_id"])]
    if team_id and not found:
        raise Http404(f"There is no team {team_id}.")
    return found[0] if found else None


def _sprint(sprints: Rows, *, sprint_id: UUID | None) -> Row | None:
    """Return the requested sprint. One of another team is replaced by the active or the latest one."""
    order = {"active": 0, "closed": 1, "future": 2}
    asked = [sprint for sprint in sprints if sprint["sprint_id"] == sprint_id]
    return next(iter(asked or sorted(sprints, key=lambda sprint: order.get(sprint["state"], 3))), None)


def _issue_key(row: dict[str, Any]) -> str:
    return str(row["issue_key"])


def _sprint_link(row: Row, *, team: Row) -> str:
    query = urlencode({"team": team["team_id"], "sprint": row["sprint_id"]})
    return format_html('<a href="{}?{}">{}</a>', reverse("sprints:board"), query, row["sprint_name"])


app_name = "sprints"
urlpatterns = [path("", board, name="board")]
