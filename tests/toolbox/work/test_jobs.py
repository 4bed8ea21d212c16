"""Jobs are done once, begun again after a worker ended, stopped when told, and started by those who may."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from django import forms
from django.contrib.auth.models import Permission, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from toolbox.database import event_loop
from toolbox.models import Job
from toolbox.work import job_kinds, jobs, worker
from toolbox.work.job_forms import JobForm, file_field
from toolbox.work.job_kinds import Assignment, JobKind, JobRefused, Outcome
from toolbox.work.publisher import publisher

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
def kind(monkeypatch: pytest.MonkeyPatch, cast: object, django_db_blocker: Any) -> Iterator[None]:
    monkeypatch.setattr(publisher, "take", lambda *_, **__: None)
    monkeypatch.setattr(worker, "_is_draining", False)
    make_job = JobKind(
        name="test.echo", title="Echo", says="Says it.", form=WordForm, work=echo, permission="linescore.add_game"
    )
    monkeypatch.setitem(job_kinds._kinds, make_job.name, make_job)
    with django_db_blocker.unblock():
        yield
        Job.objects.filter(kind="test.echo").delete()


def make_job(**columns: Any) -> Job:
    return Job.objects.create(kind="test.echo", **{"arguments": {"word": "hello"}} | columns)


def use(monkeypatch: pytest.MonkeyPatch, work: Callable[[Assignment], Outcome]) -> None:
    monkeypatch.setitem(job_kinds._kinds, "test.echo", replace(job_kinds._kinds["test.echo"], work=work))


def carry_out(job: Job) -> None:
    event_loop.run(worker.execute(jobs.JOBS, work_id=job.pk, work=jobs.carry_out))


def again(job: Job) -> Job:
    return Job.objects.get(pk=job.pk)


def test_a_job_is_done_once_and_its_row_says_what_came_of_it() -> None:
    job = make_job(file=b"world", file_name="../../w.txt")

    for _ in range(2):
        carry_out(job)

    done = again(job)
    assert (done.state, done.summary, done.details) == ("succeeded", "hello world", "one\ntwo")
    assert (done.worker, done.attempt, done.percent, done.file) == ("", 1, 100, None)


@pytest.mark.parametrize(("word", "summary"), [("refuse", "It is refused."), ("break", "the log has why")])
def test_a_job_that_fails_says_so_without_the_reason_of_a_fault_of_ours(word: str, summary: str) -> None:
    job = make_job(arguments={"word": word})

    carry_out(job)

    assert again(job).state == "failed"
    assert summary in again(job).summary
    assert "secret" not in again(job).summary


def test_a_worker_that_is_told_to_end_gives_its_job_back(monkeypatch: pytest.MonkeyPatch) -> None:
    job = make_job()
    use(monkeypatch, _leaves)

    carry_out(job)

    assert (again(job).state, again(job).worker) == ("queued", "")


def _leaves(given: Assignment) -> Outcome:
    event_loop.run(worker.drain())
    given.on_step("reading", 1, 2)
    raise AssertionError("it was to stop")


def test_a_cancelled_job_stops_at_its_next_step(monkeypatch: pytest.MonkeyPatch) -> None:
    job = make_job()
    use(monkeypatch, _is_cancelled)
    monkeypatch.setattr(worker, "HEARTBEAT_SECONDS", 0.01)

    carry_out(job)

    assert (again(job).state, again(job).summary[:10]) == ("cancelled", "Cancelled;")


def _is_cancelled(given: Assignment) -> Outcome:
    event_loop.run(jobs.cancel(Job.objects.get(state="running").pk))
    while True:
        given.on_step("reading", 1, 2)


def test_somebody_starts_watches_and_cancels_a_job() -> None:
    curator = Client()
    curator.force_login(User.objects.get(username="curator"))

    empty = curator.post(f"{ADD}?kind=test.echo", {"word": ""})
    started = curator.post(f"{ADD}?kind=test.echo", {"word": "hi", "file": SimpleUploadedFile("a.txt", b"there")})
    job = Job.objects.get(kind="test.echo")
    page = curator.get(started["Location"])
    curator.post(f"/admin/toolbox/job/{job.pk}/cancel/")
    progress = curator.get(f"/admin/toolbox/job/{job.pk}/progress/")

    assert "This field is required" in empty.content.decode()
    assert (job.arguments, job.file_name, bytes(job.file or b"")) == ({"word": "hi"}, "a.txt", b"there")
    assert 'hx-trigger="every 1s"' in page.content.decode()
    assert b'name="_save"' not in page.content
    assert "Cancelled before it began." in progress.content.decode()
    assert "hx-trigger" not in progress.content.decode()
    assert progress["HX-Refresh"] == "true"  # the rest of the page still says that the job waits


def test_who_may_not_load_a_domain_starts_none_of_its_jobs() -> None:
    clerk = User.objects.create_user("clerk", is_staff=True)
    for name in ("add_job", "view_job", "add_issue"):
        clerk.user_permissions.add(Permission.objects.get(codename=name))
    client = Client()
    client.force_login(clerk)

    form_page = client.get(ADD).content.decode()
    refused = client.post(f"{ADD}?kind=test.echo", {"word": "hi"})

    assert "Issues from a Jira" in form_page
    assert "Echo" not in form_page
    assert refused.status_code == 200
    assert not Job.objects.filter(kind="test.echo").exists()
    clerk.delete()
