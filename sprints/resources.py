"""MCP resources of this domain: boards and sprints, with completions of teams, sprints and people."""

from typing import Annotated, Any

from sprints.documents import queries
from sprints.documents.queries import Row
from sprints.tools import toolkit
from toolbox.contract.encoding import encode
from toolbox.contract.errors import KERNEL_ENVELOPE, ToolError
from toolbox.contract.resources import CompletionRequest

JSON = "application/json"
BOARD = "sprints://teams/{team}"
SPRINT = "sprints://sprints/{sprint}"
KEEP_SECONDS = 60.0


async def _teams(typed: CompletionRequest) -> list[str]:
    return await queries.teams(typed.text)


async def _sprints(typed: CompletionRequest) -> list[str]:
    return await queries.sprints(typed.text, team=typed.chosen.get("team", ""))


async def _people(typed: CompletionRequest) -> list[str]:
    return await queries.people(typed.text)


toolkit.completers.update(team=_teams, sprint=_sprints, person=_people)


@toolkit.resource(BOARD, title="A team's board", mime_type=JSON, ttl_seconds=KEEP_SECONDS, completes={"team": _teams})
async def sprints_board(team: Annotated[str, "The team's key, as ACCEL, or its id."]) -> str | None:
    """Show a team's velocity over its last sixteen sprints, its sprints under way, its open issues by status."""
    found = _select_one(await queries.teams_called(team), kind="team", said=team)
    return _write_document({"team": found} | await queries.board(found["team_id"])) if found else None


@toolkit.resource(SPRINT, title="A sprint", mime_type=JSON, ttl_seconds=KEEP_SECONDS, completes={"sprint": _sprints})
async def sprints_sprint(sprint: Annotated[str, "The sprint's name or id."]) -> str | None:
    """Show what a sprint came to: committed, added, completed, carried over; its days; what changed its scope."""
    found = _select_one(await queries.sprints_called(sprint), kind="sprint", said=sprint)
    return _write_document(await queries.sprint(found["sprint_id"])) if found else None


def _select_one(found: list[Row], *, kind: str, said: str) -> Row | None:
    """Return the only match. Raises ToolError if there are several."""
    if len(found) > 1:
        ids = ", ".join(str(row[f"{kind}_id"]) for row in found)
        suggestion = f"Put an id into the address, such as one of {ids}."
        raise ToolError(KERNEL_ENVELOPE.bad_input, f"Several are called {said[:80]!r}.", suggestion=suggestion)
    return found[0] if found else None


def _write_document(document: dict[str, Any]) -> str:
    return encode(document).decode()
