"""Jobs that load issues from the admin. manage.py ingest_jira does the same."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from django import forms
from django.conf import settings
from django.utils.text import slugify

from toolbox.work.job_forms import JobForm, file_field
from toolbox.work.job_kinds import Assignment, JobKind, JobRefused, Outcome

if TYPE_CHECKING:
    from sprints.ingest.load import OnProgress
    from sprints.models import Organisation


class NoSuchSite(JobRefused):
    """No organisation of that name has a Jira of its own."""


MAY = "sprints.add_issue"
MAX_SECONDS = 3_600.0


class SiteForm(JobForm):
    """Which site, and what of it."""

    organisation = forms.CharField(max_length=200, help_text="Whose issues they are.")
    site = forms.URLField(
        assume_scheme="https", help_text="As https://example.atlassian.net; JIRA_TOKEN is shown to it."
    )
    projects = forms.CharField(required=False, max_length=500, help_text="Only these, by comma; empty: all.")
    everything = forms.BooleanField(required=False, help_text="Every issue, not only what changed since the last load.")


class FileForm(JobForm):
    """Which file, and whose."""

    organisation = forms.CharField(max_length=200, help_text="Whose issues they are.")
    file = file_field("Saved answers of Jira's REST API (.json, .jsonl) or its CSV export (.csv, .tsv); .gz too.")


class SampleForm(JobForm):
    """Nothing to say."""


def from_site(given: Assignment) -> Outcome:
    """Load from a Jira for at most an hour. A repeated run continues."""
    from sprints.ingest.load import ensure_organisation

    name, site = given.values["organisation"], given.values["site"]
    return _load_site(ensure_organisation(slugify(name) or "jira", name=name, site_url=site), site=site, given=given)


def from_own_site(given: Assignment) -> Outcome:
    """Load from the organisation's own Jira. No other address can be given."""
    from sprints.ingest.load import organisations_with_site

    having = organisations_with_site()
    wanted = given.values["organisation"]
    found = [one for one in having if wanted in ("", one.slug)]
    if len(found) != 1:
        known = ", ".join(one.slug for one in having) or "none yet; an administrator loads a site first"
        raise NoSuchSite(f"Say which organisation's Jira; those that have one: {known}.")
    return _load_site(found[0], site=found[0].site_url, given=given)


def _load_site(organisation: "Organisation", *, site: str, given: Assignment) -> Outcome:
    from sprints.ingest.fetch import JiraClient, authorization
    from sprints.ingest.load import note_synced
    from sprints.ingest.record import NotReadable
    from sprints.ingest.site import IssueSelection, ingest_site

    projects = tuple(part.strip() for part in given.values["projects"].split(",") if part.strip())
    wanted = IssueSelection(projects=projects, since=None if given.values["everything"] else organisation.synced_until)
    header = authorization(token=settings.JIRA_TOKEN, email=settings.JIRA_EMAIL)
    try:
        with JiraClient(site_url=site, authorization=header, most_seconds=MAX_SECONDS) as client:
            report = ingest_site(
                client,
                organisation=organisation,
                wanted=wanted,
                now=datetime.now(UTC),
                on_progress=_make_progress(given),
            )
    except NotReadable as reason:
        raise JobRefused(str(reason)) from reason
    if not projects:
        note_synced(organisation, report=report)
    return Outcome.from_report(report, thing="issue")


def from_file(given: Assignment) -> Outcome:
    """Load a file."""
    from sprints.ingest.files import ingest_files
    from sprints.ingest.load import ensure_organisation
    from sprints.ingest.record import NotReadable

    if given.file is None:
        raise JobRefused("The file is gone; start again.")
    name = given.values["organisation"]
    organisation = ensure_organisation(slugify(name) or "jira", name=name, site_url="")
    try:
        report = ingest_files(
            given.file, organisation=organisation, now=datetime.now(UTC), on_progress=_make_progress(given)
        )
    except NotReadable as reason:
        raise JobRefused(str(reason)) from reason
    return Outcome.from_report(report, thing="issue")


def from_samples(given: Assignment) -> Outcome:
    """Load the shipped organisation."""
    from sprints.ingest.samples import load_samples

    return Outcome.from_report(load_samples(on_progress=_make_progress(given)), thing="issue")


def _make_progress(given: Assignment) -> "OnProgress":
    return lambda report: given.on_step("storing issues", report.total, report.expected)


JOBS = [
    JobKind(
        name="sprints.site", title="Issues from a Jira", form=SiteForm, work=from_site, permission=MAY,
        says="Issues, sprints and their history, in the order in which they changed.",
    ),
    JobKind(
        name="sprints.file", title="Issues from a file", form=FileForm, work=from_file, permission=MAY,
        says="Saved answers of a Jira, or its CSV export.",
    ),
    JobKind(
        name="sprints.sample", title="The shipped sample organisation", form=SampleForm, work=from_samples,
        permission=MAY, says="What is missing of Meridian's three teams; corrections stay.",
    ),
]  # fmt: skip
