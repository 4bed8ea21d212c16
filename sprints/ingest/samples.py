"""The sample organisation Meridian: three teams with ten sprints each (samples/README.md)."""

from importlib.resources import files

from sprints.ingest.load import LoadReport, LoadRules, OnProgress, ensure_organisation, ignore_progress, load_records
from sprints.ingest.sources import read_sources
from sprints.verified.load import load_verified_queries

SLUG, NAME, SAMPLE = "meridian", "Meridian (sample)", "meridian.jsonl.gz"


def load_samples(*, on_progress: OnProgress = ignore_progress) -> LoadReport:
    """
    Store what is missing of the sample organisation, about 1 s the first time, and the verified queries.

    What is stored is left as it is: a curator may have corrected it.
    """
    load_verified_queries()
    packed = (files("sprints") / "samples" / SAMPLE).read_bytes()
    records, survey, _ = read_sources([(SAMPLE, packed)])
    report = LoadReport(expected=len(survey.issues))
    return load_records(
        records, organisation=ensure_organisation(SLUG, name=NAME), report=report,
        rules=LoadRules(replaces_stored=False), on_progress=on_progress,
    )  # fmt: skip
