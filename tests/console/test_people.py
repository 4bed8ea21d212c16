"""What people may do: by whom they are, at a form, in a run, by a link, and never by another site's form."""

from collections.abc import Iterator
from types import SimpleNamespace
from uuid import UUID

import httpx
import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from agents.queries import history
from tests.agents.conversation_client import Observer, Owner
from tests.agents.own_worker import FEBRUARY, LINESCORE, Scripted, calls, says, work_on
from tests.conftest import running_server
from toolbox.access import people
from toolbox.database import event_loop
from toolbox.database.caches import clear_all_caches

CARLA = "carla_of_the_console"


@pytest.fixture
def carla(scratch_database: None) -> User:
    """Create a person who may log in, and nothing else."""
    return User.objects.create_user(CARLA)


@pytest.fixture
def browser_of_carla(carla: User) -> Client:
    client = Client()
    client.force_login(carla)
    return client


def test_scopes_follow_from_who_somebody_is(carla: User) -> None:
    uses_client = {"agents:read", "agents:write"}
    assert scopes(carla) == uses_client
    carla.groups.add(Group.objects.create(name="linescore:read"), Group.objects.create(name="editors"))
    assert scopes(carla) == uses_client | {"linescore:read"}
    User.objects.filter(pk=carla.pk).update(is_staff=True)
    assert scopes(carla) == uses_client | {"linescore:read", "*:read"}
    User.objects.filter(pk=carla.pk).update(is_superuser=True)
    assert scopes(carla) == uses_client | {"linescore:read", "*:read", "*:write"}
    User.objects.filter(pk=carla.pk).update(is_active=False)
    clear_all_caches()
    assert event_loop.run(people.find_person(carla.pk)) is None


def test_tools_open_to_those_in_the_group_of_their_scope(carla: User, browser_of_carla: Client) -> None:
    none, shut = browser_of_carla.get("/tools/"), browser_of_carla.get(f"/tools/{LINESCORE}/")
    carla.groups.add(Group.objects.create(name="linescore:read"))
    clear_all_caches()
    called = browser_of_carla.post(f"/tools/{LINESCORE}/", {"teamCode": "CAR", "limit": "2"})

    assert "You cannot use any tools yet" in none.content.decode()
    assert (shut.status_code, "linescore:read" in shut.content.decode()) == (403, True)
    assert (called.status_code, "2 rows" in called.content.decode()) == (200, True)
    assert browser_of_carla.get("/tools/execute_query/").status_code == 403
    assert browser_of_carla.get("/tools/nothing/").status_code == 404


def test_a_person_s_run_acts_with_the_person_s_scopes(
    carla: User, browser_of_carla: Client, onlooker: Observer, scripted_as: Scripted
) -> None:
    scripted_as(calls(FEBRUARY), says("No."), calls(FEBRUARY), says("Yes."))
    run_ids = []
    for group in ("nothing:read", "linescore:read"):
        carla.groups.add(Group.objects.create(name=group))
        clear_all_caches()
        at = browser_of_carla.post("/ask/", {"text": "How did Carolina do?"})["Location"]
        page = browser_of_carla.get(at).content.decode()
        run_ids.append(UUID(page.split('data-run="')[1][:36]))
        work_on(run_ids[-1])

    assert [onlooker.steps(run_id)[1]["code"] for run_id in run_ids] == ["FORBIDDEN", ""]
    onlooker.until(lambda: onlooker.calls(run_ids[1]))
    assert onlooker.calls(run_ids[1])[0]["caller"] == CARLA


def test_a_conversation_is_its_owner_s_until_it_is_shared(
    carla: User, browser_of_carla: Client, scripted_as: Scripted
) -> None:
    scripted_as(calls(FEBRUARY), says("21 periods."))
    curator = User.objects.get(username="curator")
    talk = Owner("", owner_id=curator.pk)
    conversation = talk.begin()
    run_id = talk.say("How did Carolina do?", to=conversation, is_told=False)
    work_on(run_id)
    address = f"/c/{conversation}/"

    assert browser_of_carla.get(address).status_code == 404
    assert browser_of_carla.post(f"{address}share/", {"shared": "1"}).status_code == 404
    event_loop.run(history.share(conversation, owner_id=curator.pk, is_shared=True))
    page = browser_of_carla.get(address).content.decode()
    assert ("21 periods." in page, "Ask again" in page, 'id="say"' in page) == (True, False, False)
    step = browser_of_carla.get(f"{address}runs/{run_id}/steps/2/").content.decode()
    assert ("linescore:read" in step, "CAR" in step) == (True, False)
    assert browser_of_carla.get(f"/api/agents/conversations/{conversation}").status_code == 404
    for word in ("cancel", "again", "approve"):
        browser_of_carla.post(f"{address}runs/{run_id}/{word}/")
    browser_of_carla.post(f"{address}say/", {"text": "More?"})
    assert len(event_loop.run(history.find_exchanges(conversation))) == 1
    assert event_loop.run(history.find_exchanges(conversation))[0]["tries"] == 1


def test_a_reader_goes_on_from_a_shared_conversation_in_a_copy(
    carla: User, browser_of_carla: Client, scripted_as: Scripted
) -> None:
    scripted_as(calls(FEBRUARY), says("21 periods."))
    curator = User.objects.get(username="curator")
    conversation = (talk := Owner("", owner_id=curator.pk)).begin()
    run_id = talk.say("How did Carolina do?", to=conversation, is_told=False)
    work_on(run_id)
    address = f"/c/{conversation}/"

    refused = browser_of_carla.post(f"{address}fork/", {"message": "2"})["Location"]
    event_loop.run(history.share(conversation, owner_id=curator.pk, is_shared=True))
    original = browser_of_carla.get(address).content.decode()
    fork = browser_of_carla.post(f"{address}fork/", {"message": "2"})["Location"]
    copy = browser_of_carla.get(fork).content.decode()

    assert (refused, "in your own copy" in original) == (address, True)
    assert (fork != address, "21 periods." in copy, 'id="say"' in copy, str(run_id) in copy) == (
        True,
        True,
        True,
        False,
    )
    assert len(event_loop.run(history.search(owner_id=carla.pk))) == 1


@pytest.fixture(params=["server", "django_server"])
def server_address(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue(request.param))


@pytest.fixture(scope="module")
def django_server(cast: SimpleNamespace) -> Iterator[str]:
    with running_server(TOOLROOM_FAST_LANE="0") as address:
        yield address


def test_a_browser_s_session_reads_events_and_posts_nothing(server_address: str) -> None:
    with httpx.Client(base_url=server_address, headers={"Accept": "text/html"}) as browser:
        form = browser.get("/login/")
        token = form.text.split('name="csrfmiddlewaretoken" value="')[1].split('"')[0]
        sent = {"username": "curator", "password": "curator", "csrfmiddlewaretoken": token}
        assert browser.post("/login/", data=sent).status_code == 302
        token = browser.get("/").text.split('name="csrfmiddlewaretoken" value="')[1].split('"')[0]
        said = browser.post("/ask/", data={"text": "Who leads?", "csrfmiddlewaretoken": token})
        page = browser.get(said.headers["Location"]).text
        events = page.split('data-live="')[1].split('"')[0]
        run = events.removesuffix("/events")
        with browser.stream("GET", events) as stream:
            assert next(line for line in stream.iter_lines() if line.startswith("event")) == "event: run.queued"

        assert browser.get(run).status_code == 200
        assert browser.post(f"{run}/cancel", json={}).status_code == 401
        assert browser.post("/ask/", data={"text": "Who leads?"}).status_code == 403
        assert browser.post(f"/api/tools/linescore/{LINESCORE}", json={}).status_code == 401
        assert httpx.get(f"{server_address}{events}").status_code == 401
        assert "default-src 'none'" in browser.get("/").headers["Content-Security-Policy"]


def scopes(user: User) -> set[str]:
    clear_all_caches()
    caller = event_loop.run(people.find_person(user.pk))
    assert caller
    return set(caller.scopes)
