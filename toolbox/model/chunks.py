"""Assemble a streamed step: text as it arrives, calls once they are complete."""

import json
import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json

from toolbox.contract.tool import Tool
from toolbox.model.protocol import (
    CallRequested,
    ModelEvent,
    Reason,
    RetryableFailure,
    StepEnd,
    TextDelta,
    ToolRequest,
    Used,
)
from toolbox.model.text_calls import find_call_start, parse_answer, parse_call

MAX_BYTES = 400_000
"""Limit of one step; a longer one is repetition."""
MAX_CALLS = 32
"""Limit of one step; the rest is not read."""
MAX_COUNTED_TOKENS = 100_000_000
"""Limit of one step; a server's count above it, or below zero, is ignored."""
BYTES_A_TOKEN = 4
MAX_BYTES_A_TOKEN = 6
"""Above a server's real bytes per token, so that only one that ignores `max_tokens` is cut off."""
_COUNT_EVERY_BYTES = 400
_MAX_REPARSED = 50_000
_THINKING, _THOUGHT = "<think>", "</think>"
_THOUGHT_FIELDS = ("reasoning_content", "reasoning")
_REASONS: dict[str, Reason] = {"length": "length", "content_filter": "filtered"}


@dataclass(slots=True)
class _Draft:
    """A call that has arrived in part."""

    id: str = ""
    name: str = ""
    arguments: str = ""


class StreamedStep:
    """
    One step as it arrives: `take` each chunk, then `end`.

    `used_ids` are ids of calls already in the conversation: some servers restart their numbering in each step.
    `may_name_unknown` means that the model was told to write calls as text. `prompt_tokens` is an estimate, for servers
    that do not count. Thinking and the names of calls count as written.
    """

    def __init__(
        self,
        *,
        tools: Sequence[Tool],
        prompt_tokens: int = 0,
        max_tokens: int | None = None,
        used_ids: Iterable[str] = (),
        text: "StreamedText | None" = None,
        may_name_unknown: bool = True,
    ) -> None:
        self._tools = tools
        self._was_told = may_name_unknown
        self._used_ids = set(used_ids)
        self._text = text or StreamedText(may_hold_calls=bool(tools))
        self._drafts: dict[int, list[_Draft]] = {}
        self._finish: str | None = None
        self._usage: Any = None
        self._prompt_tokens = prompt_tokens
        self._max_bytes = MAX_BYTES if max_tokens is None else min(MAX_BYTES, max_tokens * MAX_BYTES_A_TOKEN)
        self._bytes = self._counted_bytes = 0
        self.has_begun = False
        self._call_count = 0
        self.made_calls = self.wrote_its_call = False

    def take(self, chunk: Any) -> Iterator[ModelEvent]:
        """Process one chunk; yields text that can be shown already, and now and then the tokens so far."""
        self._usage = getattr(chunk, "usage", None) or self._usage
        for choice in (getattr(chunk, "choices", None) or ())[:1]:
            self._finish = choice.finish_reason or self._finish
            if choice.delta is None:
                continue
            for piece in getattr(choice.delta, "tool_calls", None) or ():
                self._add_draft(piece)
            text = choice.delta.content or getattr(choice.delta, "refusal", None) or ""
            self._count(text, *(getattr(choice.delta, name, None) for name in _THOUGHT_FIELDS))
            if shown := self._text.take(text):
                yield TextDelta(text=shown)
        if not self.has_begun or self._bytes >= self._counted_bytes + _COUNT_EVERY_BYTES:
            self.has_begun, self._counted_bytes = True, self._bytes
            yield self.estimate()

    @property
    def is_cut(self) -> bool:
        """Return whether the step is longer than allowed, and is to be ended here."""
        return self._bytes >= self._max_bytes or self._call_count > MAX_CALLS

    def end(self) -> Iterator[ModelEvent]:
        """Yield the calls, the remaining text, the token count and the end; raises RetryableFailure if it broke off."""
        if self.is_cut:
            self._finish = self._finish or "length"
        if self._finish is None:
            raise RetryableFailure("The model server broke off in the middle of an answer.")
        calls = [self._make_request(draft) for drafts in self._drafts.values() for draft in drafts if draft.name]
        del calls[MAX_CALLS:]
        rest = self._text.rest()
        if self._tools and not calls and (call := self._parse_call(rest)):
            self.wrote_its_call = True
            calls, rest = [call], ""
        self.made_calls = bool(calls)
        answered = parse_answer(rest) if self._tools else None
        if unshown := self._text.unshown(rest if answered is None else answered):
            yield TextDelta(text=unshown)
        yield from (CallRequested(request=call) for call in calls)
        yield self._count_tokens()
        yield StepEnd(reason="calls" if calls else _REASONS.get(self._finish, "stop"))

    def _add_draft(self, piece: Any) -> None:
        """Add a piece to its call; a new id at a known index is a new call, for servers that number all of them 0."""
        drafts = self._drafts.setdefault(getattr(piece, "index", None) or 0, [_Draft()])
        piece_id = getattr(piece, "id", None) or ""
        if piece_id and drafts[-1].id and piece_id != drafts[-1].id:
            drafts.append(_Draft())
        if not drafts[-1].name and piece.function and piece.function.name:
            self._call_count += 1
        draft, function = drafts[-1], piece.function
        draft.id = draft.id or piece_id
        if function is None:
            return
        if not draft.name and function.name:
            draft.name = function.name
            self._count(draft.id, draft.name)
        given = function.arguments or ""
        written = given if isinstance(given, str) else json.dumps(given)
        draft.arguments += written
        self._count(written)

    def _parse_call(self, rest: str) -> ToolRequest | None:
        return parse_call(rest, tools=self._tools, call_id=self._new_id(), may_name_unknown=self._was_told)

    def _make_request(self, draft: _Draft) -> ToolRequest:
        call_id = draft.id if draft.id and draft.id not in self._used_ids else self._new_id()
        self._used_ids.add(call_id)
        return ToolRequest(id=call_id, name=draft.name, arguments=draft.arguments.strip() or "{}")

    def _new_id(self) -> str:
        return f"call_{secrets.token_hex(8)}"

    def _count(self, *texts: object) -> None:
        self._bytes += sum(len(text.encode("utf-8", "replace")) for text in texts if isinstance(text, str))

    def _count_tokens(self) -> Used:
        counts = [getattr(self._usage, name, None) for name in ("prompt_tokens", "completion_tokens")]
        prompt, completion = (count if _is_count(count) else None for count in counts)
        if prompt is None or completion is None:
            return self.estimate()
        return Used(prompt_tokens=prompt, completion_tokens=completion)

    def estimate(self) -> Used:
        """Estimate the tokens so far by their length."""
        written = -(-self._bytes // BYTES_A_TOKEN)
        return Used(prompt_tokens=self._prompt_tokens, completion_tokens=written, is_estimated=True)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_COUNTED_TOKENS


class StreamedText:
    """
    Text as it arrives; what may be a written call is held back until that is certain.

    Thinking at the beginning, in <think>, is left out.
    """

    def __init__(self, *, may_hold_calls: bool = True) -> None:
        self._held = ""
        self._is_thinking: bool | None = None
        self._may_hold_calls = may_hold_calls

    def take(self, piece: str) -> str:
        """Add a piece; returns what can be shown now."""
        self._held += piece
        if self._is_thinking is not False:
            self._drop_thoughts()
        if self._is_thinking is not False:
            return ""
        end = find_call_start(self._held) if self._may_hold_calls else len(self._held)
        shown, self._held = self._held[:end], self._held[end:]
        return shown

    def rest(self) -> str:
        """Return what is still held back at the end."""
        return "" if self._is_thinking else self._held

    def unshown(self, rest: str) -> str:
        """Return the part of the rest that was not shown yet."""
        return rest

    def _drop_thoughts(self) -> None:
        begun = self._held.lstrip()
        if self._is_thinking is None and not _THINKING.startswith(begun[: len(_THINKING)]):
            self._is_thinking = False
        elif begun.startswith(_THINKING):
            self._is_thinking = True
            _, ended, after = begun.partition(_THOUGHT)
            if ended:
                self._held, self._is_thinking = after.lstrip(), False


class StreamedJsonAnswer(StreamedText):
    """The text of a step that is requested as JSON: shows its `answer` as it arrives."""

    def __init__(self) -> None:
        super().__init__()
        self._shown = 0

    def take(self, piece: str) -> str:
        """Add a piece; text that turns out not to be JSON is shown unchanged."""
        shown = super().take(piece)
        if shown or not self._held.lstrip().startswith("{") or len(self._held) > _MAX_REPARSED:
            return shown
        begun = from_json(self._held, allow_partial="trailing-strings")
        return self.unshown(begun["answer"]) if isinstance(begun.get("answer"), str) else ""

    def unshown(self, rest: str) -> str:
        """Return the part of the answer that was not shown yet."""
        new, self._shown = rest[self._shown :], len(rest)
        return new
