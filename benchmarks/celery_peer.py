"""
The peer that a user would write: a Celery task that runs the tool loop with the openai client and stores nothing.

It uses one process with a thread per run, as Toolroom's worker does, the same broker and the same statement, but no
steps and no events.
"""

import json
import os
from typing import Any

import psycopg
from celery import Celery
from openai import OpenAI

app = Celery("peer", broker=os.environ["CELERY_BROKER_URL"], backend=os.environ["PEER_BACKEND"])
app.conf.task_default_queue = "peer"
app.conf.worker_prefetch_multiplier = 1
app.conf.task_acks_late = True
client: Any = OpenAI(base_url=os.environ["OPENAI_BASE_URL"], api_key=os.environ["OPENAI_API_KEY"], max_retries=0)

STATEMENT = """
SELECT to_json(rows) FROM (
    SELECT * FROM linescore_period_results WHERE team_code = %s AND game_date BETWEEN %s AND %s LIMIT %s
) AS rows
"""
TOOL = {
    "type": "function",
    "function": {
        "name": "query_linescore_data",
        "description": "Answer questions about NHL games period by period.",
        "parameters": {"type": "object", "properties": {"teamCode": {"type": "string"}}},
    },
}


@app.task(name="peer.ask")  # type: ignore[untyped-decorator] # Celery has no types
def ask(question: str) -> str:
    """Run the loop until it has an answer."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": question}]
    while True:
        stream = client.chat.completions.create(model="scripted-1", messages=messages, tools=[TOOL], stream=True)
        text, name, arguments, call_id = "", "", "", ""
        for chunk in stream:
            delta = chunk.choices[0].delta
            text += delta.content or ""
            for piece in delta.tool_calls or ():
                call_id, name = piece.id or call_id, piece.function.name or name
                arguments += piece.function.arguments or ""
        if not name:
            return text
        call = {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
        messages.append({"role": "assistant", "content": text, "tool_calls": [call]})
        messages.append({"role": "tool", "content": _tool(json.loads(arguments)), "tool_call_id": call_id})


def _tool(said: dict[str, Any]) -> str:
    with psycopg.connect(os.environ["DATABASE_READER_URL"]) as connection:
        values = [said["teamCode"], said["startDate"], said["endDate"], said.get("limit", 100)]
        return json.dumps(connection.execute(STATEMENT, values).fetchall())
