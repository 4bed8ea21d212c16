"""The language model that the environment configures, if any."""

from functools import lru_cache
from typing import Literal

from django.conf import settings

from toolbox.model.protocol import Model


def configured_model(name: str = "") -> Model | None:
    """
    Return the configured model, or another of its server's by `name`; None if none is configured.

    With None a domain does without: the tool says so, or does what needs no model.
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
    """Load the configured model's client in a parent before it forks; this takes half a second."""
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
    """Build a model once per process: it remembers what its server can do, and keeps connections."""
    # Loading the client takes half a second, which only asking a model needs.
    from toolbox.model.openai_client import ChatModel, ModelServer  # noqa: PLC0415

    server = ModelServer(base_url=base_url, api_key=api_key, silence_seconds=silence_seconds, retries=retries)
    return ChatModel(name, server=server, tool_mode=tool_mode)
