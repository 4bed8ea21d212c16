"""Storing of teams, people, statuses and sprints, and lookup of their ids."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid5

from django.db import connection

from sprints.ingest.record import Batch
from sprints.models import Organisation

_TEAMS = """
INSERT INTO sprints_teams (team_id, organisation_id, team_key, team_name, external_id)
SELECT team_id, %(organisation)s, team_key, team_name, external_id
FROM unnest(%(ids)s::uuid[], %(keys)s::text[], %(names)s::text[], %(external)s::text[])
  AS given (team_id, team_key, team_name, external_id)
ON CONFLICT (organisation_id, team_key) DO UPDATE
SET team_name = EXCLUDED.team_name, external_id = EXCLUDED.external_id
WHERE %(replaces)s AND EXCLUDED.external_id <> ''
  AND (sprints_teams.team_name, sprints_teams.external_id) IS DISTINCT FROM (EXCLUDED.team_name, EXCLUDED.external_id)
"""
_USERS = """
INSERT INTO sprints_users (user_id, organisation_id, external_id, full_name, email, is_active, team_id)
SELECT user_id, %(organisation)s, external_id, full_name, email, is_active, team_id
FROM unnest(%(ids)s::uuid[], %(external)s::text[], %(names)s::text[], %(emails)s::text[], %(active)s::boolean[],
            %(teams)s::uuid[])
  AS given (user_id, external_id, full_name, email, is_active, team_id)
ON CONFLICT (organisation_id, external_id) DO UPDATE
SET full_name = EXCLUDED.full_name, is_active = EXCLUDED.is_active,
    email = coalesce(nullif(EXCLUDED.email, ''), sprints_users.email),
    team_id = coalesce(EXCLUDED.team_id, sprints_users.team_id)
WHERE %(replaces)s AND (sprints_users.full_name, sprints_users.is_active, sprints_users.email, sprints_users.team_id)
  IS DISTINCT FROM (EXCLUDED.full_name, EXCLUDED.is_active, coalesce(nullif(EXCLUDED.email, ''), sprints_users.email),
                    coalesce(EXCLUDED.team_id, sprints_users.team_id))
"""
_STATUSES = """
INSERT INTO sprints_statuses (organisation_id, status_name, status_category)
SELECT %(organisation)s, status_name, status_category
FROM unnest(%(names)s::text[], %(categories)s::text[]) AS given (status_name, status_category)
ON CONFLICT (organisation_id, status_name) DO NOTHING
"""
_MOVED = """
SELECT p.sprint_id
FROM sprints_sprints AS p
JOIN unnest(%(external)s::text[], %(states)s::text[], %(started)s::timestamptz[], %(ends)s::timestamptz[],
            %(completed)s::timestamptz[])
  AS given (external_id, state, started_at, ends_at, completed_at) USING (external_id)
WHERE p.organisation_id = %(organisation)s AND %(replaces)s
  AND (p.state, p.started_at, p.ends_at, p.completed_at) IS DISTINCT FROM
      (given.state, given.started_at, given.ends_at, given.completed_at)
"""
_SPRINTS = """
INSERT INTO sprints_sprints
  (sprint_id, organisation_id, external_id, sprint_name, state, goal, started_at, ends_at, completed_at, team_id)
SELECT sprint_id, %(organisation)s, external_id, sprint_name, state, goal, started_at, ends_at, completed_at, team_id
FROM unnest(%(ids)s::uuid[], %(external)s::text[], %(names)s::text[], %(states)s::text[], %(goals)s::text[],
            %(started)s::timestamptz[], %(ends)s::timestamptz[], %(completed)s::timestamptz[], %(teams)s::uuid[])
  AS given (sprint_id, external_id, sprint_name, state, goal, started_at, ends_at, completed_at, team_id)
ON CONFLICT (organisation_id, external_id) DO UPDATE
SET sprint_name = EXCLUDED.sprint_name, state = EXCLUDED.state, goal = EXCLUDED.goal,
    started_at = EXCLUDED.started_at, ends_at = EXCLUDED.ends_at, completed_at = EXCLUDED.completed_at,
    team_id = coalesce(EXCLUDED.team_id, sprints_sprints.team_id)
WHERE %(replaces)s AND
  (sprints_sprints.sprint_name, sprints_sprints.state, sprints_sprints.goal, sprints_sprints.started_at,
   sprints_sprints.ends_at, sprints_sprints.completed_at, sprints_sprints.team_id) IS DISTINCT FROM
  (EXCLUDED.sprint_name, EXCLUDED.state, EXCLUDED.goal, EXCLUDED.started_at, EXCLUDED.ends_at, EXCLUDED.completed_at,
   coalesce(EXCLUDED.team_id, sprints_sprints.team_id))
"""
_ISSUES_OF_SPRINTS = "SELECT DISTINCT issue_id FROM sprints_sprint_issues WHERE sprint_id = ANY (%s)"


@dataclass(slots=True)
class References:
    """Ids of teams, people, statuses and sprints by key, account, name and the source's id."""

    teams: dict[str, UUID] = field(default_factory=dict)
    users: dict[str, UUID] = field(default_factory=dict)
    statuses: dict[str, int] = field(default_factory=dict)
    sprints: dict[str, UUID] = field(default_factory=dict)
    changed_sprint_issues: list[UUID] = field(default_factory=list)
    """Issues of sprints that were started, moved or closed, whose derived columns are stale."""
    written_teams: int = 0
    written_users: int = 0
    written_sprints: int = 0


def write_references(batch: Batch, *, organisation: Organisation, replaces_stored: bool) -> References:
    """Store the batch's teams, people, statuses and sprints, and find all references. Runs eleven statements."""
    references = References()
    common = {"organisation": organisation.pk, "replaces": replaces_stored}
    _write_teams(batch, common=common, references=references)
    _write_users(batch, common=common, references=references)
    _run(_STATUSES, common, names=list(batch.statuses), categories=[s.status_category for s in batch.statuses.values()])
    references.statuses = _select_ids("sprints_statuses", "status_name", "status_id", common=common)
    _write_sprints(batch, common=common, references=references)
    return references


def _write_teams(batch: Batch, *, common: dict[str, Any], references: References) -> None:
    teams = batch.teams.values()
    references.written_teams = _run(
        _TEAMS, common,
        ids=[uuid5(common["organisation"], f"team:{team.team_key}") for team in teams],
        keys=[team.team_key for team in teams], names=[team.team_name for team in teams],
        external=[team.external_id for team in teams],
    )  # fmt: skip
    references.teams = _select_ids("sprints_teams", "team_key", "team_id", common=common)


def _write_users(batch: Batch, *, common: dict[str, Any], references: References) -> None:
    users = batch.users.values()
    references.written_users = _run(
        _USERS, common,
        ids=[uuid5(common["organisation"], f"user:{user.external_id}") for user in users],
        external=[user.external_id for user in users], names=[user.full_name for user in users],
        emails=[user.email for user in users], active=[user.is_active for user in users],
        teams=[references.teams.get(user.team_key) for user in users],
    )  # fmt: skip
    named = {name for issue in batch.issues.values() for name in (issue.assignee, issue.reporter)}
    named |= {move.author for issue in batch.issues.values() for move in issue.moves}
    named |= {made.author for issue in batch.issues.values() for made in issue.estimates}
    references.users = _select_ids("sprints_users", "external_id", "user_id", common=common, wanted=sorted(named))


def _write_sprints(batch: Batch, *, common: dict[str, Any], references: References) -> None:
    sprints = batch.sprints.values()
    team_of_sprint = batch.teams_of_sprints()
    given: dict[str, Any] = {
        "ids": [uuid5(common["organisation"], f"sprint:{sprint.external_id}") for sprint in sprints],
        "external": [sprint.external_id for sprint in sprints],
        "names": [sprint.sprint_name for sprint in sprints],
        "states": [sprint.state for sprint in sprints],
        "goals": [sprint.goal for sprint in sprints],
        "started": [sprint.started_at for sprint in sprints],
        "ends": [sprint.ends_at for sprint in sprints],
        "completed": [sprint.completed_at for sprint in sprints],
        "teams": [references.teams.get(team_of_sprint.get(sprint.external_id, "")) for sprint in sprints],
    }
    with connection.cursor() as cursor:
        cursor.execute(_MOVED, common | given)
        moved = [row[0] for row in cursor.fetchall()]
        references.written_sprints = _run(_SPRINTS, common, **given)
        cursor.execute(_ISSUES_OF_SPRINTS, [moved])
        references.changed_sprint_issues = [row[0] for row in cursor.fetchall()]
    named = {one.sprint for issue in batch.issues.values() for one in issue.memberships}
    references.sprints = _select_ids("sprints_sprints", "external_id", "sprint_id", common=common, wanted=sorted(named))


def _run(statement: str, common: dict[str, Any], **given: Sequence[Any]) -> int:
    """Run the statement and return the number of rows."""
    with connection.cursor() as cursor:
        cursor.execute(statement, common | given)
        written: int = cursor.rowcount
    return max(written, 0)


def _select_ids(
    table: str, name: str, key: str, *, common: dict[str, Any], wanted: list[str] | None = None
) -> dict[str, Any]:
    chosen = "" if wanted is None else f" AND {name} = ANY (%(wanted)s)"
    statement = f"SELECT {name}, {key} FROM {table} WHERE organisation_id = %(organisation)s{chosen}"  # noqa: S608 - our own words
    with connection.cursor() as cursor:
        cursor.execute(statement, common | {"wanted": wanted})
        return dict(cursor.fetchall())
