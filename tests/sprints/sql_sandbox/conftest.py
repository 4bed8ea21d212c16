"""A small catalog for the guard's own tests, which use no database."""

import pytest

from sprints.sql_sandbox.guard import ViewCatalog

CATALOG = ViewCatalog(
    schema="sprintscope",
    views={
        "issues": frozenset({"issue_id", "issue_key", "title", "status", "team_id", "story_points"}),
        "teams": frozenset({"team_id", "team_key", "team_name"}),
        "sprints": frozenset({"sprint_id", "sprint_name", "team_id"}),
        "users": frozenset({"user_id", "full_name", "team_id"}),
    },
)


@pytest.fixture
def catalog() -> ViewCatalog:
    """Return four views."""
    return CATALOG
