"""Loads of logs that people start in the admin; manage.py ingest_backtest and uploads do the same."""

from django import forms

from backtests.ingest.engines import formats
from backtests.ingest.from_engine import read_engine
from backtests.ingest.load import load_entries, load_lines
from backtests.ingest.report import LoadReport
from backtests.ingest.source import read_lines
from toolbox.work.job_forms import JobForm, file_field
from toolbox.work.job_kinds import Assignment, JobKind, JobRefused, Outcome

CONTRACT = "contract"


class LogForm(JobForm):
    """Which log."""

    file = file_field("A file of JSON lines; .gz too.")
    format = forms.ChoiceField(
        choices=lambda: [(name, name) for name in (CONTRACT, *formats())], help_text="In whose words."
    )


def from_log(given: Assignment) -> Outcome:
    """Read a log."""
    if given.file is None:
        raise JobRefused("The file is gone; start again.")
    report, size, name = LoadReport(), given.file.stat().st_size, given.values["format"]
    with given.file.open("rb") as stream:
        lines = read_lines(stream, report=report, on_bytes=lambda place: given.on_step("reading bytes", place, size))
        if name == CONTRACT:
            load_lines(lines, run_id=None, report=report)
        else:
            load_entries(read_engine(lines, name=name, run_id=None), run_id=None, report=report)
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
