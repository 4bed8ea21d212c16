"""Do a task with Toolroom's tools, in a conversation of its own, executed in this process."""

import asyncio

from agents.contracts import NewConversation
from agents.evaluation.tasks import Outcome, Task
from agents.queries import conversations, leases, run_requests
from agents.queries.leases import RUNS
from agents.runs import execution
from toolbox.contract.caller import Caller
from toolbox.work import worker

ENDS = ("succeeded", "failed", "cancelled", "timed_out")


async def do_task(task: Task, *, caller: Caller, model: str) -> Outcome:
    """
    Ask the task's question as the caller.

    The conversation stays, to be read in the console. A run that waits for a person's approval is cancelled.
    """
    wanted = NewConversation(title=f"evaluation: {task.name}", toolkits=list(task.toolkits), model=model)
    begun = await conversations.create(wanted.model_dump(), owner_id=caller.owner_id)
    posted = await run_requests.post_message(
        begun["id"], owner_id=caller.owner_id, key_id=caller.key_id, text=task.question
    )
    if not isinstance(posted, run_requests.PostedMessage):
        raise TypeError(f"a new conversation took no message: {posted}")
    started = asyncio.get_running_loop().time()
    await worker.execute(RUNS, work_id=posted.run_id, work=execution.carry_out)
    run = await run_requests.owned_run(posted.run_id, owner_id=caller.owner_id)
    if run is None or run["state"] not in ENDS:
        await leases.cancel(posted.run_id)
        run = await run_requests.owned_run(posted.run_id, owner_id=caller.owner_id)
    took = (asyncio.get_running_loop().time() - started) * 1000
    said = await conversations.find_messages(begun["id"])
    steps = [step for step in await run_requests.find_steps(posted.run_id) if step["kind"] == "tool"]
    return Outcome(
        text="\n\n".join(row["text"] for row in said if row["role"] == "assistant"),
        state=run["state"] if run else "failed",
        calls=len(steps),
        answered=sum(step["state"] == "answered" for step in steps),
        tokens=run["prompt_tokens"] + run["completion_tokens"] if run else 0,
        cost=run["cost"] if run else 0,
        milliseconds=took,
    )
