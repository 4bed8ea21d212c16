"""What happened to issues, replaced whole: the source's changelog is complete, or it is not given at all."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db import connection

from sprints.ingest.people import Places
from sprints.ingest.record import IssueRecord

_COPY = {
    "sprints_sprint_issues": "issue_id, sprint_id, added_at, removed_at",
    "sprints_status_changes": "issue_id, changed_at, from_status_id, to_status_id, changed_by_id, external_id",
    "sprints_points_changes": "issue_id, changed_at, from_points, to_points, changed_by_id",
    "sprints_blocked_periods": "issue_id, blocked_at, unblocked_at, reason",
}
_WITH_HISTORY = ("sprints_status_changes", "sprints_points_changes", "sprints_blocked_periods")


def replace(issues: list[IssueRecord], *, ids: dict[str, UUID], places: Places) -> None:
    """Replace the history of issues; of one whose source gives no changelog only the stays in sprints."""
    told = [ids[issue.external_id] for issue in issues if issue.has_history]
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM sprints_sprint_issues WHERE issue_id = ANY (%s)", [list(ids.values())])
        for table in _WITH_HISTORY:
            cursor.execute(f"DELETE FROM {table} WHERE issue_id = ANY (%s)", [told])  # noqa: S608 - our own words
        for table, rows in _rows(issues, ids=ids, places=places).items():
            _copy(cursor, table, rows)


def _rows(issues: list[IssueRecord], *, ids: dict[str, UUID], places: Places) -> dict[str, list[tuple[Any, ...]]]:
    rows: dict[str, list[tuple[Any, ...]]] = {table: [] for table in _COPY}
    for issue in issues:
        key = ids[issue.external_id]
        stays = {stay.sprint: stay for stay in issue.stays if stay.sprint in places.sprints}
        rows["sprints_sprint_issues"] += [
            (key, places.sprints[name], stay.added_at, stay.removed_at) for name, stay in stays.items()
        ]
        if not issue.has_history:
            continue
        rows["sprints_status_changes"] += [
            (key, move.changed_at, places.statuses.get(move.from_status), places.statuses[move.to_status],
             places.users.get(move.author), move.external_id)
            for move in issue.moves
        ]  # fmt: skip
        rows["sprints_points_changes"] += [
            (key, made.changed_at, made.from_points, made.to_points, places.users.get(made.author))
            for made in issue.estimates
        ]
        blocks = {block.blocked_at: block for block in issue.blocks}
        rows["sprints_blocked_periods"] += [(key, at, block.unblocked_at, block.reason) for at, block in blocks.items()]
    return rows


def _copy(cursor: Any, table: str, rows: Iterable[tuple[Any, ...]]) -> None:
    with cursor.copy(f"COPY {table} ({_COPY[table]}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)
