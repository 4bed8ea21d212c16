"""Epics, parents and links, set once every issue of a load is there; and the team that each person works in."""

from typing import Any

from django.db import connection

from sprints.ingest.record import Doubt, IssueRecord
from sprints.models import Organisation

_RELATE = """
UPDATE sprints_issues AS i
SET epic_id = epic.issue_id, parent_id = parent.issue_id, source_digest = given.digest
FROM unnest(%(ids)s::text[], %(epics)s::text[], %(parents)s::text[], %(digests)s::text[])
  AS given (external_id, epic_key, parent_key, digest)
LEFT JOIN sprints_issues AS epic ON epic.organisation_id = %(organisation)s AND epic.issue_key = given.epic_key
LEFT JOIN sprints_issues AS parent ON parent.organisation_id = %(organisation)s AND parent.issue_key = given.parent_key
WHERE i.organisation_id = %(organisation)s AND i.external_id = given.external_id
"""
_UNLINK = """
DELETE FROM sprints_issue_links AS l USING sprints_issues AS i
WHERE l.issue_id = i.issue_id AND i.organisation_id = %(organisation)s AND i.external_id = ANY (%(ids)s)
"""
_LINK = """
INSERT INTO sprints_issue_links (issue_id, link_type, linked_issue_id)
SELECT a.issue_id, given.link_type, b.issue_id
FROM unnest(%(from)s::text[], %(types)s::text[], %(to)s::text[]) AS given (external_id, link_type, issue_key)
JOIN sprints_issues AS a ON a.organisation_id = %(organisation)s AND a.external_id = given.external_id
JOIN sprints_issues AS b ON b.organisation_id = %(organisation)s AND b.issue_key = given.issue_key
ON CONFLICT DO NOTHING
"""
_ABSENT = """
SELECT key FROM unnest(%(keys)s::text[]) AS key
WHERE NOT EXISTS (SELECT FROM sprints_issues WHERE organisation_id = %(organisation)s AND issue_key = key)
"""
_HOMES = """
UPDATE sprints_users AS u SET team_id = home.team_id
FROM (
  SELECT DISTINCT ON (assignee_id) assignee_id, team_id
  FROM sprints_issues WHERE organisation_id = %(organisation)s AND assignee_id IS NOT NULL
  GROUP BY assignee_id, team_id ORDER BY assignee_id, count(*) DESC, team_id
) AS home
WHERE u.user_id = home.assignee_id AND u.team_id IS NULL
"""


def link(issues: list[IssueRecord], *, organisation: Organisation) -> list[Doubt]:
    """Set what issues say of each other; gives a warning for each issue that is named and not there."""
    given: dict[str, Any] = {
        "organisation": organisation.pk,
        "ids": [issue.external_id for issue in issues],
        "epics": [issue.epic_key for issue in issues],
        "parents": [issue.parent_key for issue in issues],
        "digests": [issue.digest for issue in issues],
    }
    links = [(issue.external_id, link.link_type, link.issue_key) for issue in issues for link in issue.links]
    columns: dict[str, Any] = {
        name: list(column) for name, column in zip(("from", "types", "to"), zip(*links, strict=True), strict=False)
    }
    with connection.cursor() as cursor:
        if issues:
            cursor.execute(_RELATE, given)
            cursor.execute(_UNLINK, given)
        if links:
            cursor.execute(_LINK, given | columns)
        cursor.execute(_HOMES, given)
    return _absent(issues, organisation=organisation)


def _absent(issues: list[IssueRecord], *, organisation: Organisation) -> list[Doubt]:
    named: dict[str, str] = {}
    for issue in issues:
        for key in (issue.epic_key, issue.parent_key, *(link.issue_key for link in issue.links)):
            if key:
                named.setdefault(key, issue.issue_key)
    with connection.cursor() as cursor:
        cursor.execute(_ABSENT, {"organisation": organisation.pk, "keys": list(named)})
        absent = [row[0] for row in cursor.fetchall()]
    return [
        Doubt(kind="link", name=f"{named[key]} to {key}", reason="the other issue is not there", is_warning=True)
        for key in absent
    ]
