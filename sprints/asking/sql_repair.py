"""Repair of a failed statement by the schema, else by the model."""

import logging

from sprints.asking.prompts import REPAIR, RepairedSql, write_repair_task
from sprints.contracts import RepairSqlResult, SchemaInfo
from sprints.linking.name_cache import load_name_index
from sprints.schema.reading import load_schema
from sprints.sql_sandbox.execution import plan
from sprints.sql_sandbox.repair import Repair, repair_statement
from toolbox.contract.errors import ToolError
from toolbox.database.pools import Pool
from toolbox.model import Message, Model, ModelFailure

logger = logging.getLogger(__name__)

MODEL_SECONDS = 20.0


async def repair(
    sql: str, *, error: str, reader: Pool, model: Model | None, schema: SchemaInfo | None = None
) -> RepairSqlResult:
    """
    Repair a statement. Without a repair, the failed statement is returned with the reason.

    What the schema proves is not asked of a model. Whatever is given back was planned by the database, unless the
    caller brought a schema of another one.
    """
    known = schema or await load_schema()
    found = repair_statement(sql, schema=known, index=await load_name_index(reader=reader))
    refusal = ""
    if found.changes:
        refusal = await _find_refusal(found.sql, is_ours=schema is None)
        if not refusal:
            return RepairSqlResult(repaired_sql=found.sql, assumptions=list(found.changes))
    reason = _describe(found, refusal=refusal)
    if model is None:
        return _give_back(sql, why=f"{reason}, and no model is configured")
    try:
        messages = [Message.system(REPAIR), Message.user(write_repair_task(sql, error=error, schema=known))]
        given = await model.complete_structured(messages, schema=RepairedSql, deadline_seconds=MODEL_SECONDS)
    except ModelFailure as failure:
        logger.warning("A statement was not repaired: %s", failure)
        return _give_back(sql, why=f"{reason}, and the model could not be asked")
    repaired = given.sql.strip().rstrip(";").strip()
    if not repaired:
        return _give_back(sql, why="the model gave none")
    if refusal := await _find_refusal(repaired, is_ours=schema is None):
        return _give_back(sql, why=f"the model's statement fails too ({refusal})")
    return RepairSqlResult(repaired_sql=repaired, assumptions=given.assumptions or ["Changed by the model."])


async def _find_refusal(sql: str, *, is_ours: bool) -> str:
    """Return why the statement cannot run. Empty if it can, or if it is for another database."""
    if not is_ours:
        return ""
    try:
        await plan(sql)
    except ToolError as error:
        return error.message
    return ""


def _describe(found: Repair, *, refusal: str) -> str:
    if refusal:
        return f"the statement with the names of the schema fails too ({refusal})"
    if found.unresolved:
        return f"nothing in the schema proves what {', '.join(found.unresolved)} means"
    return "no repair follows from the schema"


def _give_back(sql: str, *, why: str) -> RepairSqlResult:
    return RepairSqlResult(repaired_sql=sql, assumptions=[f"The statement is unchanged: {why}."])
