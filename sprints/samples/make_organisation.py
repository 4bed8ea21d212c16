"""
Generator of the sample organisation: `python -m sprints.samples.make_organisation`.

Three teams with ten sprints each, in the form of Jira's answers: one JSON answer on each line. The same seed gives the
same bytes. Work is simulated: unfinished work is carried over when a sprint closes, urgent bugs are added during a
sprint, some work is removed, re-estimated, blocked or reopened, and some is never estimated.
"""

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sprints.samples.simulating import AS_OF, Simulation, Work, dice_of, sprints_of, stamp
from sprints.samples.vocabulary import CREWS, GONE, Crew

SEED = 20_261_118
FILE = Path(__file__).with_name("meridian.jsonl.gz")
POINTS, SPRINT, FLAGGED = "customfield_10016", "customfield_10020", "customfield_10021"
CATEGORIES = {"new": (2, "To Do"), "indeterminate": (4, "In Progress"), "done": (3, "Done")}
FIELDS = (
    (POINTS, "Story point estimate", "com.pyxis.greenhopper.jira:jsw-story-points"),
    (SPRINT, "Sprint", "com.pyxis.greenhopper.jira:gh-sprint"),
    (FLAGGED, "Flagged", "com.atlassian.jira.plugin.system.customfieldtypes:multicheckboxes"),
)


def answers() -> list[Any]:
    """Yield the site's answers: fields, projects, boards, statuses, people, sprints, then a page of issues a team."""
    simulated = [(crew, Simulation(crew, dice=dice_of(f"{SEED} {crew.key}")).run()) for crew in CREWS]
    names = [name for crew in CREWS for name in crew.people]
    return [
        [{"id": key, "name": name, "custom": True, "schema": {"custom": kind}} for key, name, kind in FIELDS],
        [{"id": str(10_000 + crew.board), "key": crew.key, "name": crew.name} for crew in CREWS],
        {"values": [_board(crew) for crew in CREWS]},
        [_status(name, key) for name, key in dict(part for crew in CREWS for part in crew.statuses).items()],
        [_person(name) for name in (*names, GONE)],
        {"values": [_sprint(crew, number) for crew in CREWS for number in range(1, 11)]},
        *({"issues": [_issue(work, crew=crew) for work in works]} for crew, works in simulated),
    ]


def common_answers() -> list[Any]:
    """Yield what every team shares: fields, statuses, people."""
    every = answers()
    return [every[0], every[3], every[4]]


def team_answers(crew: Crew, *, seed: str) -> list[Any]:
    """Yield one team's board, sprints and issues, for organisations of any size."""
    works = Simulation(crew, dice=dice_of(seed)).run()
    return [
        {"values": [_board(crew)]},
        {"values": [_sprint(crew, number) for number in range(1, 11)]},
        {"issues": [_issue(work, crew=crew) for work in works]},
    ]


def pack_answers() -> bytes:
    """Write the answers, one on each line, gzipped without a timestamp."""
    lines = "".join(json.dumps(one, ensure_ascii=False, separators=(",", ":")) + "\n" for one in answers())
    return gzip.compress(lines.encode(), mtime=0)


def _board(crew: Crew) -> dict[str, Any]:
    return {"id": crew.board, "name": f"{crew.key} board", "type": "scrum", "location": {"projectKey": crew.key}}


def _status(name: str, key: str) -> dict[str, Any]:
    number, words = CATEGORIES[key]
    return {"id": _status_id(name), "name": name, "statusCategory": {"id": number, "key": key, "name": words}}


def _status_id(name: str) -> str:
    every = list(dict(part for crew in CREWS for part in crew.statuses))
    return str(10_100 + every.index(name))


def _person(name: str) -> dict[str, Any]:
    every = [person for crew in CREWS for person in crew.people] + [GONE]
    number = every.index(name) + 1
    return {
        "accountId": f"meridian-{number:03}", "displayName": name, "emailAddress": f"person{number}@meridian.example",
        "active": name != GONE,
    }  # fmt: skip


def _sprint(crew: Crew, number: int) -> dict[str, Any]:
    begins, ends, closes = sprints_of(crew)[number - 1]
    goals = ("Ship {}", "Finish {} for the pilot", "Make {} boring", "")
    state = "closed" if closes else "active" if begins <= AS_OF else "future"
    given = {
        "id": crew.board * 100 + number, "name": f"{crew.key} Sprint {number}", "state": state,
        "originBoardId": crew.board, "goal": goals[number % 4].format(crew.epics[number % 3].lower()),
    }  # fmt: skip
    if state != "future":
        given |= {"startDate": _time(begins), "endDate": _time(ends)}
    return given | ({"completeDate": _time(closes)} if closes else {})


def _issue(work: Work, *, crew: Crew) -> dict[str, Any]:
    return {
        "id": str(work.number + crew.board * 10_000),
        "key": f"{crew.key}-{work.number}",
        "fields": _fields(work, crew=crew),
        "changelog": {"histories": _histories(work, crew=crew)},
    }


def _fields(work: Work, *, crew: Crew) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "summary": work.title, "issuetype": {"name": work.kind, "subtask": work.kind == "Sub-task"},
        "project": {"id": str(10_000 + crew.board), "key": crew.key, "name": crew.name},
        "status": _status(work.status, dict(crew.statuses)[work.status]), "priority": {"name": work.priority},
        "created": _time(work.created), "updated": _time(work.updated), "labels": list(work.labels),
        "reporter": _person(work.reporter), "assignee": _person(work.assignee) if work.assignee else None,
        "resolution": {"name": "Done"} if work.resolved else None,
        "resolutiondate": _time(work.resolved) if work.resolved else None,
        "duedate": f"{stamp(work.due):%Y-%m-%d}" if work.due else None,
        POINTS: work.points,
        SPRINT: [_sprint(crew, number) for number in work.sprints],
        "timeoriginalestimate": work.estimate_seconds, "timespent": work.spent_seconds,
        "timeestimate": max((work.estimate_seconds or 0) - (work.spent_seconds or 0), 0) if not work.resolved else 0,
        "issuelinks": [_link(f"{crew.key}-{number}", way) for way, number in work.links],
    }  # fmt: skip
    if work.is_flagged:
        fields[FLAGGED] = [{"value": "Impediment"}]
    if work.above:
        kind = "Story" if work.kind == "Sub-task" else "Epic"
        fields["parent"] = {"key": f"{crew.key}-{work.above}", "fields": {"issuetype": {"name": kind}}}
    return fields


def _link(key: str, way: str) -> dict[str, Any]:
    kind = {"name": "Blocks", "inward": "is blocked by", "outward": "blocks"}
    return {"type": kind, "outwardIssue" if way == "blocks" else "inwardIssue": {"key": key}}


def _histories(work: Work, *, crew: Crew) -> list[dict[str, Any]]:
    histories = []
    for place, (at, who, what, before, after) in enumerate(sorted(work.changes, key=lambda change: change[0])):
        item = {
            "status": lambda b, a: _item("status", "status", b, a, ids=(_status_id(b), _status_id(a))),
            "points": lambda b, a: _item("Story point estimate", POINTS, b, a),
            "flag": lambda b, a: _item("Flagged", FLAGGED, b, a),
            "sprint": lambda b, a: _sprint_item(crew, b, a),
        }[what](before, after)
        entry_id = str(work.number * 100 + place + crew.board * 1_000_000)
        histories.append({"id": entry_id, "author": _person(who), "created": _time(at), "items": [item]})
    return histories


def _item(name: str, key: str, before: Any, after: Any, *, ids: tuple[str, str] = ("", "")) -> dict[str, Any]:
    kind = "jira" if key == "status" else "custom"
    texts = ["" if value is None else str(value) for value in (before, after)]
    return {"field": name, "fieldtype": kind, "fieldId": key, "from": ids[0], "fromString": texts[0], "to": ids[1],
            "toString": texts[1]}  # fmt: skip


def _sprint_item(crew: Crew, before: tuple[int, ...], after: tuple[int, ...]) -> dict[str, Any]:
    def ids(numbers: tuple[int, ...]) -> str:
        return ", ".join(str(crew.board * 100 + number) for number in numbers)

    def names(numbers: tuple[int, ...]) -> str:
        return ", ".join(f"{crew.key} Sprint {number}" for number in numbers)

    return _item("Sprint", SPRINT, names(before), names(after), ids=(ids(before), ids(after)))


def _time(minute: int) -> str:
    return f"{datetime.fromtimestamp(minute * 60, UTC):%Y-%m-%dT%H:%M:%S}.000+0000"


if __name__ == "__main__":
    FILE.write_bytes(pack_answers())
    print(f"{FILE.name}: {FILE.stat().st_size:,} bytes")
