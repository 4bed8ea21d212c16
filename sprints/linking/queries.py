"""SQL of the names in the data, from the views that agents see."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sprints.linking.names import Name
from toolbox.database.pools import Pool

_NAMES = """
SELECT kind, value, text, team, team_id, alias, state, at, key FROM (
  SELECT 'team' AS kind, team_id::text AS value, team_key AS text, '' AS team, team_id::text AS team_id,
         team_name AS alias, '' AS state, NULL::timestamptz AS at, '' AS key
  FROM sprintscope.teams
  UNION ALL
  SELECT 'person', u.user_id::text, u.full_name, coalesce(t.team_key, ''), coalesce(t.team_id::text, ''), '',
         CASE WHEN u.is_active THEN '' ELSE 'left' END, NULL, ''
  FROM sprintscope.users AS u LEFT JOIN sprintscope.teams AS t USING (team_id)
  UNION ALL
  SELECT 'sprint', s.sprint_id::text, s.sprint_name, coalesce(t.team_key, ''), coalesce(t.team_id::text, ''), '',
         s.state, coalesce(s.completed_at, s.ends_at), ''
  FROM sprintscope.sprints AS s LEFT JOIN sprintscope.teams AS t USING (team_id)
  UNION ALL
  (SELECT 'epic', e.issue_id::text, e.title, coalesce(t.team_key, ''), coalesce(t.team_id::text, ''), '', '', NULL,
          e.issue_key
   FROM sprintscope.issues AS e LEFT JOIN sprintscope.teams AS t USING (team_id)
   WHERE e.issue_id IN (SELECT epic_id FROM sprintscope.issues GROUP BY epic_id)
   ORDER BY e.created_at DESC LIMIT 20000)
) AS named
LIMIT 200000
"""
_WORDS = """
SELECT kind, value AS text FROM (
  SELECT 'status' AS kind, status AS value FROM sprintscope.issues WHERE status IS NOT NULL GROUP BY status
  UNION ALL
  SELECT 'priority', priority FROM sprintscope.issues WHERE priority <> '' GROUP BY priority
  UNION ALL
  SELECT 'type', issue_type FROM sprintscope.issues WHERE issue_type <> '' GROUP BY issue_type
  UNION ALL
  (SELECT 'label', label FROM sprintscope.issues, unnest(labels) AS label
   GROUP BY label ORDER BY count(*) DESC, label LIMIT 2000)
) AS words
ORDER BY kind, text
LIMIT 5000
"""
_TITLES = """
SELECT issue_key, title FROM sprintscope.issues WHERE lower(title) = ANY(%s)
ORDER BY length(title) DESC, lower(title), issue_key LIMIT 20
"""
_AS_OF = "SELECT as_of FROM sprintscope.snapshot LIMIT 1"


async def load_names(*, reader: Pool) -> list[Name]:
    """Read every name. Runs two statements over all issues."""
    rows = (await reader.fetch(_NAMES)).rows
    words = (await reader.fetch(_WORDS)).rows
    return [*(_make_name(row) for row in rows), *(_make_word(row) for row in words)]


async def load_data_moment(*, reader: Pool) -> datetime | None:
    """Read the moment up to which the data is known. None without data."""
    found = await reader.fetch(_AS_OF)
    moment: datetime | None = found.rows[0]["as_of"] if found.rows else None
    return moment


async def find_titles(titles: Sequence[str], *, reader: Pool) -> list[tuple[str, str]]:
    """Read the keys and titles of issues by title, in lower case, the longest first. One statement over all issues."""
    rows = (await reader.fetch(_TITLES, [[*titles]])).rows
    return [(row["issue_key"], row["title"]) for row in rows]


def _make_name(row: Mapping[str, Any]) -> Name:
    aliases = [row["alias"]] if row["alias"] else []
    if row["kind"] == "team":
        aliases += [f"team {row['text']}", f"{row['text']} team", f"team {row['alias']}", f"{row['alias']} team"]
    return Name(
        kind=row["kind"], value=row["value"], text=row["text"], team=row["team"], team_id=row["team_id"],
        aliases=tuple(aliases), state=row["state"], ended_at=row["at"], key=row["key"],
    )  # fmt: skip


def _make_word(row: Mapping[str, Any]) -> Name:
    """Return a name of a status, priority, type or label. Types may be in the plural."""
    text = row["text"]
    aliases = (f"{text}s", f"{text[:-1]}ies" if text.endswith("y") else f"{text}es") if row["kind"] == "type" else ()
    return Name(kind=row["kind"], value=text, text=text, aliases=(*aliases, *_TYPE_WORDS.get(text.lower(), ())))


_TYPE_WORDS = {
    "bug": ("defect", "defects"),
    "story": ("user story", "user stories"),
    "sub-task": ("subtask", "subtasks"),
}
