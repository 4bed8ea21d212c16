"""
The next action of a run, decided from its steps alone.

Pure, so that a worker that takes a run over decides exactly as the dead one would have.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson

from agents.models import Run, Step
from agents.queries.findings import list_findings, list_missing
from agents.queries.rows import Budgets, StepRow

ONCE_MORE = 1
"""A refused call is retried once, by the contracts' retry rule."""
MAX_REASON = 500
MAX_PARALLEL_READS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class AskModel:
    """Ask the model, as this step."""

    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UseTools:
    """Call tools: several at once if all only read, else one."""

    steps: tuple[StepRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """The same call was answered before: tell the model so instead of calling again."""

    step: StepRow
    earlier: StepRow


@dataclass(frozen=True, slots=True, kw_only=True)
class AskPerson:
    """
    Ask a person to approve the call.

    `is_unsure` means that a dead worker may have made it already, `is_void` that an approval was for another call.
    """

    step: StepRow
    is_unsure: bool = False
    is_void: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """End the run; `said` is the part of the text that the model wrote."""

    state: str
    text: str = ""
    said: str = ""
    code: str = ""
    error: str = ""


Action = AskModel | UseTools | Repeat | AskPerson | End


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPolicy:
    """The rules of one run: its budgets, and which tools write, may be repeated or need approval."""

    budgets: Budgets
    writes: Callable[[str], bool]
    may_repeat: Callable[[str], bool]
    needs_approval: Callable[[str], bool]

    def next_action(self, steps: Sequence[StepRow]) -> Action:
        """Return the next action of a run that has taken these steps."""
        if steps and (end := _end_with_last_turn(steps)):
            return end
        unfinished = next((step for step in steps if not step.is_over), None)
        if unfinished is not None and not unfinished.is_model:
            return self._about_tools(steps, unfinished)
        if unfinished is not None:
            is_last_turn = len(steps) > self.budgets.steps
            return _too_many(self.budgets) if is_last_turn else AskModel(number=unfinished.number)
        if steps and steps[-1].is_model:
            return _end_with_answer([step for step in steps if step.is_model])
        if end := rephrase(steps):
            return end
        return _too_many(self.budgets) if len(steps) >= self.budgets.steps else AskModel(number=len(steps) + 1)

    def _about_tools(self, steps: Sequence[StepRow], first: StepRow) -> Action:
        """Call consecutive reads at once, and writes one by one in the requested order."""
        action = self._about_tool(steps, first)
        if not isinstance(action, UseTools) or self.writes(first.tool):
            return action
        batch = [first]
        for step in steps[steps.index(first) + 1 :]:
            is_new = not any(is_same_call(step, other=known) for known in batch)
            if step.is_over or self.writes(step.tool) or not is_new or len(batch) == MAX_PARALLEL_READS:
                break
            if not isinstance(self._about_tool(steps, step), UseTools):
                break
            batch.append(step)
        return UseTools(steps=tuple(batch))

    def _about_tool(self, steps: Sequence[StepRow], step: StepRow) -> Action:
        if step.state == Step.State.APPROVED:
            return UseTools(steps=(step,))
        if step.state == Step.State.STARTED:
            return UseTools(steps=(step,)) if self.may_repeat(step.tool) else AskPerson(step=step, is_unsure=True)
        if len(steps) > self.budgets.steps:
            return _too_many(self.budgets)
        earlier = [done for done in self._since_last_change(steps) if is_same_call(done, other=step)]
        if len(earlier) > 1:
            return End(
                state=Run.State.FAILED,
                code="REPEATED_CALL",
                error=f"The model asked for the same call of {step.tool} again and again, whatever it was answered.",
            )
        if earlier:
            return Repeat(step=step, earlier=earlier[0])
        return AskPerson(step=step) if self.needs_approval(step.tool) else UseTools(steps=(step,))

    def _since_last_change(self, steps: Sequence[StepRow]) -> list[StepRow]:
        """Return the calls answered since a tool last wrote: repeating an earlier call may give another answer."""
        answered = [step for step in steps if not step.is_model and step.state == Step.State.ANSWERED]
        changed = [place for place, step in enumerate(answered) if self.writes(step.tool)]
        return answered[changed[-1] :] if changed else answered


def end_partially(end: End, *, said: str, steps: Sequence[StepRow]) -> End:
    """
    Add to an end a partial answer that says so, why, and which calls have no answer.

    The answer is what the model said, or a list of what was found.
    """
    parts = (f"(Partial answer: {end.error})", (said or list_findings(steps)).strip(), list_missing(steps))
    return replace(end, text="\n\n".join(filter(None, parts)), said=said)


def rephrase(steps: Sequence[StepRow]) -> End | None:
    """
    Return the end of a run whose retry was refused too; it asks the person to rephrase and says what was wrong.

    A retry is a call of the same tool that is refused in a later round without an answer in between; or, for any tools,
    a second consecutive round in which every call was refused.
    """
    rounds = _rounds(steps)
    if not rounds or not (refused := [step for step in rounds[-1] if step.state == Step.State.REFUSED]):
        return None
    again = next((step for step in refused if _was_refused_before(step, rounds=rounds[:-1])), None)
    if again is None and not (
        len(rounds) > ONCE_MORE and all(_is_hopeless(calls) for calls in rounds[-1 - ONCE_MORE :])
    ):
        return None
    message, suggestion = reason((again or refused[-1]).answer)
    text = f"I could not get an answer: {message} {suggestion}".strip()
    return End(
        state=Run.State.FAILED,
        text=f"{text}\n\nPlease rephrase the question with that in mind.",
        code=(again or refused[-1]).code or "REFUSED",
        error=f"The call was refused twice: {message}",
    )


def reason(refusal: str) -> tuple[str, str]:
    """Return message and suggestion of a refusal's body, whatever its domain's envelope."""
    try:
        body = orjson.loads(refusal)
    except ValueError:
        return refusal[:MAX_REASON], ""
    outer: dict[str, Any] = body if isinstance(body, dict) else {}
    error = outer.get("error", body)
    inner: dict[str, Any] = error if isinstance(error, dict) else {"message": error}
    details = inner.get("details")
    deeper: dict[str, Any] = details if isinstance(details, dict) else {}
    message = inner.get("message") or inner.get("code") or "the tool refused."
    suggestion = inner.get("suggestion") or deeper.get("suggestion") or outer.get("suggestion") or ""
    return str(message)[:MAX_REASON], str(suggestion)[:MAX_REASON]


def is_same_call(one: StepRow, *, other: StepRow) -> bool:
    """Return whether two steps call the same tool with the same arguments, however their JSON is written."""
    return one.digest == other.digest


def _rounds(steps: Sequence[StepRow]) -> list[list[StepRow]]:
    """Group tool calls by the model step that requested them."""
    rounds: list[list[StepRow]] = []
    for step in steps:
        if step.is_model:
            rounds.append([])
        elif rounds:
            rounds[-1].append(step)
    return rounds


def _was_refused_before(step: StepRow, *, rounds: Sequence[Sequence[StepRow]]) -> bool:
    """Return whether the tool's last call of an earlier round was refused."""
    earlier = [call for calls in rounds for call in calls if call.tool == step.tool]
    return bool(earlier) and earlier[-1].state == Step.State.REFUSED


def _is_hopeless(calls: Sequence[StepRow]) -> bool:
    """Return whether all calls of a round were refused."""
    return bool(calls) and all(call.state == Step.State.REFUSED for call in calls)


def _end_with_answer(steps: Sequence[StepRow]) -> End:
    """Return the end with everything the model said in its steps, as readers of the stream saw it."""
    said = [orjson.loads(step.answer) for step in steps]
    last = said[-1]
    if not last["text"].strip():
        why = "kept its answer back" if last["reason"] == "filtered" else "answered nothing"
        return End(state=Run.State.FAILED, code="EMPTY_ANSWER", error=f"The model {why}; ask in other words.")
    if last["reason"] == "length":
        said.append({"text": "(The model stopped here: its answer reached the longest that it may write.)"})
    text = "\n\n".join(filter(None, (part["text"].strip() for part in said)))
    return End(state=Run.State.SUCCEEDED, text=text, said=text)


def _end_with_last_turn(steps: Sequence[StepRow]) -> End | None:
    """Return the end with a partial answer, if the last turn was taken."""
    last = steps[-1]
    if not (last.is_model and last.is_over):
        return None
    said = orjson.loads(last.answer)
    if not (ends := said.get("ends")):
        return None
    return end_partially(End(**ends), said=said["text"], steps=steps)


def _too_many(budgets: Budgets) -> End:
    return End(
        state=Run.State.FAILED,
        code="STEPS_USED_UP",
        error=f"The run took {budgets.steps} steps without coming to an answer; ask for less at once.",
    )
