"""SQL for a question: by the grammar; where it cannot read it, by the model, or by verified queries without one."""

import logging
from dataclasses import replace
from datetime import datetime

import regex

from sprints.asking.drafting import Doubt, Draft, draft, draft_query
from sprints.asking.prompts import ANSWER, GENERATE, GeneratedQuery, GeneratedSql, to_generate
from sprints.asking.understanding import Understood, understand
from sprints.contracts import SchemaInfo
from sprints.schema.reading import load_schema
from sprints.semantics.model import SemanticModel, shipped_model
from sprints.semantics.query import MetricQuery
from sprints.semantics.questions.coverage import find_doubts, find_doubts_about_sql
from toolbox.database.pools import Pool
from toolbox.model import Message, Model, ModelFailure

logger = logging.getLogger(__name__)

MODEL_SECONDS = 25.0
_RELATION = regex.compile(r"\b(?:from|join)\s+([a-z_]+)", regex.IGNORECASE)
UNSURE = "I could not turn that into a query. Please say it another way."


async def generate(
    question: str, *, now: datetime, reader: Pool, model: Model | None, schema: SchemaInfo | None = None,
    context: MetricQuery | None = None,
) -> tuple[Draft, Understood]:  # fmt: skip
    """
    Turn a question into SQL or into a question back; ambiguous names are asked about before any model is.

    A model that fails is stood in for by the verified queries. `schema` is the caller's own, where it has one.
    """
    understood = await understand(question, now=now, reader=reader, context=context)
    return await drafted(understood, model=model, schema=schema), understood


async def drafted(understood: Understood, *, model: Model | None, schema: SchemaInfo | None) -> Draft:
    """Do the same with a question that is understood already; a model is asked only what the grammar cannot read."""
    ours = draft(understood)
    if understood.linked.unclear or model is None or ours.query is not None:
        return _within(ours, schema=schema)
    try:
        known = schema or await load_schema()
        return await by_model(model, understood=understood, schema=known, layer=None if schema else shipped_model())
    except ModelFailure as failure:
        logger.warning("The verified queries answer in the model's place: %s", failure)
        said = (*ours.assumptions, "The model could not be asked, so only verified queries were tried.")
        return _within(replace(ours, assumptions=said), schema=schema)


async def by_model(
    model: Model, *, understood: Understood, schema: SchemaInfo, layer: SemanticModel | None = None
) -> Draft:  # fmt: skip
    """
    Have the model answer with a query of the layer, with SQL where the layer cannot say it, or with a question back.

    What the question says and the answer does not use is a doubt, said with the answer. Raises ModelFailure.
    """
    messages = [
        Message.system(ANSWER if layer else GENERATE),
        Message.user(to_generate(understood, schema=schema, layer=layer)),
    ]
    shape: type[GeneratedQuery | GeneratedSql] = GeneratedQuery if layer else GeneratedSql
    given = await model.complete_structured(messages, schema=shape, deadline_seconds=MODEL_SECONDS)
    assumed = tuple(dict.fromkeys((*understood.linked.assumptions, *understood.assumptions, *given.assumptions)))
    if isinstance(given, GeneratedQuery) and given.query is not None:
        written = draft_query(given.query, understood=understood, said=assumed)
        if written is not None:
            parse = understood.parse
            return replace(written, warnings=tuple(find_doubts(parse, query=given.query)) if parse else ())
    sql = (given.sql or "").strip().rstrip(";").strip()
    near = tuple(understood.nearest())
    if not sql:
        asked = given.clarification or UNSURE
        return Draft(clarification=asked, suggestions=near, doubts=(Doubt(question=asked, replaces="more"),))
    doubts = find_doubts_about_sql(understood.parse, sql=sql) if layer and understood.parse else ()
    return Draft(sql=sql, assumptions=assumed, suggestions=near, warnings=tuple(doubts))


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
