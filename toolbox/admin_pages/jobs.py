"""Admin pages to start, watch and cancel jobs."""

from typing import Any

from django.contrib import admin, messages
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.decorators import display

from toolbox.admin_pages.curation import KeptAdmin, MomentFilter
from toolbox.database import event_loop
from toolbox.models import Job
from toolbox.work import jobs
from toolbox.work.job_kinds import JobKind, kind_named, kinds
from toolbox.work.publisher import enqueue

STATE_COLOURS = {
    "Queued": "info",
    "Running": "info",
    "Succeeded": "success",
    "Failed": "danger",
    "Cancelled": "warning",
}


@admin.register(Job)
class JobAdmin(KeptAdmin):
    """Jobs: who started them, their progress and their results."""

    notice = "Done by workers, one after another of each; a worker that ends gives its jobs to others."
    change_form_outer_before_template = "toolbox/job_watched.html"
    list_display = ["kind_title", "state_label", "progress", "summary", "started_by", "created_at"]
    list_filter = ["state", ("created_at", MomentFilter)]
    list_select_related = ["started_by"]
    search_fields = ["kind", "summary"]
    ordering = ["-created_at"]
    actions = ["cancel"]
    exports = ["kind", "state", "started_by__username", "summary", "details", "created_at", "finished_at"]
    fields = [
        ("kind", "state"),
        ("started_by", "worker"),
        "arguments",
        "file_name",
        "summary",
        "show_details",
        ("created_at", "started_at"),
        ("finished_at", "attempt"),
    ]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Allow people who may add jobs and have the permission of at least one kind."""
        return request.user.has_perm("toolbox.add_job") and bool(_open_to(request))

    def get_urls(self) -> list[URLPattern]:
        """Add the addresses of a job's progress and of its cancellation."""
        watch = path(
            "<int:job_id>/progress/", self.admin_site.admin_view(self.progress_view), name="toolbox_job_progress"
        )
        urls: list[URLPattern] = super().get_urls()
        stop = path("<int:job_id>/cancel/", self.admin_site.admin_view(self.cancel_view), name="toolbox_job_cancel")
        return [watch, stop, *urls]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Job]:
        """Leave the jobs' files unread."""
        rows: QuerySet[Job] = super().get_queryset(request).defer("file")
        return rows

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Ask for the kind of job, then for its parameters, then start it."""
        open_to = _open_to(request) if self.has_add_permission(request) else []
        kind = next((one for one in open_to if one.name == request.GET.get("kind")), None)
        form = kind.form(request.POST or None, request.FILES or None) if kind else None
        if kind and form is not None and request.method == "POST":
            form = kind.form(request.POST, request.FILES)
            if form.is_valid():
                return self._start(request, kind, form)
        context = self.admin_site.each_context(request) | {
            "title": kind.title if kind else "Start a job",
            "kinds": open_to,
            "kind": kind,
            "form": form,
            "opts": self.opts,
        }
        return render(request, "toolbox/start_job.html", context, status=200 if open_to else 403)

    def progress_view(self, request: HttpRequest, job_id: int) -> HttpResponse:
        """Render the part of the page with the progress."""
        job = self.get_object(request, str(job_id))
        if job is None or not self.has_view_permission(request, job):
            return HttpResponse("There is no such job for you.", status=404)
        shown = render(request, "toolbox/job_progress.html", {"job": job})
        if not job.is_live:
            shown["HX-Refresh"] = "true"  # the rest of the page still shows a running job
        return shown

    @admin.action(description="Cancel the selected jobs", permissions=["change"])
    def cancel(self, request: HttpRequest, chosen: QuerySet[Job]) -> None:
        """Cancel queued jobs at once; running ones stop at their next step."""
        ended = [job for job in chosen if event_loop.run(jobs.cancel(job.pk))]
        for job in ended:
            self.log_change(request, job, "Cancelled.")
        messages.success(request, f"{len(ended)} cancelled; one that is under way stops at its next step.")

    def cancel_view(self, request: HttpRequest, job_id: int) -> HttpResponse:
        """Cancel a job from its own page."""
        if request.method == "POST" and self.has_change_permission(request):
            self.cancel(request, self.get_queryset(request).filter(pk=job_id))
        return HttpResponseRedirect(reverse("admin:toolbox_job_change", args=[job_id]))

    @admin.display(description="job", ordering="kind")
    def kind_title(self, job: Job) -> str:
        """Return the title of the job's kind."""
        kind = kind_named(job.kind)
        return kind.title if kind else job.kind

    @display(description="state", ordering="state", label=STATE_COLOURS)  # type: ignore[untyped-decorator]
    def state_label(self, job: Job) -> str:
        """Return the state; unfold colours it."""
        return job.get_state_display()

    @admin.display(description="progress")
    def progress(self, job: Job) -> str:
        """Return the current step and its counts."""
        return f"{job.step}: {job.done:,} of {job.expected:,}" if job.step else ""

    @admin.display(description="what did not go in")
    def show_details(self, job: Job) -> SafeString:
        """Show the reasons why rows were left out, one per line."""
        return format_html('<pre class="whitespace-pre-wrap break-all">{}</pre>', job.details or "nothing")

    def _start(self, request: HttpRequest, kind: JobKind, form: Any) -> HttpResponse:
        file = form.cleaned_data.get("file")
        with transaction.atomic():
            job = Job.objects.create(
                kind=kind.name,
                arguments=form.arguments(),
                file=file.read() if file else None,
                file_name=file.name[:255] if file else "",
                started_by_id=request.user.pk,
            )
            self.log_addition(request, job, f"Started: {kind.title}.")
            transaction.on_commit(lambda: enqueue(jobs.JOBS, work_id=job.pk))
        return HttpResponseRedirect(reverse("admin:toolbox_job_change", args=[job.pk]))


def _open_to(request: HttpRequest) -> list[JobKind]:
    return [kind for kind in kinds() if request.user.has_perm(kind.permission)]
