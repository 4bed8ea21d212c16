"""SQL for a question: by the model where one is configured, by the verified queries alone where none is."""

import logging
from dataclasses import replace
from datetime import datetime

import regex

from sprints.asking.drafting import Doubt, Draft, draft
from sprints.asking.prompts import GENERATE, GeneratedSql, to_generate
from sprints.asking.understanding import Understood, understand
from sprints.contracts import SchemaInfo
from sprints.schema.reading import known_schema
from toolbox.database.pools import Pool
from toolbox.model import Message, Model, ModelFailure

logger = logging.getLogger(__name__)

MODEL_SECONDS = 25.0
_RELATION = regex.compile(r"\b(?:from|join)\s+([a-z_]+)", regex.IGNORECASE)
UNSURE = "I could not turn that into a query. Please say it another way."


async def generate(
    question: str, *, now: datetime, reader: Pool, model: Model | None, schema: SchemaInfo | None = None
) -> tuple[Draft, Understood]:
    """
    Turn a question into SQL or into a question back; ambiguous names are asked about before any model is.

    A model that fails is stood in for by the verified queries. `schema` is the caller's own, where it has one.
    """
    understood = await understand(question, now=now, reader=reader)
    return await drafted(understood, model=model, schema=schema), understood


async def drafted(understood: Understood, *, model: Model | None, schema: SchemaInfo | None) -> Draft:
    """Do the same with a question that is understood already."""
    verified = draft(understood)
    if understood.linked.unclear or model is None:
        return _within(verified, schema=schema)
    try:
        return await by_model(model, understood=understood, schema=schema or await known_schema())
    except ModelFailure as failure:
        logger.warning("The verified queries answer in the model's place: %s", failure)
        said = (*verified.assumptions, "The model could not be asked, so only verified queries were tried.")
        return _within(replace(verified, assumptions=said), schema=schema)


async def by_model(model: Model, *, understood: Understood, schema: SchemaInfo) -> Draft:
    """Have the model write SQL, or a question back; raises ModelFailure."""
    messages = [Message.system(GENERATE), Message.user(to_generate(understood, schema=schema))]
    given = await model.complete_structured(messages, schema=GeneratedSql, deadline_seconds=MODEL_SECONDS)
    sql = (given.sql or "").strip().rstrip(";").strip()
    near = tuple(understood.nearest())
    if not sql:
        asked = given.clarification or UNSURE
        return Draft(clarification=asked, suggestions=near, doubts=(Doubt(question=asked, mends="more"),))
    assumed = (*understood.linked.assumptions, *understood.assumptions, *given.assumptions)
    return Draft(sql=sql, assumptions=tuple(dict.fromkeys(assumed)), suggestions=near)


def _within(drafted: Draft, *, schema: SchemaInfo | None) -> Draft:
    """Refuse a verified statement over views that the caller's schema does not have."""
    if schema is None or drafted.sql is None:
        return drafted
    known = {table.name for table in schema.tables}
    ours = {name.lower() for name in _RELATION.findall(drafted.sql)} - {"unnest"}
    if ours <= known:
        return drafted
    lacking = ", ".join(sorted(ours - known))
    return Draft(clarification=f"The given schema has no {lacking}, which the answer needs. Which view holds it?")
