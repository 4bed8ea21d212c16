"""
A question back, put to the person where the client can be asked, and the question again with the answer in it.

Where nobody can be asked, or nobody answers, what comes is the draft with its clarification, as the contract has it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from sprints.asking.drafting import Doubt, Draft
from sprints.asking.generating import drafted, generate
from sprints.asking.understanding import Understood, understand
from sprints.contracts import MAX_QUESTION, SchemaInfo
from toolbox.contract.client_channel import ClientChannel, ClientRequest, make_form_request
from toolbox.database.pools import Pool
from toolbox.model import Model

MAX_TURNS = 3
_MORE = Doubt(question="", replaces="more")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """The question as far as it is clear: its words, and whom the names in it mean."""

    text: str
    meant: Mapping[str, str] = field(default_factory=dict)


async def generate_asking(
    question: str, *, client: ClientChannel, now: datetime, reader: Pool, model: Model | None, schema: SchemaInfo | None
) -> Draft:
    """Turn a question into SQL, asking back up to three times on the way."""
    if not client.supports_forms:
        return (await generate(question, now=now, reader=reader, model=model, schema=schema))[0]
    asked = _Asked(text=question)
    draft = Draft()
    for turn in range(1, MAX_TURNS + 2):
        name = f"clarification_{turn}"
        understood = await understand(asked.text, now=now, reader=reader, meant=asked.meant)
        is_told = name in client.answers and not understood.linked.unclear and model is not None
        # What a model asks back differs from time to time; where it is answered, the model is not asked it again.
        draft = Draft(doubts=(_MORE,)) if is_told else await drafted(understood, model=model, schema=schema)
        if draft.sql is not None or turn > MAX_TURNS:
            return draft
        given = await client.ask_form(name, client_request=_form(draft))
        told = _told(asked, doubts=draft.doubts, given=given)
        if told is None:
            return await _undecided(understood, draft=draft, model=model, schema=schema)
        asked = told
    return draft


async def _undecided(understood: Understood, *, draft: Draft, model: Model | None, schema: SchemaInfo | None) -> Draft:
    """Give the clarification as data; a stand-in has none, so the model is asked after all."""
    return draft if draft.clarification else await drafted(understood, model=model, schema=schema)


def _form(draft: Draft) -> ClientRequest:
    fields = {f"answer_{place}": _entry(doubt) for place, doubt in enumerate(draft.doubts, 1)}
    return make_form_request(draft.clarification or "What do you mean?", fields=fields)


def _entry(doubt: Doubt) -> dict[str, Any]:
    entry: dict[str, Any] = {"type": "string", "title": doubt.question[:200] or "What do you mean?"}
    return entry | ({"enum": list(dict.fromkeys(doubt.choices))} if doubt.choices else {"maxLength": 500})


def _told(asked: _Asked, *, doubts: Sequence[Doubt], given: Mapping[str, Any]) -> _Asked | None:
    """Put the answers into the question; None where one is missing."""
    for place, doubt in enumerate(doubts, 1):
        answer = given.get(f"answer_{place}")
        if not isinstance(answer, str) or not answer.strip() or (doubt.choices and answer not in doubt.choices):
            return None
        asked = _put_answer(asked, doubt=doubt, answer=" ".join(answer.split()))
    return asked if len(asked.text) <= MAX_QUESTION else None


def _put_answer(asked: _Asked, *, doubt: Doubt, answer: str) -> _Asked:
    match doubt.replaces:
        case "name":
            return replace(asked, meant={**asked.meant, doubt.said: answer})
        case "words":
            return replace(asked, text=asked.text.replace(doubt.said, answer, 1))
        case "question":
            return _Asked(text=answer)
    return replace(asked, text=f"{asked.text.rstrip(' ?.!')} ({answer})")
