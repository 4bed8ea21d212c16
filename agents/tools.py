"""The tool `ask_agent`: an agent of this server answers a question with its tools."""

from agents.ask_agent_contracts import AgentAnswer, AgentQuestion
from agents.contracts import CONVERSATION_BUSY, UNKNOWN_CONVERSATION, UNKNOWN_RUN
from agents.runs.run_caller import may_use_tools
from toolbox.contract.client_channel import ClientChannel
from toolbox.contract.tool import Toolkit

MAX_SECONDS = 3_600

toolkit = Toolkit(domain="agents", summary="Questions that an agent of this server answers, with its tools.")


@toolkit.tool(
    example=AgentQuestion(question="How did Carolina do in February 2025?", wait_seconds=0),
    errors=(UNKNOWN_CONVERSATION, UNKNOWN_RUN, CONVERSATION_BUSY),
    queries=0,
    writes=True,
    deadline_seconds=MAX_SECONDS,
    is_visible_to=may_use_tools,
    is_open_world=True,
)
async def ask_agent(ask: AgentQuestion, client: ClientChannel) -> AgentAnswer:
    """
    Have an agent of this server answer a question: it chooses tools, calls them, and says what it found and its cost.

    Use it for what takes several tools; call a tool yourself where one is enough. It may do what your key may. A run
    takes seconds to minutes: a task where the client knows tasks, else look again with the runId in the answer.
    """
    from agents.runs.ask_agent import answer_question

    return await answer_question(ask, client=client)
