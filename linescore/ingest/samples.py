"""The season that ships with the project: every period of 2024-25."""

import gzip
from collections.abc import Callable
from datetime import date
from importlib.resources import files

from linescore.ingest.load import LoadReport, load_games, load_teams
from linescore.ingest.parse import read_period_csv, read_team_csv

SEASON_ENDED = date(2025, 4, 17)


def load_samples(*, on_progress: Callable[[LoadReport], None] = lambda report: None) -> LoadReport:
    """Store the shipped teams and season; safe to repeat, about 1 s the first time."""
    samples = files("linescore") / "samples"
    load_teams(read_team_csv((samples / "teams.csv").read_text(encoding="utf-8").splitlines()))
    season = gzip.decompress((samples / "periods_2024_2025.csv.gz").read_bytes()).decode("utf-8")
    return load_games(read_period_csv(season.splitlines()), today=SEASON_ENDED, on_progress=on_progress)
