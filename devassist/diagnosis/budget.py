"""Shortening of a diagnosis to a number of tokens. What another tool can return goes first. Pure."""

from collections.abc import Callable, Sequence

from devassist.contracts.budget import BYTES_PER_TOKEN
from devassist.contracts.diagnose import Diagnosis, OwnFrame

KEPT_FRAMES = 2

_Shorten = Callable[[Diagnosis], Diagnosis]


def fit_budget(diagnosis: Diagnosis, *, max_tokens: int) -> Diagnosis:
    """Shorten step by step until it fits. `left_out` names each step with the tool that returns the rest."""
    left_out: list[str] = []
    for name, shorten in _STEPS:
        if _tokens(diagnosis) <= max_tokens:
            break
        shorter = shorten(diagnosis)
        if shorter != diagnosis:
            left_out.append(name)
            diagnosis = shorter.model_copy(update={"left_out": list(left_out)})
    return diagnosis


def _tokens(diagnosis: Diagnosis) -> int:
    return len(diagnosis.model_dump_json(by_alias=True, exclude_none=True)) // BYTES_PER_TOKEN


def _without_public(diagnosis: Diagnosis) -> Diagnosis:
    return diagnosis.model_copy(update={"public": None})


def _fewer_causes(diagnosis: Diagnosis) -> Diagnosis:
    if diagnosis.similar is None:
        return diagnosis
    return diagnosis.model_copy(
        update={"similar": diagnosis.similar.model_copy(update={"causes": diagnosis.similar.causes[:1]})}
    )


def _change_frames(change: Callable[[int, OwnFrame], OwnFrame]) -> _Shorten:
    def shorten(diagnosis: Diagnosis) -> Diagnosis:
        frames = [change(number, frame) for number, frame in enumerate(diagnosis.frames)]
        return diagnosis.model_copy(update={"frames": frames})

    return shorten


def _keep_first(number: int, frame: OwnFrame) -> OwnFrame:
    return frame if number < KEPT_FRAMES else frame.model_copy(update={"code": None, "callers": None, "history": None})


def _narrow_code(_: int, frame: OwnFrame) -> OwnFrame:
    if frame.code is None or frame.line is None:
        return frame
    lines = frame.code.text.split("\n")
    at = frame.line - frame.code.start_line
    start = max(at - 2, 0)
    narrow = {"start_line": frame.code.start_line + start, "text": "\n".join(lines[start : at + 3])}
    return frame.model_copy(update={"code": frame.code.model_copy(update=narrow)})


def _without_history(_: int, frame: OwnFrame) -> OwnFrame:
    return frame.model_copy(update={"history": None})


def _without_callers(_: int, frame: OwnFrame) -> OwnFrame:
    return frame.model_copy(update={"callers": None})


def _short_messages(diagnosis: Diagnosis) -> Diagnosis:
    errors = [one.model_copy(update={"message": one.message[:100]}) for one in diagnosis.errors[:5]]
    frames = [frame.model_copy(update={"printed": frame.printed[:200]}) for frame in diagnosis.frames[:KEPT_FRAMES]]
    proposal = {name: text[:300] for name, text in diagnosis.proposal.items()}
    return diagnosis.model_copy(
        update={"errors": errors, "frames": frames, "proposal": proposal, "unknown": diagnosis.unknown[:5]}
    )


def _fewer_checks(diagnosis: Diagnosis) -> Diagnosis:
    return diagnosis.model_copy(update={"next_checks": diagnosis.next_checks[:1], "frames": diagnosis.frames[:1]})


_STEPS: Sequence[tuple[str, _Shorten]] = (
    ("public answers: web_search_wiki", _without_public),
    ("further past root causes: vector_search_db", _fewer_causes),
    ("details of frames after the second: get_code_context", _change_frames(_keep_first)),
    ("lines around the frames: get_code_context", _change_frames(_narrow_code)),
    ("history of the lines", _change_frames(_without_history)),
    ("callers: find_callers_of_function", _change_frames(_without_callers)),
    ("past root causes: vector_search_db", lambda diagnosis: diagnosis.model_copy(update={"similar": None})),
    ("frames after the second, errors and unknowns after the fifth, and the rest of long messages", _short_messages),
    ("the second frame, and checks after the first", _fewer_checks),
)
