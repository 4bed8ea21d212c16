"""Pages pass the one entry: one audit row for each view, also where it is refused, not found or crashes."""

import secrets
from collections.abc import Callable
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.test import Client

from console.conversations import ask
from tests.agents.conversation_client import Owner
from toolbox.audit.log import audit
from toolbox.database import event_loop
from toolbox.models import ToolCall

Row = tuple[str, str, str, int]
NOBODY_S = UUID(int=1)


@pytest.fixture
def user(scratch_database: None) -> User:
    """Create a person who may log in but use no tool."""
    return User.objects.create_user("erin")


@pytest.fixture
def visit(user: User) -> Callable[..., tuple[int, list[Row]]]:
    """Return a function that opens or posts a page, and returns its status and its audit rows."""
    browser = Client(raise_request_exception=False)
    browser.force_login(user)

    def send(address: str, *, method: str = "get") -> tuple[int, list[Row]]:
        mark = secrets.token_hex(16)
        answer = getattr(browser, method)(address, headers={"X-Request-Id": mark})
        event_loop.run(audit.flush())
        rows = ToolCall.objects.filter(request_id=mark)
        return answer.status_code, [(row.transport, row.tool, row.outcome, row.status) for row in rows]

    return send


@pytest.mark.parametrize(
    ("address", "name"),
    [("/", "page_show_ask_page"), ("/tools/", "page_index"), ("/clients/", "page_index")],
)
def test_a_page_that_is_shown(visit: Callable[..., tuple[int, list[Row]]], address: str, name: str) -> None:
    assert visit(address) == (200, [("console", name, "answered", 200)])


def test_a_conversation(user: User, visit: Callable[..., tuple[int, list[Row]]]) -> None:
    conversation = Owner("", owner_id=user.pk).begin()

    assert visit(f"/c/{conversation}/") == (200, [("console", "page_show", "answered", 200)])


@pytest.mark.parametrize(
    ("address", "name", "status"),
    [
        (f"/c/{NOBODY_S}/", "page_show", 404),
        (f"/c/{NOBODY_S}/runs/{NOBODY_S}/", "page_run", 404),
        (f"/c/{NOBODY_S}/runs/{NOBODY_S}/steps/1/", "page_step", 404),
        ("/tools/unknown/", "page_show_form", 404),
        ("/tools/execute_query/", "page_show_form", 403),
        ("/backtests/", "page_runs", 403),
        ("/sprints/", "page_board", 403),
    ],
)
def test_a_page_that_is_refused(
    visit: Callable[..., tuple[int, list[Row]]], address: str, name: str, status: int
) -> None:
    assert visit(address) == (status, [("console", name, "refused", status)])


def test_a_page_that_crashes(visit: Callable[..., tuple[int, list[Row]]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(ask, "suggest_questions")

    assert visit("/") == (500, [("console", "page_show_ask_page", "failed", 500)])


def test_a_form_that_calls_a_tool_which_the_person_may_not_use(visit: Callable[..., tuple[int, list[Row]]]) -> None:
    assert visit("/tools/query_linescore_data/", method="post")[0] == 403


def test_an_action_on_a_conversation_that_is_another_person_s(visit: Callable[..., tuple[int, list[Row]]]) -> None:
    assert visit(f"/c/{NOBODY_S}/delete/", method="post") == (404, [("console", "delete_conversation", "refused", 404)])
