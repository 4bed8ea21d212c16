"""SQL of the team and sprint resources and their completions, each with a limit."""

from typing import Any

from sprints.boards.queries import CARRIED, CHANGES, DAYS, SUMMARY, VELOCITY
from toolbox.database.pools import reader

Row = dict[str, Any]

_TEAM = """
SELECT team_id, team_key, team_name FROM sprintscope.teams
WHERE team_id::text = lower(%(said)s) OR lower(team_key) = lower(%(said)s) LIMIT 2
"""
_SPRINT = """
SELECT sprint_id, sprint_name FROM sprintscope.sprints
WHERE sprint_id::text = lower(%(said)s) OR lower(sprint_name) = lower(%(said)s) LIMIT 2
"""
_OPEN = """
SELECT status, status_category, count(*) AS issues, sum(story_points) AS points
FROM sprintscope.issues WHERE team_id = %s AND status_category <> 'Done'
GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 50
"""
_RUNNING = """
SELECT sprint_id, sprint_name, state, started_at, ends_at FROM sprintscope.sprints
WHERE team_id = %s AND state <> 'closed' ORDER BY started_at NULLS LAST LIMIT 20
"""
_TEAMS = """
SELECT team_key AS value FROM sprintscope.teams
WHERE starts_with(lower(team_key), lower(%(typed)s)) OR starts_with(lower(team_name), lower(%(typed)s))
ORDER BY team_key LIMIT 101
"""
_SPRINTS = """
SELECT s.sprint_name AS value FROM sprintscope.sprints AS s LEFT JOIN sprintscope.teams AS t USING (team_id)
WHERE starts_with(lower(s.sprint_name), lower(%(typed)s))
  AND (%(team)s = '' OR lower(t.team_key) = lower(%(team)s))
ORDER BY s.started_at DESC NULLS LAST, s.sprint_name LIMIT 101
"""
_PEOPLE = """
SELECT DISTINCT full_name AS value FROM sprintscope.users
WHERE starts_with(lower(full_name), lower(%(typed)s)) ORDER BY full_name LIMIT 101
"""


async def teams_called(said: str) -> list[Row]:
    """Return the team of this id or key. Two if several have the key."""
    return (await reader.fetch(_TEAM, {"said": said})).rows


async def sprints_called(said: str) -> list[Row]:
    """Return the sprint of this id or name. Two if several have the name."""
    return (await reader.fetch(_SPRINT, {"said": said})).rows


async def board(team_id: object) -> Row:
    """Return a team's velocity, its sprints that are not closed, and its open issues by status."""
    return {
        "velocity": (await reader.fetch(VELOCITY, [team_id])).rows,
        "sprints": (await reader.fetch(_RUNNING, [team_id])).rows,
        "openIssues": (await reader.fetch(_OPEN, [team_id])).rows,
    }


async def sprint(sprint_id: object) -> Row:
    """Return a sprint's sums, days, scope changes, and unfinished issues."""
    return {
        "summary": next(iter((await reader.fetch(SUMMARY, [sprint_id])).rows), None),
        "days": (await reader.fetch(DAYS, [sprint_id])).rows,
        "scopeChanges": (await reader.fetch(CHANGES, [sprint_id])).rows,
        "carriedOver": (await reader.fetch(CARRIED, [sprint_id])).rows,
    }


async def teams(typed: str) -> list[str]:
    """Return keys of teams whose key or name begins with a text."""
    return await _values(_TEAMS, typed=typed)


async def sprints(typed: str, *, team: str) -> list[str]:
    """Return names of sprints, the latest first, optionally of one team."""
    return await _values(_SPRINTS, typed=typed, team=team)


async def people(typed: str) -> list[str]:
    """Return names of people."""
    return await _values(_PEOPLE, typed=typed)


async def _values(statement: str, **parameters: str) -> list[str]:
    return [row["value"] for row in (await reader.fetch(statement, parameters)).rows]
