"""What a page shows of an answer: the outcome, how the question was understood, choices, chart, teaching."""

import re
from html import unescape
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.test import Client

from console.tools.line_chart import draw_lines
from console.tools.result_chart import draw_chart
from console.tools.result_table import find_table
from tests.agents.conversation_client import Owner
from tests.agents.own_worker import work_on
from tests.linescore.season_by_hand import sides
from toolbox.database.caches import clear_all_caches
from toolbox.models import Example
from toolbox.work.publisher import publisher


class Asker:
    """A person who asks in the box, and the worker in this process that answers."""

    def __init__(self, user: User) -> None:
        self._owner = Owner("", owner_id=user.pk)
        self._conversation: UUID = self._owner.begin()
        self.address = f"/c/{self._conversation}/"
        self.browser = Client()
        self.browser.force_login(user)

    def ask(self, question: str) -> str:
        """Ask, and return the part of the page with the last answer."""
        work_on(self._owner.say(question, to=self._conversation, is_told=False))
        return self.look()

    def post(self, form: dict[str, str]) -> None:
        """Send a form of the page that asks something, and answer it."""
        assert self.browser.post(f"{self.address}say/", form).status_code == 302
        page = self.browser.get(self.address).content.decode()
        work_on(UUID(re.findall(r'data-run="([^"]+)"', page)[-1]))

    def look(self) -> str:
        """Return the part of the page with the last answer."""
        page = self.browser.get(self.address).content.decode()
        return unescape(page[page.rindex("<article") :])


@pytest.fixture
def curator(scratch_database: None, monkeypatch: pytest.MonkeyPatch) -> Asker:
    """Ask as the curator, who may change everything curated."""
    monkeypatch.setattr(publisher, "take", lambda *_, **__: None)
    return Asker(User.objects.get(username="curator"))


@pytest.fixture
def reader(scratch_database: None, monkeypatch: pytest.MonkeyPatch) -> Asker:
    """Ask as a person who may curate nothing."""
    monkeypatch.setattr(publisher, "take", lambda *_, **__: None)
    return Asker(User.objects.create_user("reader", is_superuser=False))


def find_outcome(shown: str) -> str:
    """Return the text of the outcome."""
    (found,) = re.findall(r"data-word>([^<]+)<", shown)
    return str(found)


def test_an_answer_says_what_the_question_was_taken_for_and_shows_its_rows(curator: Asker) -> None:
    shown = curator.ask("plot velocity over time")

    assert find_outcome(shown) == "Answered"
    assert "Taken as: velocity, by sprint" in shown
    picture = curator.browser.get(re.findall(r'hx-get="([^"]+/picture/)"', shown)[0]).content.decode()
    assert '<svg class="plot"' in picture
    assert "velocity by sprint</figcaption>" in picture
    assert "24 rows as a table" in picture


def test_the_picture_of_a_team_s_games_has_its_own_goals_wherever_it_played(curator: Asker) -> None:
    played: dict[str, list[int]] = {}
    for side in sides():
        day = str(side["game_date"])
        if side["team_code"] == "CAR" and day.startswith("2025-02"):
            scored = played.setdefault(day, [0, 0])
            scored[0] += side["goals_for"]
            scored[1] += side["goals_against"]

    shown = curator.ask("How did Carolina do in February 2025?")
    picture = curator.browser.get(re.findall(r'hx-get="([^"]+/picture/)"', shown)[0]).content.decode()

    lines = re.findall(r'<g class="s\d">(.*?)</g>', picture)
    drawn = [re.findall(r"<title>(.+?): (\d+)</title>", line) for line in lines]
    assert [dict(line) for line in drawn] == [
        {day: str(goals[place]) for day, goals in played.items()} for place in (0, 1)
    ]  # fmt: skip
    assert re.findall(r'<text class="series"[^>]*>(\w+)', picture) == ["CAR", "opponents"]
    assert ("goals by day</figcaption>" in picture, f"{len(played)} rows as a table" in picture) == (True, True)


@pytest.mark.django_db
def test_games_of_no_one_team_have_no_picture(client: Client) -> None:
    client.force_login(User.objects.get(username="curator"))
    days = {"startDate": "2025-02-01", "endDate": "2025-02-05"}

    pages = [
        client.post("/tools/list_game_results/", days | team).content.decode() for team in ({}, {"teamCode": "CAR"})
    ]

    assert ['<svg class="plot"' in page for page in pages] == [False, True]
    assert all("<table" in page for page in pages)


def test_a_question_asked_back_has_buttons_that_ask_the_whole_question(curator: Asker) -> None:
    shown = curator.ask("How did New York do in February?")

    assert find_outcome(shown) == "Asked back"
    choices = re.findall(r'<button class="quiet small" name="text" value="([^"]+)">([^<]+)<', shown)
    assert choices == [
        ("How did New York Islanders do in February 2025?", "New York Islanders"),
        ("How did New York Rangers do in February 2025?", "New York Rangers"),
    ]
    assert find_outcome(curator.ask(choices[1][0])) == "Answered"


def test_a_question_that_nothing_covers_leads_a_curator_to_teaching_it(curator: Asker) -> None:
    shown = curator.ask("How many unicorns did HARBOR ship?")

    assert find_outcome(shown) == "Not covered"
    (address,) = re.findall(r'href="(/teach/[^"]+)"', shown)
    page = unescape(curator.browser.get(address).content.decode())
    assert 'value="How many unicorns did HARBOR ship?"' in page
    assert re.findall(r'kind=(\w+)"', page) == ["query", "synonym", "example", "alias"]


def test_who_asked_is_told_when_it_has_been_taught(curator: Asker) -> None:
    question = "How is the mood in the locker room?"
    assert find_outcome(curator.ask(question)) == "Not covered"
    assert "This can be answered now" not in curator.look()

    Example.objects.create(
        domain="linescore", name="mood", question=question, tool="query_linescore_data",
        arguments={"teamCode": "CAR", "limit": 1}, answer="{{ answer.data.count }} row",
    )  # fmt: skip
    clear_all_caches()

    assert "This can be answered now" in curator.look()
    assert f'name="text" value="{question}">Ask it again' in curator.look()
    assert find_outcome(curator.ask(question)) == "Answered"


def test_who_may_not_curate_is_not_sent_to_the_admin(reader: Asker) -> None:
    shown = reader.ask("How many unicorns did HARBOR ship?")

    assert find_outcome(shown) == "Not covered"
    assert "Teach this" not in shown


def test_a_command_is_no_question_to_teach(curator: Asker) -> None:
    shown = curator.ask("Close all open bugs")

    assert find_outcome(shown) == "Not covered"
    assert "Teach this" not in shown


def test_a_refused_call_is_no_answer(curator: Asker) -> None:
    shown = curator.ask("How did Carolina do in July 2024?")

    assert find_outcome(shown) == "Refused"
    assert "/picture/" not in shown


def test_a_graphql_error_is_not_shown_as_an_answer(curator: Asker) -> None:
    page = curator.browser.post("/tools/execute_graphql/", {"query": "{ nothingOfThatName }"}).content.decode()

    chip = re.findall(r'role="status" class="row"><span class="chip (\w+)">([^<]+)</span>', page)[0]
    assert chip == ("bad", "200 answered with 1 error")


def test_lines_are_drawn_over_days() -> None:
    rows: list[dict[str, Any]] = [
        {"week": "2026-01-05", "issues": 2},
        {"week": "2026-01-12", "issues": 6},
        {"week": "2026-01-19", "issues": None},
    ]
    drawn = draw_lines(specify(rows, mark="line"))

    assert drawn
    assert [point.title for point in drawn.series[0].points] == ["2026-01-05: 2", "2026-01-12: 6"]
    assert drawn.days == ("2026-01-05", "2026-01-12")
    assert drawn.series[0].points[0].y > drawn.series[0].points[1].y


@pytest.mark.parametrize("specification", [None, {}, {"mark": "line"}, {"mark": {"type": "bar"}}, "line"])
def test_what_is_no_line_over_days_is_not_drawn(specification: Any) -> None:
    assert draw_lines(specification) is None


def specify(rows: list[dict[str, Any]], *, mark: str) -> dict[str, Any]:
    """Build a chart's specification as answers have them."""
    encoding = {"x": {"field": "week", "type": "temporal"}, "y": {"field": "issues", "type": "quantitative"}}
    return {"mark": {"type": mark, "point": True}, "encoding": encoding, "data": {"values": rows}}


def test_bars_show_the_figures_that_order_the_rows() -> None:
    table = find_table(
        [{"id": "a", "confidence": 0.7, "similarity": 0.9}, {"id": "b", "confidence": 0.8, "similarity": 0.4}]
    )

    assert table
    drawn = draw_chart(table)
    assert drawn
    assert drawn.column == "similarity"


def test_a_day_names_no_bar_where_other_words_tell_the_rows_apart() -> None:
    games = [
        {"date": "2025-02-01", "home": "CAR", "home_goals": 3},
        {"date": "2025-02-02", "home": "LAK", "home_goals": 2},
    ]
    days = [{"date": "2025-02-01", "unit": "USD", "profit": 3}, {"date": "2025-02-02", "unit": "USD", "profit": 2}]

    tables = [find_table(games), find_table(days)]

    assert [draw_chart(table) is not None for table in tables if table] == [False, True]


def test_bars_are_named_by_words_not_by_numbers_written_as_texts() -> None:
    table = find_table(
        [{"position": "1", "team": "Jets", "PTS": 116}, {"position": "2", "team": "Capitals", "PTS": 111}]
    )

    assert table
    drawn = draw_chart(table)
    assert drawn
    assert [bar.label for bar in drawn.bars] == ["Jets", "Capitals"]
