"""A failed statement mended: as the schema proves, else by the model, else not at all."""

import logging

from sprints.asking.mending import mend
from sprints.asking.prompts import REPAIR, RepairedSql, to_repair
from sprints.contracts import RepairSqlResult, SchemaInfo
from sprints.linking.kept import name_index
from sprints.schema.reading import known_schema
from toolbox.database.pools import Pool
from toolbox.model import Message, Model, ModelFailure

logger = logging.getLogger(__name__)

MODEL_SECONDS = 20.0


async def repair(
    sql: str, *, error: str, reader: Pool, model: Model | None, schema: SchemaInfo | None = None
) -> RepairSqlResult:
    """
    Mend a statement; the failed one comes back, with a sentence saying so, where no mend is known.

    What the schema proves is not asked of a model: it is certain, and costs nothing.
    """
    known = schema or await known_schema()
    mended = mend(sql, error=error, schema=known, index=await name_index(reader=reader))
    if mended and mended.sql != sql:
        return RepairSqlResult(repaired_sql=mended.sql, assumptions=[mended.said])
    if model is None:
        return _unmended(sql, why="no mend follows from the schema, and no model is configured")
    try:
        messages = [Message.system(REPAIR), Message.user(to_repair(sql, error=error, schema=known))]
        given = await model.complete_structured(messages, schema=RepairedSql, deadline_seconds=MODEL_SECONDS)
    except ModelFailure as failure:
        logger.warning("A statement was not mended: %s", failure)
        return _unmended(sql, why="the model could not be asked")
    repaired = given.sql.strip().rstrip(";").strip()
    if not repaired:
        return _unmended(sql, why="the model gave none")
    return RepairSqlResult(repaired_sql=repaired, assumptions=given.assumptions or ["Changed by the model."])


def _unmended(sql: str, *, why: str) -> RepairSqlResult:
    return RepairSqlResult(repaired_sql=sql, assumptions=[f"The statement is unchanged: {why}."])
