"""
Clarification of a question by elicitation, and the question again with the answers.

If the client does not support elicitation, or the user does not answer, the draft with its clarification is returned.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from sprints.asking.drafts import Doubt, Draft, draft_answer
from sprints.asking.reading import read_question
from sprints.contracts import MAX_QUESTION, SchemaInfo
from toolbox.contract.client_channel import ClientChannel, ClientRequest, make_form_request
from toolbox.database.pools import Pool
from toolbox.model import Model

MAX_TURNS = 3
_MORE = Doubt(question="", replaces="more")


@dataclass(frozen=True, slots=True, kw_only=True)
class _ClarifiedQuestion:
    """The state of the question: its words, and the meaning of its names."""

    text: str
    meant: Mapping[str, str] = field(default_factory=dict)


async def generate_with_clarification(
    question: str, *, client: ClientChannel, now: datetime, reader: Pool, model: Model | None, schema: SchemaInfo | None
) -> Draft:
    """Turn a question into SQL, eliciting up to three clarifications."""
    clarified = _ClarifiedQuestion(text=question)
    draft = Draft()
    for turn in range(1, MAX_TURNS + 2):
        name = f"clarification_{turn}"
        reading = await read_question(clarified.text, now=now, reader=reader, meant=clarified.meant)
        is_answered = name in client.answers and not reading.linked.unclear and model is not None
        # What a model asks back differs from time to time; where it is answered, the model is not asked it again.
        draft = Draft(doubts=(_MORE,)) if is_answered else await draft_answer(reading, model=model, schema=schema)
        if draft.sql is not None or turn > MAX_TURNS or not client.supports_forms:
            break
        given = await client.ask_form(name, client_request=_make_form(draft))
        answered = _apply_answers(clarified, doubts=draft.doubts, given=given)
        if answered is None:
            return draft if draft.clarification else await draft_answer(reading, model=model, schema=schema)
        clarified = answered
    return draft


def _make_form(draft: Draft) -> ClientRequest:
    fields = {f"answer_{place}": _make_field(doubt) for place, doubt in enumerate(draft.doubts, 1)}
    return make_form_request(draft.clarification or "What do you mean?", fields=fields)


def _make_field(doubt: Doubt) -> dict[str, Any]:
    entry: dict[str, Any] = {"type": "string", "title": doubt.question[:200] or "What do you mean?"}
    return entry | ({"enum": list(dict.fromkeys(doubt.choices))} if doubt.choices else {"maxLength": 500})


def _apply_answers(
    clarified: _ClarifiedQuestion, *, doubts: Sequence[Doubt], given: Mapping[str, Any]
) -> _ClarifiedQuestion | None:
    """Apply the answers to the question. Returns None if one is missing."""
    for place, doubt in enumerate(doubts, 1):
        answer = given.get(f"answer_{place}")
        if not isinstance(answer, str) or not answer.strip() or (doubt.choices and answer not in doubt.choices):
            return None
        clarified = _apply_answer(clarified, doubt=doubt, answer=" ".join(answer.split()))
    return clarified if len(clarified.text) <= MAX_QUESTION else None


def _apply_answer(clarified: _ClarifiedQuestion, *, doubt: Doubt, answer: str) -> _ClarifiedQuestion:
    match doubt.replaces:
        case "name":
            return replace(clarified, meant={**clarified.meant, doubt.said: answer})
        case "words":
            return replace(clarified, text=clarified.text.replace(doubt.said, answer, 1))
        case "question":
            return _ClarifiedQuestion(text=answer)
    return replace(clarified, text=f"{clarified.text.rstrip(' ?.!')} ({answer})")
