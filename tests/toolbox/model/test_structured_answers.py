"""An answer of a given shape, for domains."""

import pytest
from pydantic import BaseModel, Field

from tests.agents.model_server import ModelServer
from tests.agents.turns import never, refuses, says
from tests.toolbox.model.conftest import QUESTION, ModelMaker
from toolbox.model import ModelMisbehaved, ModelUnavailable


class Plan(BaseModel):
    sql: str = Field(description="The statement.")
    tables: list[str] = Field(description="What it reads.")


GOOD = '{"sql": "SELECT 1", "tables": ["games"]}'


async def test_the_shape_is_asked_for_and_read(server: ModelServer, maker: ModelMaker) -> None:
    server.when("Carolina", says(GOOD))

    plan = await maker().complete_structured(QUESTION, schema=Plan, deadline_seconds=5)

    assert plan == Plan(sql="SELECT 1", tables=["games"])
    asked = server.asked[0].body["response_format"]["json_schema"]
    assert (asked["name"], asked["schema"]["required"]) == ("Plan", ["sql", "tables"])
    assert "The statement." in server.asked[0].messages[0]["content"]


@pytest.mark.parametrize("said", [f"Here it is:\n```json\n{GOOD}\n```", f'<think>{{"a": 1}}?</think>{GOOD}'])
async def test_it_is_read_leniently(server: ModelServer, maker: ModelMaker, said: str) -> None:
    server.when("Carolina", says(said))

    assert (await maker().complete_structured(QUESTION, schema=Plan, deadline_seconds=5)).tables == ["games"]


async def test_a_weaker_form_is_asked_for_where_the_schema_is_refused(server: ModelServer, maker: ModelMaker) -> None:
    server.when("Carolina", refuses(400, message="json_schema?"), refuses(400, message="json_object?"), says(GOOD))
    model = maker()

    await model.complete_structured(QUESTION, schema=Plan, deadline_seconds=5)

    forms = [asked.body.get("response_format", {}).get("type") for asked in server.asked]
    assert forms == ["json_schema", "json_object", None]
    assert model.capabilities.schema == "none"


async def test_what_does_not_fit_is_sent_back_once(server: ModelServer, maker: ModelMaker) -> None:
    server.when("Carolina", says('{"sql": 1}'), says(GOOD))

    plan = await maker().complete_structured(QUESTION, schema=Plan, deadline_seconds=5)

    assert plan.sql == "SELECT 1"
    assert "tables: Field required" in server.asked[1].messages[-1]["content"]


async def test_twice_unfit_is_misbehaviour(server: ModelServer, maker: ModelMaker) -> None:
    server.when("Carolina", says("no"), says("no again"))

    with pytest.raises(ModelMisbehaved, match="twice: there is no JSON object in it"):
        await maker().complete_structured(QUESTION, schema=Plan, deadline_seconds=5)


async def test_the_deadline_holds(server: ModelServer, maker: ModelMaker) -> None:
    server.when("Carolina", never())

    with pytest.raises(ModelUnavailable, match=r"within 0\.1 s"):
        await maker().complete_structured(QUESTION, schema=Plan, deadline_seconds=0.1)
