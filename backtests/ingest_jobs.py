"""Background jobs that load logs, started in the admin; manage.py ingest_backtest and uploads do the same."""

from uuid import UUID

from django import forms

from toolbox.work.job_forms import JobForm, file_field
from toolbox.work.job_kinds import Assignment, JobKind, JobRefused, Outcome


def _list_formats() -> tuple[str, ...]:
    from backtests.ingest.engines import list_engines
    from backtests.ingest.format_choice import AUTO, CONTRACT

    return AUTO, CONTRACT, *list_engines()


class LogForm(JobForm):
    """The log to load, and its run."""

    file = file_field("A log, or what an engine wrote; .gz too.")
    format = forms.ChoiceField(
        choices=lambda: [(name, name) for name in _list_formats()],
        help_text="In whose words; auto sees it by how the file begins.",
    )
    run = forms.UUIDField(
        required=False, help_text="The run's GUID; without it the one that the log names, or one made from its content."
    )
    sweep = forms.CharField(required=False, max_length=200, help_text="The experiment that the run belongs to.")
    columns = forms.CharField(
        required=False, max_length=2000, help_text="What a table's columns mean, as time=Date,equity=NAV."
    )
    symbol = forms.CharField(required=False, max_length=200, help_text="The security of a table that does not say it.")


def from_log(given: Assignment) -> Outcome:
    """Load a log."""
    from backtests.ingest.files import LoadOptions, SourceFile, load_files
    from backtests.ingest.format_choice import LoadRefused
    from backtests.ingest.report import LoadReport

    if given.file is None:
        raise JobRefused("The file is gone; start again.")
    report, size = LoadReport(), given.file.stat().st_size
    run = given.values.get("run")
    options = LoadOptions(
        format_name=given.values["format"], run_id=UUID(run) if run else None, sweep=given.values.get("sweep") or "",
        symbol=given.values.get("symbol") or "",
    )  # fmt: skip
    try:
        load_files(
            [SourceFile(path=given.file, columns=given.values.get("columns") or "")], options=options, report=report,
            on_bytes=lambda place: given.on_step("reading bytes", place, size),
        )  # fmt: skip
    except LoadRefused as error:
        raise JobRefused(str(error)) from error
    if report.ended_early:
        raise JobRefused(f"The file ends early, {report.ended_early}; what is stored is not stored twice.")
    runs = [f"run {run_id}" for run_id in report.run_ids]
    return Outcome(summary=report.summary(), reasons=[*runs, *(f"quarantined: {reason}" for reason in report.reasons)])


JOBS = [
    JobKind(
        name="backtests.log", title="A backtest's log", form=LogForm, work=from_log, permission="backtests.add_run",
        says="The events of a run, or of several; what is stored is not stored twice.",
    ),
]  # fmt: skip
