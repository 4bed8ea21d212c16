"""
Language models: messages, streamed steps and structured answers.

    from toolbox.model import Message, configured_model
    model = configured_model()          # None if none is configured
    async for event in model.turn([Message.user("How did Carolina do?")], tools=tools): ...
    plan = await model.complete_structured([...], schema=Plan, deadline_seconds=8)
"""

from toolbox.model.configuration import configured_model, prepare
from toolbox.model.protocol import (
    CallRequested,
    ContextOverrun,
    Message,
    Model,
    ModelEvent,
    ModelFailure,
    ModelMisbehaved,
    ModelUnavailable,
    RetryNotice,
    Shape,
    StepEnd,
    TextDelta,
    ToolRequest,
    Used,
)

__all__ = [
    "CallRequested",
    "ContextOverrun",
    "Message",
    "Model",
    "ModelEvent",
    "ModelFailure",
    "ModelMisbehaved",
    "ModelUnavailable",
    "RetryNotice",
    "Shape",
    "StepEnd",
    "TextDelta",
    "ToolRequest",
    "Used",
    "configured_model",
    "prepare",
]
