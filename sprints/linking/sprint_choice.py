"""Resolution of sprints by position or number. Positions are counted in each team."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime

from sprints.linking.names import Name, sprint_numbers
from sprints.linking.references import SprintReference

_NEVER = datetime.min.replace(tzinfo=UTC)
MAX_LISTED = 6


def chosen_sprints(reference: SprintReference, *, sprints: Sequence[Name]) -> list[Name]:
    """Return the sprints meant: the current, the last few closed ones, the next, or those with the numbers."""
    sprints = [name for name in sprints if reference.team in ("", name.team_id)]
    if reference.position == "numbers":
        return [name for name in sprints if sprint_numbers(name.text) & set(reference.numbers)]
    if reference.position == "current":
        return [name for name in sprints if name.state == "active"]
    by_team: dict[str, list[Name]] = defaultdict(list)
    for name in sprints:
        if name.state == ("future" if reference.position == "next" else "closed"):
            by_team[name.team_id].append(name)
    return [name for team in by_team.values() for name in _choose_of_team(reference, team=team)]


def write_assumption(reference: SprintReference, *, chosen: Sequence[Name]) -> str:
    """Say which sprints were assumed."""
    listed = ", ".join(name.label for name in chosen[:MAX_LISTED])
    more = f" and {len(chosen) - MAX_LISTED} more" if len(chosen) > MAX_LISTED else ""
    return f"Took '{reference.said}' as {listed}{more}."


def _choose_of_team(reference: SprintReference, *, team: list[Name]) -> list[Name]:
    ordered = sorted(team, key=lambda name: (name.ended_at or _NEVER, name.text), reverse=True)
    if reference.position == "next":
        return ordered[-reference.count :] if reference.count else []
    if reference.position == "past":
        return ordered[: reference.count]
    place = 1 if reference.position == "before_last" else reference.count - 1
    return ordered[place : place + 1]
