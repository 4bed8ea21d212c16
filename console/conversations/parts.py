"""The parts of an answered question, which a person may change without writing it anew."""

from collections.abc import Mapping, Sequence
from typing import Any

from agents.contracts import MAX_MESSAGE
from toolbox.catalogue.registry import registry
from toolbox.contract.answerer import Part, PartsAnswerer
from toolbox.contract.caller import Caller
from toolbox.database import event_loop


def list_parts(details: Mapping[str, Any], *, caller: Caller) -> Sequence[Part]:
    """
    Return the parts of the question that these details describe, with the questions that change them.

    Their other values are data: they are read for each page, for callers who may use every tool that answers.
    """
    alone, domain = details.get("alone"), details.get("domain")
    load = next((kit.answerer for kit in registry.toolkits() if kit.domain == domain), None)
    if not isinstance(alone, str) or not alone or load is None:
        return ()
    answerer = load()
    visible = {tool.name for tool in registry.visible_to(caller)}
    if not isinstance(answerer, PartsAnswerer) or not answerer.tools <= visible:
        return ()
    parts = event_loop.run(answerer.list_parts(alone))
    return [part for part in parts if max(len(part.without), len(part.instead)) < MAX_MESSAGE]
