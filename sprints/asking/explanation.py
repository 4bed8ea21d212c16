"""What rows say, in words: by the model where one is configured, by rule where none is."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from sprints.asking.prompts import EXPLAIN, ExplainedRows, to_explain
from sprints.asking.wording import describe_rows
from sprints.contracts import QueryResult
from sprints.semantics.checks import find_unfounded_numbers
from toolbox.contract.encoding import encode
from toolbox.model import Message, Model, ModelFailure

logger = logging.getLogger(__name__)

MODEL_SECONDS = 20.0
UNFOUNDED = "The model named {numbers}, which the rows do not give; its words were left out."


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """The answer in words, and what may be asked next."""

    text: str
    suggestions: tuple[str, ...] = ()

    def as_contract(self) -> str:
        """Write it as the contract wants it: plain text, or a JSON string where there are suggestions."""
        if not self.suggestions:
            return self.text
        return encode({"explanation": self.text, "suggestions": list(self.suggestions)}).decode()


async def explain(
    result: QueryResult, *, question: str, sql: str, model: Model | None, suggestions: Sequence[str] = (),
    assumptions: Sequence[str] = (),
) -> Explanation:  # fmt: skip
    """Explain a result; `suggestions` are those known without a model. A failure of the model is said in the text."""
    if model is None or result.error:
        return Explanation(text=describe_rows(result), suggestions=tuple(suggestions))
    messages = [
        Message.system(EXPLAIN),
        Message.user(to_explain(question, sql=sql, rows=result.rows, assumptions=assumptions)),
    ]
    try:
        given = await model.complete_structured(messages, schema=ExplainedRows, deadline_seconds=MODEL_SECONDS)
    except ModelFailure as failure:
        logger.warning("Rows were put into words by rule: %s", failure)
        return Explanation(
            text=f"The model could not explain the rows: {failure} {describe_rows(result)}",
            suggestions=tuple(suggestions),
        )
    text = given.explanation.strip() or describe_rows(result)
    unfounded = find_unfounded_numbers(text, rows=result.rows, sources=(question, *assumptions))
    if unfounded:
        text = f"{UNFOUNDED.format(numbers=', '.join(unfounded))} {describe_rows(result)}"
    return Explanation(text=text, suggestions=tuple(given.suggestions or suggestions))
