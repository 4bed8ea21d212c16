"""Input and output models of our own tool `evaluate_sql_questions`."""

from typing import Literal

from pydantic import Field

from sprints.contracts import CamelAnswer
from toolbox.contract.models import ToolInput, WholeNumber

MAX_QUESTIONS = 500
MAX_MISSES = 20


class EvaluationQuestion(ToolInput):
    """How many questions, and who answers."""

    most: WholeNumber = Field(10, ge=1, le=MAX_QUESTIONS, description="How many of the set, from its beginning.")
    provider: Literal["verified", "model"] = Field(
        "verified", description="verified: the verified queries alone. model: the language model; needs sprints:write."
    )


class CategoryScore(CamelAnswer):
    """One category's count."""

    category: str = Field(description="The category; all is the sum.")
    questions: int = Field(description="How many were asked.")
    right: int = Field(description="Rows as the gold statement's.")
    wrong: int = Field(description="Other rows.")
    failed: int = Field(description="Statements that did not run.")
    asked: int = Field(description="Asked back.")
    refused: int = Field(description="Statements that the guard refused.")
    tokens: int = Field(description="Tokens of the model, as far as known.")
    median_ms: float = Field(description="Half of the drafts took no longer, in milliseconds.")


class Miss(CamelAnswer):
    """A question that was not answered as it should be."""

    question: str = Field(description="The question.")
    verdict: str = Field(description="wrong, failed, asked, refused or broken gold.")
    said: str = Field(description="The statement, the error or the question back, cut.")


class Evaluation(CamelAnswer):
    """How well the questions were answered."""

    scores: list[CategoryScore] = Field(description="By category, all of them last.")
    misses: list[Miss] = Field(description=f"The first {MAX_MISSES} that went wrong.")
