"""Simulation of the sample teams' sprints. Times are minutes since 1970, UTC; nights and weekends are free."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from sprints.samples.vocabulary import GONE, LABELS, ODD_TITLES, TITLES, Crew

DAY = 1_440
FIRST_DAY = datetime(2026, 7, 20, 9, tzinfo=UTC)
AS_OF = int(datetime(2026, 11, 18, 12, tzinfo=UTC).timestamp()) // 60
DAY_BEGINS, DAY_ENDS, FRIDAY = 8, 18, 4
SPRINTS, DAYS_APART, DAYS_LONG = 10, 14, 11
SCALE = (1, 1, 2, 2, 3, 3, 3, 5, 5, 8, 13)
PRIORITIES = ("p0", "p1", "p1", "p2", "p2", "p2", "p2", "p3", "p3", "p4")
BACKLOG = 16

T = TypeVar("T")
Change = tuple[int, str, str, object, object]


def dice_of(seed: str) -> random.Random:
    """Return a seeded random generator."""
    return random.Random(seed)  # noqa: S311 - nothing secret is drawn


def stamp(minute: int) -> datetime:
    """Convert a minute to a timestamp."""
    return datetime.fromtimestamp(minute * 60, UTC)


def sprints_of(crew: Crew) -> list[tuple[int, int, int | None]]:
    """Return the crew's sprints: start, planned end, and actual end if closed."""
    spans = []
    for number in range(SPRINTS):
        begins = FIRST_DAY + timedelta(days=DAYS_APART * number, minutes=crew.board % 7 * 5)
        ends = begins.replace(hour=17, minute=0) + timedelta(days=DAYS_LONG)
        first, last = (int(moment.timestamp()) // 60 for moment in (begins, ends))
        closes = last + 7 + number % 5
        spans.append((first, last, closes if closes < AS_OF else None))
    return spans


def at_work(minute: int) -> int:
    """Move a minute to the next working time: Monday to Friday, 8 to 18 o'clock."""
    moment = stamp(minute)
    if moment.hour >= DAY_ENDS:
        moment = moment.replace(hour=DAY_BEGINS) + timedelta(days=1)
    elif moment.hour < DAY_BEGINS:
        moment = moment.replace(hour=DAY_BEGINS)
    while moment.weekday() > FRIDAY:
        moment = moment.replace(hour=DAY_BEGINS) + timedelta(days=1)
    return int(moment.timestamp()) // 60


@dataclass(slots=True, kw_only=True)
class Work:
    """An issue with its history."""

    number: int
    kind: str
    title: str
    priority: str
    points: int | None
    created: int
    reporter: str
    assignee: str | None
    status: str
    updated: int
    labels: tuple[str, ...] = ()
    above: int = 0
    sprints: list[int] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    links: list[tuple[str, int]] = field(default_factory=list)
    resolved: int | None = None
    due: int | None = None
    estimate_seconds: int | None = None
    spent_seconds: int | None = None
    is_flagged: bool = False

    def note(self, at: int, *, who: str, what: str, before: object, after: object) -> None:
        """Record a change in the history."""
        self.changes.append((at, who, what, before, after))
        self.updated = max(self.updated, at)

    def plan(self, number: int, *, at: int, who: str) -> None:
        """Add it to a sprint, keeping its earlier ones."""
        before = tuple(self.sprints)
        self.sprints.append(number)
        self.note(at, who=who, what="sprint", before=before, after=tuple(self.sprints))

    def take_out(self, number: int, *, at: int, who: str) -> None:
        """Remove it from a sprint."""
        before = tuple(self.sprints)
        self.sprints.remove(number)
        self.note(at, who=who, what="sprint", before=before, after=tuple(self.sprints))


class Simulation:
    """One crew's ten sprints: eight closed, one active, one future."""

    def __init__(self, crew: Crew, *, dice: random.Random) -> None:
        self._crew = crew
        self._dice = dice
        self._works: list[Work] = []
        self._open: list[Work] = []
        self._to_do = crew.statuses[0][0]
        self._done = crew.statuses[-1][0]

    def run(self) -> list[Work]:
        """Simulate the sprints. Returns all issues in order of their numbers."""
        spans = sprints_of(self._crew)
        first = spans[0][0]
        self._epics = [self._make("Epic", created=first - 20 * DAY, title=name) for name in self._crew.epics]
        for number, (begins, ends, closes) in enumerate(spans, 1):
            if begins <= AS_OF:
                self._sprint(number, begins=begins, ends=ends, until=min(closes or AS_OF, AS_OF))
        for _ in range(BACKLOG):
            self._make_any(created=AS_OF - self._between(1, 60) * DAY)
        for work in self._open[:5] + self._works[-6:-1]:
            work.plan(SPRINTS, at=AS_OF - self._between(30, 2_000), who=self._crew.people[0])
        self._under_stories()
        self._hold_up()
        return self._works

    def _sprint(self, number: int, *, begins: int, ends: int, until: int) -> None:
        planned = list(self._open)
        load = sum(work.points or 2 for work in planned) // 2
        while load < self._crew.points_a_sprint + self._between(-5, 6):
            work = self._make_any(created=begins - self._between(1, 25) * DAY)
            work.plan(number, at=at_work(begins - self._between(60, 1_000)), who=self._crew.people[0])
            planned.append(work)
            load += work.points or 2
        self._drop(planned, number=number, begins=begins, until=until)
        for work in planned:
            self._work_on(work, since=begins + self._between(0, 8 * DAY), number=number, until=until)
        for _ in range(self._between(1, 3)):
            at = at_work(begins + self._between(1, 8) * DAY + self._between(0, 500))
            if at < until:
                urgent = self._make_any(
                    created=at - self._between(20, 300), kind="Bug", priority=self._pick(("p0", "p1"))
                )
                urgent.plan(number, at=at, who=self._pick(self._crew.people))
                planned.append(urgent)
                self._work_on(urgent, since=at, number=number, until=until)
        self._open = self._close(planned, number=number, until=until)

    def _drop(self, planned: list[Work], *, number: int, begins: int, until: int) -> None:
        """Occasionally remove something that nobody began from the sprint."""
        idle = [work for work in planned if work.status == self._to_do]
        at = at_work(begins + self._between(2, 6) * DAY)
        if idle and at < until and self._chance(0.6):
            dropped = self._pick(idle)
            dropped.take_out(number, at=at, who=self._crew.people[0])
            planned.remove(dropped)

    def _close(self, planned: list[Work], *, number: int, until: int) -> list[Work]:
        """Carry over what is not done."""
        left = [work for work in planned if work.resolved is None]
        for work in left if until != AS_OF else []:
            work.plan(number + 1, at=until, who=self._crew.people[0])
        return left

    def _work_on(self, work: Work, *, since: int, number: int, until: int) -> None:
        """Move it along its board until it is done or the sprint ends."""
        names = [name for name, _ in self._crew.statuses]
        at, who = at_work(since), work.assignee or self._pick(self._crew.people)
        self._doubts(work, at=at, until=until, who=who)
        for name in names[names.index(work.status) + 1 :]:
            if at >= until:
                return
            if work.assignee is None:
                work.assignee = who
            self._change_status(work, name, at=at, who=who)
            at = at_work(at + round(DAY * (0.15 + self._dice.random() * (0.5 + (work.points or 3) * 0.3))))
        if work.status == self._done and self._chance(0.06):
            self._reopen(work, number=number, until=until)

    def _doubts(self, work: Work, *, at: int, until: int, who: str) -> None:
        """Occasionally re-estimate or block it."""
        if work.points and at < until and self._chance(0.09):
            better = SCALE[min(SCALE.index(work.points) + self._between(2, 5), len(SCALE) - 1)]
            if better != work.points:
                work.note(at, who=who, what="points", before=work.points, after=better)
                work.points = better
        if at < until and self._chance(0.08):
            ends = at_work(at + self._between(1, 5) * DAY)
            work.note(at, who=who, what="flag", before="", after="Impediment")
            work.is_flagged = ends >= AS_OF
            if not work.is_flagged:
                work.note(ends, who=who, what="flag", before="Impediment", after="")

    def _change_status(self, work: Work, status: str, *, at: int, who: str) -> None:
        work.note(at, who=who, what="status", before=work.status, after=status)
        work.status = status
        work.resolved = at if status == self._done else None
        if work.resolved and work.estimate_seconds:
            work.spent_seconds = round(work.estimate_seconds * (0.5 + self._dice.random() * 1.3) / 900) * 900

    def _reopen(self, work: Work, *, number: int, until: int) -> None:
        """Reopen an issue, in the same sprint while it runs."""
        at = at_work((work.resolved or until) + self._between(200, 3_000))
        if at >= until:
            return
        self._change_status(work, self._crew.statuses[1][0], at=at, who=work.reporter)
        again = at_work(at + self._between(300, 2_500))
        if again < until:
            self._change_status(work, self._done, at=again, who=work.assignee or work.reporter)

    def _make_any(self, *, created: int, kind: str = "", priority: str = "") -> Work:
        kind = kind or self._pick(("Story", "Story", "Story", "Bug", "Task"))
        title = self._pick(TITLES[kind]).format(self._pick(self._crew.areas))
        work = self._make(kind, created=at_work(created), title=title[0].upper() + title[1:])
        work.priority = priority or work.priority
        work.above = self._pick(self._epics).number if self._chance(0.7) else 0
        if not self._chance(0.25 if kind == "Bug" else 0.07):
            work.points = self._pick(SCALE)
            if self._chance(0.7):
                work.estimate_seconds = work.points * self._between(3, 6) * 3_600
        return work

    def _make(self, kind: str, *, created: int, title: str) -> Work:
        number = len(self._works) + 1
        people = self._crew.people
        is_by_gone = self._crew.key == "ACCEL" and self._chance(0.08)
        work = Work(
            number=number, kind=kind, title=ODD_TITLES.get(number, title), priority=self._pick(PRIORITIES), points=None,
            created=at_work(created), updated=at_work(created), status=self._to_do,
            reporter=GONE if is_by_gone else self._pick(people),
            assignee=self._pick(people) if self._chance(0.88) else None,
            labels=tuple(sorted({self._pick(LABELS) for _ in range(self._between(0, 2))})),
        )  # fmt: skip
        if self._chance(0.12):
            work.due = created + self._between(10, 60) * DAY
        self._works.append(work)
        return work

    def _under_stories(self) -> None:
        """Add sub-tasks to some stories, done with them."""
        stories = [work for work in self._works if work.kind == "Story" and work.resolved]
        for story in stories[:: max(len(stories) // 6, 1)]:
            for title in ("Write tests", "Update the help page"):
                part = self._make("Sub-task", created=story.created, title=f"{title}: {story.title}")
                part.above, part.assignee, part.sprints = story.number, story.assignee, list(story.sprints)
                who = story.assignee or story.reporter
                for at, _, what, before, after in [change for change in story.changes if change[2] == "sprint"]:
                    part.note(at, who=who, what=what, before=before, after=after)
                resolved = story.resolved or AS_OF
                self._change_status(part, self._crew.statuses[1][0], at=resolved - 400, who=who)
                self._change_status(part, self._done, at=resolved - 10, who=who)

    def _hold_up(self) -> None:
        """Let some open issues block others, and flag two in progress."""
        in_work = [work for work in self._works if work.resolved is None and work.status != self._to_do]
        for work in [work for work in in_work if not work.is_flagged][:2]:
            work.note(
                work.updated + self._between(5, 60),
                who=work.assignee or work.reporter,
                what="flag",
                before="",
                after="Impediment",
            )
            work.is_flagged = True
        unfinished = [work for work in self._works if work.resolved is None and work.kind != "Epic"]
        for first, second in zip(unfinished[::4], unfinished[1::4], strict=False):
            first.links.append(("blocks", second.number))
            second.links.append(("is blocked by", first.number))

    def _chance(self, share: float) -> bool:
        return self._dice.random() < share

    def _between(self, low: int, high: int) -> int:
        return low + int(self._dice.random() * (high - low + 1))

    def _pick(self, among: Sequence[T]) -> T:
        return among[int(self._dice.random() * len(among))]
