"""Which of a site's fields hold story points, sprints, epics and flags: as configured, else by type, then by name."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

POINTS_TYPES = {"com.pyxis.greenhopper.jira:jsw-story-points"}
POINTS_NAMES = {
    "story points", "story point estimate", "story point", "storypoints", "故事点", "故事点数", "story-points",
    "puntos de historia", "points de story", "story-punkte", "ストーリーポイント", "ストーリー ポイント",
}  # fmt: skip
SPRINT_TYPES = {"com.pyxis.greenhopper.jira:gh-sprint"}
SPRINT_NAMES = {"sprint", "sprints", "スプリント", "冲刺"}
EPIC_TYPES = {"com.pyxis.greenhopper.jira:gh-epic-link"}
EPIC_NAMES = {"epic link"}
FLAG_NAMES = {"flagged", "impediment", "标记", "markiert"}


@dataclass(slots=True)
class FieldNames:
    """
    What is known of a site's fields, gathered from wherever it says so.

    `configured` are names or ids of fields for story points; where given, no other is looked for.
    """

    configured: tuple[str, ...] = ()
    names: dict[str, str] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)

    def learn(self, name_by_id: Any, *, type_by_id: Any = None) -> None:
        """Take `names` and `schema` of a search, as `expand=names,schema` gives them."""
        for key, name in name_by_id.items() if isinstance(name_by_id, dict) else ():
            if isinstance(key, str) and isinstance(name, str):
                self.names.setdefault(key, name)
        for key, given in type_by_id.items() if isinstance(type_by_id, dict) else ():
            if isinstance(given, dict) and isinstance(given.get("custom"), str):
                self.types.setdefault(key, given["custom"])

    def learn_fields(self, given: Iterable[Any]) -> None:
        """Take the answer of /rest/api/2/field."""
        for one in given:
            if isinstance(one, dict) and isinstance(one.get("id"), str):
                name = one.get("untranslatedName") or one.get("name")
                self.learn({one["id"]: name}, type_by_id={one["id"]: one.get("schema")})

    def learn_change(self, item: dict[str, Any]) -> None:
        """Take a field's name and id from a changelog's item."""
        if item.get("fieldtype") == "custom" and isinstance(item.get("fieldId"), str):
            self.learn({item["fieldId"]: item.get("field")})

    def points(self) -> tuple[str, ...]:
        """Name the fields for story points, the likeliest first."""
        if self.configured:
            wanted = {name.casefold() for name in self.configured}
            return tuple(dict.fromkeys([*self._named(wanted), *self.configured]))
        return self._of(POINTS_TYPES, names=POINTS_NAMES)

    def sprints(self) -> tuple[str, ...]:
        """Name the fields that hold sprints."""
        return self._of(SPRINT_TYPES, names=SPRINT_NAMES)

    def epics(self) -> tuple[str, ...]:
        """Name the fields that hold an epic's key."""
        return self._of(EPIC_TYPES, names=EPIC_NAMES)

    def flags(self) -> tuple[str, ...]:
        """Name the fields that flag an issue as blocked."""
        return self._named(FLAG_NAMES)

    def is_points(self, item: dict[str, Any]) -> bool:
        """Tell whether a changelog's item is about story points."""
        return item.get("fieldId") in self.points() or (
            not self.configured and str(item.get("field")).casefold() in POINTS_NAMES
        )

    def _of(self, types: set[str], *, names: set[str]) -> tuple[str, ...]:
        typed = [key for key, given in self.types.items() if given in types]
        return tuple(dict.fromkeys([*typed, *self._named(names)]))

    def _named(self, names: set[str]) -> tuple[str, ...]:
        return tuple(key for key, name in self.names.items() if name.strip().casefold() in names)
