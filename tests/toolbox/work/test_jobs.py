"""Jobs are done once, begun again after a worker ended, stopped when told, and started by those who may."""

from collections.abc import Iterator
from typing import Any

import pytest
from django import forms
from django.contrib.auth.models import Permission, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models.functions import Now
from django.test import Client

from toolbox.models import Job
from toolbox.work import job_kinds, job_queries, job_worker
from toolbox.work.job_forms import JobForm, file_field
from toolbox.work.job_kinds import Assignment, JobKind, JobRefused, Outcome

pytestmark = pytest.mark.django_db
ADD = "/admin/toolbox/job/add/"


class WordForm(JobForm):
    word = forms.CharField(max_length=20)
    file = file_field("Anything.")


def echo(given: Assignment) -> Outcome:
    given.on_step("reading", 1, 2)
    if given.values["word"] == "refuse":
        raise JobRefused("It is refused.")
    if given.values["word"] == "break":
        raise RuntimeError("secret reason")
    text = given.file.read_text() if given.file else ""
    given.on_step("reading", 2, 2)
    return Outcome(summary=f"{given.values['word']} {text}", reasons=["one", "two"])


@pytest.fixture(autouse=True)
def kind(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(job_worker, "BEAT_SECONDS", 3_600)
    monkeypatch.setattr("toolbox.admin_pages.jobs.enqueue", lambda _: None)
    made = JobKind(
        name="test.echo", title="Echo", says="Says it.", form=WordForm, work=echo, permission="linescore.add_game"
    )
    monkeypatch.setitem(job_kinds._kinds, made.name, made)
    yield
    job_worker._leaving.clear()


def made(**columns: Any) -> Job:
    return Job.objects.create(kind="test.echo", **{"arguments": {"word": "hello"}} | columns)


def again(job: Job) -> Job:
    return Job.objects.get(pk=job.pk)


def test_a_job_is_done_once_and_its_row_says_what_came_of_it() -> None:
    job = made(file=b"world", file_name="../../w.txt")

    for worker in ("one", "two"):
        job_worker.execute(job.pk, worker=worker)

    done = again(job)
    assert (done.state, done.summary, done.details) == ("succeeded", "hello world", "one\ntwo")
    assert (done.worker, done.attempt, done.percent, done.file) == ("one", 1, 100, None)


@pytest.mark.parametrize(("word", "summary"), [("refuse", "It is refused."), ("break", "the log has why")])
def test_a_job_that_fails_says_so_without_the_reason_of_a_fault_of_ours(word: str, summary: str) -> None:
    job = made(arguments={"word": word})

    job_worker.execute(job.pk, worker="one")

    assert again(job).state == "failed"
    assert summary in again(job).summary
    assert "secret" not in again(job).summary


def test_what_a_dead_worker_left_is_begun_again_and_the_dead_one_writes_no_more() -> None:
    job = made()
    lost = job_queries.claim(job.pk, worker="one")
    assert lost is not None
    Job.objects.filter(pk=job.pk).update(heartbeat_at=Now() - job_queries.STALE * 2)

    assert job_queries.to_be_told() == [job.pk]
    job_worker.execute(job.pk, worker="two")

    assert not job_queries.heartbeat(lost, step="x", done=1, expected=1)
    assert not job_queries.end(lost, state="failed", summary="too late")
    assert (again(job).state, again(job).attempt) == ("succeeded", 2)
    assert job_queries.to_be_told() == []


def test_a_job_that_loses_every_worker_fails_in_the_end() -> None:
    job = made(state="running", attempt=job_queries.MAX_ATTEMPTS)
    Job.objects.filter(pk=job.pk).update(heartbeat_at=Now() - job_queries.STALE * 2)

    assert job_queries.to_be_told() == []
    assert again(job).state == "failed"


def test_a_worker_that_is_told_to_end_gives_its_job_back(monkeypatch: pytest.MonkeyPatch) -> None:
    job = made()
    told = job_kinds._kinds["test.echo"]
    monkeypatch.setitem(
        job_kinds._kinds, told.name,
        JobKind(**{name: getattr(told, name) for name in told.__slots__} | {"work": _leaves}),
    )  # fmt: skip

    job_worker.execute(job.pk, worker="one")

    assert (again(job).state, again(job).worker) == ("queued", "")


def _leaves(given: Assignment) -> Outcome:
    job_worker.drain()
    given.on_step("reading", 1, 2)
    raise AssertionError("it was to stop")


def test_somebody_starts_watches_and_cancels_a_job() -> None:
    curator = Client()
    curator.force_login(User.objects.get(username="curator"))

    empty = curator.post(f"{ADD}?kind=test.echo", {"word": ""})
    started = curator.post(f"{ADD}?kind=test.echo", {"word": "hi", "file": SimpleUploadedFile("a.txt", b"there")})
    job = Job.objects.get()
    page = curator.get(started["Location"])
    curator.post(f"/admin/toolbox/job/{job.pk}/cancel/")
    progress = curator.get(f"/admin/toolbox/job/{job.pk}/progress/")

    assert "This field is required" in empty.content.decode()
    assert (job.arguments, job.file_name, bytes(job.file or b"")) == ({"word": "hi"}, "a.txt", b"there")
    assert 'hx-trigger="every 1s"' in page.content.decode()
    assert b'name="_save"' not in page.content
    assert "Cancelled before it began." in progress.content.decode()
    assert "hx-trigger" not in progress.content.decode()


def test_who_may_not_load_a_domain_starts_none_of_its_jobs() -> None:
    clerk = User.objects.create_user("clerk", is_staff=True)
    for name in ("add_job", "view_job", "add_issue"):
        clerk.user_permissions.add(Permission.objects.get(codename=name))
    client = Client()
    client.force_login(clerk)

    offered = client.get(ADD).content.decode()
    refused = client.post(f"{ADD}?kind=test.echo", {"word": "hi"})

    assert "Issues from a Jira" in offered
    assert "Echo" not in offered
    assert refused.status_code == 200
    assert not Job.objects.exists()
