"""The questions to measure: the contract's example of each pattern, and heavier variants."""

from dataclasses import dataclass

from linescore.contracts import LinescoreQuery
from linescore.queries import Statement, statement

TOOL = "query_linescore_data"
DOMAIN = "linescore"


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkQuestion:
    """One question: a name for the table, and the arguments that an agent sends."""

    name: str
    arguments: str

    @property
    def asked(self) -> LinescoreQuery:
        """Return the tool's parsed input."""
        return LinescoreQuery.model_validate_json(self.arguments)

    @property
    def statement(self) -> Statement:
        """Return the statement that the tool runs."""
        return statement(self.asked)


PATTERN_1 = BenchmarkQuestion(
    name="1: CAR, February 2025",
    arguments='{"teamCode":"CAR","startDate":"2025-02-01","endDate":"2025-02-28"}',
)
CONTRACT_EXAMPLES = (
    PATTERN_1,
    BenchmarkQuestion(
        name="2: most period wins, January 2025",
        arguments='{"periodOutcome":"WIN","startDate":"2025-01-01","endDate":"2025-01-31"}',
    ),
    BenchmarkQuestion(
        name="3: CAR, two or more won",
        arguments='{"wonTwoPlusRegPeriods":true,"teamCode":"CAR"}',
    ),
)
HEAVIER = (
    BenchmarkQuestion(
        name="1: no team, February 2025, limit 1000",
        arguments='{"startDate":"2025-02-01","endDate":"2025-02-28","limit":1000}',
    ),
    BenchmarkQuestion(name="1: a whole season", arguments='{"season":"2024-2025"}'),
    BenchmarkQuestion(name="1: no filter", arguments="{}"),
    BenchmarkQuestion(
        name="2: most period wins, a whole season",
        arguments='{"periodOutcome":"WIN","season":"2024-2025"}',
    ),
    BenchmarkQuestion(name="2: most period wins, ten seasons", arguments='{"periodOutcome":"WIN"}'),
    BenchmarkQuestion(
        name="3: no team, a whole season, limit 1000",
        arguments='{"wonTwoPlusRegPeriods":true,"season":"2024-2025","limit":1000}',
    ),
    BenchmarkQuestion(name="3: no other filter", arguments='{"wonTwoPlusRegPeriods":true}'),
)
