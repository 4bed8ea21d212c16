"""Preview of hints for the admin."""

from collections.abc import Sequence
from dataclasses import dataclass

from graphql import GraphQLError

from graphql_proxy.documents import Document, measure_text, parse_document
from graphql_proxy.fixes.contract_text import enhance_graphql_error
from graphql_proxy.fixes.hint_rows import Fit, Hint, fits, message_hints, problem_of
from graphql_proxy.fixes.schema_lookups import Context
from graphql_proxy.models import ErrorHint
from graphql_proxy.schema.store import schemas
from toolbox.database import event_loop

_MAX_TOKENS = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class HintPreview:
    """The message with the contract's help, the hints that match with their texts, and the broken patterns."""

    message: str
    said: list[Fit]
    problems: list[tuple[str, str]]


def hint_of(row: ErrorHint) -> Hint:
    """Convert a row to the form that tools use."""
    return Hint(**{name: getattr(row, name) for name in Hint.__dataclass_fields__})


def preview_hints(error: str, *, rows: Sequence[ErrorHint], query: str = "", slug: str | None = None) -> HintPreview:
    """Match hints against an error in the order of their rows, with the schema of an upstream if one is named."""
    hints = [hint_of(row) for row in rows]
    known = event_loop.run(schemas.find(slug)) if slug else None
    context = Context(schema=known.schema if known else None, document=_document(query))
    problems = [(hint.name, problem_of(hint.pattern)) for hint in hints if hint.matcher == "regex"]
    return HintPreview(
        message=enhance_graphql_error(error, hints=message_hints(hints)),
        said=fits(error, hints=[hint for hint in hints if hint.layer == "beside"], context=context),
        problems=[(name, problem) for name, problem in problems if problem],
    )


def _document(query: str) -> Document | None:
    try:
        return parse_document(query, measure=measure_text(query, most_tokens=_MAX_TOKENS)) if query else None
    except GraphQLError:
        return None
