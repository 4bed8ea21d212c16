"""Names for tests without a database: two Averys, accents, scripts, a name that is a word."""

from datetime import UTC, date, datetime, timedelta

from sprints.linking.names import Kind, Name, NameIndex

TODAY = date(2026, 11, 18)
TEAMS = {"ACCEL": "Acceleration", "ORBIT": "Orbit Platform", "HARBOR": "Harbor Mobile"}
PEOPLE = {
    "Avery Hernandez": "ACCEL", "Sophia González": "ACCEL", "Levi Walker": "ACCEL", "Avery Smith": "ORBIT",
    "Søren Ødegård": "ORBIT", "李娜": "ORBIT", "Will Grace": "HARBOR", "Олена Коваль": "HARBOR", "محمد العلي": "HARBOR",
}  # fmt: skip
WORDS: dict[Kind, tuple[str, ...]] = {
    "status": ("To Do", "In Progress", "Code Review", "QA", "Done"),
    "priority": ("p0", "p1", "p2"),
    "type": ("Story", "Bug", "Task"),
    "label": ("security", "tech-debt"),
}


def index() -> NameIndex:
    """Index the cast: three teams with nine closed sprints each, the tenth active."""
    return NameIndex.from_names([*_teams(), *_people(), *_sprints(), *_words()])


def _teams() -> list[Name]:
    return [
        Name(kind="team", value=f"id-{key}", text=key, team_id=f"id-{key}", aliases=(name, f"team {key}"))
        for key, name in TEAMS.items()
    ]


def _people() -> list[Name]:
    return [
        Name(kind="person", value=f"id-{name}", text=name, team=team, team_id=f"id-{team}")
        for name, team in PEOPLE.items()
    ]


def _sprints() -> list[Name]:
    began = datetime(2026, 7, 6, tzinfo=UTC)
    return [
        Name(
            kind="sprint", value=f"id-{team}-{number}", text=f"{team} Sprint {number}", team=team, team_id=f"id-{team}",
            state="active" if number == 10 else "closed", ended_at=began + timedelta(days=14 * number),
        )
        for team in TEAMS
        for number in range(1, 11)
    ]  # fmt: skip


def _words() -> list[Name]:
    plural = {"Story": ("Stories",), "Bug": ("Bugs",), "Task": ("Tasks",)}
    return [
        Name(kind=kind, value=word, text=word, aliases=plural.get(word, ()))
        for kind, texts in WORDS.items()
        for word in texts
    ]
