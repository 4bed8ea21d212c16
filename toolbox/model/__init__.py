"""
The language model: what is said to it, what comes back, and who answers when none is configured.

    from toolbox.model import Message, configured_model

    model = configured_model()          # None where nothing is set
    async for event in model.turn([Message.user("How did Carolina do?")], tools=tools): ...
    plan = await model.structured([...], schema=Plan, deadline_seconds=8)
"""

from toolbox.model.configured import configured_model, prepare
from toolbox.model.protocol import (
    CallRequested,
    ContextOverrun,
    Finished,
    Message,
    Model,
    ModelEvent,
    ModelFailure,
    ModelMisbehaved,
    ModelUnavailable,
    Retrying,
    Shape,
    TextDelta,
    ToolRequest,
    Used,
)

__all__ = [
    "CallRequested",
    "ContextOverrun",
    "Finished",
    "Message",
    "Model",
    "ModelEvent",
    "ModelFailure",
    "ModelMisbehaved",
    "ModelUnavailable",
    "Retrying",
    "Shape",
    "TextDelta",
    "ToolRequest",
    "Used",
    "configured_model",
    "prepare",
]
