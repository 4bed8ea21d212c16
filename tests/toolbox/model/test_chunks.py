"""What servers send that the scripted one does not: odd chunks, and text cut anywhere."""

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolbox.catalogue.registry import registry
from toolbox.model import CallRequested, StepEnd, TextDelta, Used
from toolbox.model.chunks import StreamedJsonAnswer, StreamedStep, StreamedText
from toolbox.model.protocol import RetryableFailure

TOOLS = list(registry.tools(domain="linescore"))
WRITTEN = '{"tool": "query_linescore_data", "parameters": {"teamCode": "CAR"}}'


def chunk(*, content: str | None = None, calls: list[Any] | None = None, finish: str | None = None) -> Any:
    """Build a chunk as the openai library returns it."""
    delta = SimpleNamespace(content=content, tool_calls=calls)
    return SimpleNamespace(choices=[SimpleNamespace(delta=delta, finish_reason=finish)], usage=None)


def piece(index: int | None, *, id: str | None = None, name: str | None = None, arguments: Any = None) -> Any:  # noqa: A002
    """Build a piece of a call."""
    return SimpleNamespace(index=index, id=id, function=SimpleNamespace(name=name, arguments=arguments))


def step_through(*chunks: Any, taken: tuple[str, ...] = ()) -> list[Any]:
    """Process the chunks, then the end; returns all events."""
    step = StreamedStep(tools=TOOLS, used_ids=taken, prompt_tokens=100)
    return [event for one in chunks for event in step.take(one)] + list(step.end())


def requests(events: list[Any]) -> list[tuple[str, str, str]]:
    """Return id, name and arguments of the calls."""
    made = [event.request for event in events if isinstance(event, CallRequested)]
    return [(one.id, one.name, one.arguments) for one in made]


def test_calls_that_all_have_index_0_are_told_apart_by_their_ids() -> None:
    both = [piece(0, id="a", name="x", arguments="{}"), piece(0, id="b", name="y", arguments='{"z": 1}')]

    assert requests(step_through(chunk(calls=both, finish="tool_calls"))) == [("a", "x", "{}"), ("b", "y", '{"z": 1}')]


def test_a_call_without_id_or_index_gets_an_id() -> None:
    (made,) = requests(step_through(chunk(calls=[piece(None, name="x", arguments=None)], finish="stop")))

    assert made[0].startswith("call_")
    assert made[1:] == ("x", "{}")


def test_an_id_that_the_conversation_has_already_is_replaced() -> None:
    (made,) = requests(step_through(chunk(calls=[piece(0, id="0", name="x")], finish="stop"), taken=("0",)))

    assert made[0] != "0"


def test_arguments_may_come_as_an_object() -> None:
    (made,) = requests(step_through(chunk(calls=[piece(0, id="a", name="x", arguments={"y": 1})], finish="stop")))

    assert made[2] == '{"y": 1}'


def test_calls_end_a_step_whatever_the_server_calls_the_end() -> None:
    events = step_through(chunk(calls=[piece(0, id="a", name="x")]), chunk(finish="stop"))

    assert events[-1] == StepEnd(reason="calls")


@pytest.mark.parametrize(("said", "reason"), [("length", "length"), ("content_filter", "filtered"), ("eos", "stop")])
def test_ends_have_names(said: str, reason: Any) -> None:
    assert step_through(chunk(content="x", finish=said))[-1] == StepEnd(reason=reason)


def test_chunks_without_choices_or_delta_are_passed_over() -> None:
    empty = SimpleNamespace(choices=None, usage=None)
    bare = SimpleNamespace(choices=[SimpleNamespace(delta=None, finish_reason=None)], usage=None)

    events = step_through(empty, bare, chunk(content="x" * 40, finish="stop"))

    assert events[-2] == Used(prompt_tokens=100, completion_tokens=10, is_estimated=True)


@pytest.mark.parametrize(
    "usage",
    [
        SimpleNamespace(prompt_tokens=-5, completion_tokens=3),
        SimpleNamespace(prompt_tokens=5, completion_tokens=-3),
        SimpleNamespace(prompt_tokens="5", completion_tokens="3"),
        SimpleNamespace(prompt_tokens=None, completion_tokens=3),
        SimpleNamespace(prompt_tokens=10**12, completion_tokens=3),
        SimpleNamespace(),
    ],
)
def test_a_count_that_cannot_be_is_not_believed(usage: Any) -> None:
    counted = SimpleNamespace(choices=[], usage=usage)

    events = step_through(chunk(content="x" * 40, finish="stop"), counted)

    assert events[-2] == Used(prompt_tokens=100, completion_tokens=10, is_estimated=True)


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_what_the_model_thinks_counts_as_written(field: str) -> None:
    thinking = chunk(finish="stop")
    setattr(thinking.choices[0].delta, field, "x" * 400)

    assert step_through(thinking)[-2] == Used(prompt_tokens=100, completion_tokens=100, is_estimated=True)


def test_tokens_are_counted_while_they_come() -> None:
    step = StreamedStep(tools=TOOLS, prompt_tokens=100)

    events = [event for _ in range(500) for event in step.take(chunk(content="word "))]

    counts = [event.completion_tokens for event in events if isinstance(event, Used)]
    assert counts == sorted(counts)
    assert (counts[0], counts[-1] > 500, len(counts) < 10) == (2, True, True)


def test_a_hundred_thousand_calls_are_not_read_to_their_end() -> None:
    step = StreamedStep(tools=TOOLS)
    read = 0
    while not step.is_cut:
        read += 1
        list(step.take(chunk(calls=[piece(read, id=f"c{read}", name="x", arguments="{}")])))

    made = [event for event in step.end() if isinstance(event, CallRequested)]
    assert (read, len(made)) == (33, 32)


def test_a_model_that_streams_for_ever_is_cut_and_answers_with_what_came() -> None:
    step = StreamedStep(tools=TOOLS, prompt_tokens=100, max_tokens=50)
    read = 0
    while not step.is_cut:
        read += 1
        list(step.take(chunk(content="word ")))

    used, end = list(step.end())[-2:]
    assert read == 60
    assert used == Used(prompt_tokens=100, completion_tokens=75, is_estimated=True)
    assert end == StepEnd(reason="length")


def test_a_stream_without_an_end_broke_off() -> None:
    with pytest.raises(RetryableFailure, match="broke off"):
        step_through(chunk(content="They won"))


@given(st.text(alphabet='{}"`<>tol:,a \n[]1', max_size=60), st.lists(st.integers(1, 7), min_size=1))
def test_text_is_never_lost_however_it_is_cut(said: str, sizes: list[int]) -> None:
    text = StreamedText()

    shown = "".join(text.take(part) for part in cut(said, sizes)) + text.rest()

    assert shown == said


@given(st.text(max_size=60), st.lists(st.integers(1, 7), min_size=1))
def test_a_call_is_found_however_it_is_cut(before: str, sizes: list[int]) -> None:
    prose = before.replace("{", "(").replace("<", "(").replace("`", "'")
    parts = [chunk(content=part) for part in cut(prose + WRITTEN, sizes)]

    events = step_through(*parts, chunk(finish="stop"))

    assert [made[1:] for made in requests(events)] == [("query_linescore_data", '{"teamCode": "CAR"}')]
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == prose


@given(st.text(max_size=60), st.lists(st.integers(1, 7), min_size=1), st.booleans())
def test_an_answer_in_json_is_said_whole_however_it_is_cut(answer: str, sizes: list[int], is_ascii: bool) -> None:  # noqa: FBT001
    import json

    written = json.dumps({"answer": answer}, ensure_ascii=is_ascii)
    step = StreamedStep(tools=TOOLS, text=StreamedJsonAnswer())
    events = [event for part in cut(written, sizes) for event in step.take(chunk(content=part))]
    events += [*step.take(chunk(finish="stop")), *step.end()]

    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == answer


def cut(said: str, sizes: list[int]) -> list[str]:
    """Split a text into pieces of these sizes, in turn."""
    parts, at, turn = [], 0, 0
    while at < len(said):
        size = sizes[turn % len(sizes)]
        parts.append(said[at : at + size])
        at, turn = at + size, turn + 1
    return parts
