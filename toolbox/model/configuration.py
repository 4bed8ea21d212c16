"""Which model the environment names, if any."""

from functools import lru_cache
from typing import Literal

from django.conf import settings

from toolbox.model.protocol import Model


def configured_model(name: str = "") -> Model | None:
    """
    Give the model that the environment names, or another of its server's by `name`; None where none is configured.

    None means that a domain does without: the tool says so, or does what needs no model.
    """
    if not settings.AGENT_MODEL:
        return None
    return _model(
        name or settings.AGENT_MODEL,
        base_url=settings.OPENAI_BASE_URL,
        api_key=settings.OPENAI_API_KEY,
        tool_mode=settings.AGENT_TOOL_MODE,
        silence_seconds=settings.AGENT_MODEL_SILENCE_SECONDS,
        retries=settings.AGENT_MODEL_RETRIES,
    )


def prepare() -> None:
    """Make the configured model ready, in a parent before it forks: half a second that no question should wait for."""
    configured_model()


@lru_cache(maxsize=32)
def _model(
    name: str,
    *,
    base_url: str,
    api_key: str,
    tool_mode: Literal["native", "json_schema", "prompt", "auto"],
    silence_seconds: float,
    retries: int,
) -> Model:
    """Make a model once a process: it remembers what its server can do, and keeps connections."""
    # Half a second that only asking a model needs.
    from toolbox.model.openai_client import ChatModel, ModelServer  # noqa: PLC0415

    server = ModelServer(base_url=base_url, api_key=api_key, silence_seconds=silence_seconds, retries=retries)
    return ChatModel(name, server=server, tool_mode=tool_mode)
