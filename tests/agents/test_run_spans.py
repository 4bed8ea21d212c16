"""A run, its calls of the model and of tools as spans; needs the packages of requirements-dev.txt."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.agents.conversation_client import Observer, Owner
from tests.agents.own_worker import FEBRUARY, LINESCORE, Scripted, calls, says, work_on
from toolbox.audit import spans
from toolbox.audit.log import audit
from toolbox.model import ModelUnavailable

SECRET = "hunter2-is-what-they-said"


@pytest.fixture
def exporter(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Record spans in memory."""
    pytest.importorskip("opentelemetry.sdk", reason="no OpenTelemetry SDK: pip install -r requirements-dev.txt")
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    from toolbox.audit.tracing import export_span, record_span

    kept, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)
    monkeypatch.setattr(spans.recording, "recorder", record_span)
    monkeypatch.setattr(audit, "on_record", export_span)
    yield kept
    provider.shutdown()


def test_nothing_is_recorded_unless_told() -> None:
    assert spans.recording.recorder is None
    with spans.record("chat x", attributes={}) as span:
        span.attributes["x"] = 1


def test_a_run_is_a_tree_of_spans_by_the_conventions(
    exporter: Any, quiet_talk: Owner, onlooker: Observer, scripted_as: Scripted
) -> None:
    asked = json.dumps(json.loads(FEBRUARY) | {"teamCode": SECRET})
    scripted_as(calls(FEBRUARY), calls(asked), says(f"21. {SECRET}", prompt_tokens=30, completion_tokens=7))
    run_id = quiet_talk.say(f"How did Carolina do? {SECRET}", is_told=False)

    work_on(run_id)

    found = exporter.get_finished_spans()
    by_name: dict[str, list[Any]] = {}
    for span in found:
        by_name.setdefault(span.name, []).append(span)
    (run,), chats, tools = (
        by_name["invoke_agent toolroom"],
        by_name["chat script"],
        by_name[f"execute_tool {LINESCORE}"],
    )
    assert (len(chats), len(tools)) == (3, 2)
    assert {span.parent.span_id for span in (*chats, *tools)} == {run.context.span_id}
    assert (run.kind.name, chats[0].kind.name, tools[0].kind.name) == ("INTERNAL", "CLIENT", "INTERNAL")
    conversation = str(onlooker.run(run_id)["conversation_id"])
    assert run.attributes["gen_ai.conversation.id"] == chats[0].attributes["gen_ai.conversation.id"] == conversation
    assert run.attributes["gen_ai.operation.name"] == "invoke_agent"
    assert {
        name: value for name, value in chats[2].attributes.items() if name.startswith("gen_ai.") and "conv" not in name
    } == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "script",
        "gen_ai.request.max_tokens": chats[2].attributes["gen_ai.request.max_tokens"],
        "gen_ai.request.stream": True,
        "gen_ai.usage.input_tokens": 30,
        "gen_ai.usage.output_tokens": 7,
        "gen_ai.response.finish_reasons": ("stop",),
    }
    assert chats[0].attributes["gen_ai.response.finish_reasons"] == ("tool_calls",)
    assert tools[0].attributes["gen_ai.tool.name"] == LINESCORE
    assert tools[1].attributes["error.type"]
    assert SECRET not in "".join(span.to_json() for span in found)


def test_a_model_that_fails_is_an_error_by_its_code(exporter: Any, quiet_talk: Owner, scripted_as: Scripted) -> None:
    scripted_as(ModelUnavailable(f"The server says {SECRET}"))

    work_on(quiet_talk.say("How did Carolina do?", is_told=False))

    chat, run = exporter.get_finished_spans()
    assert (chat.status.is_ok, chat.attributes["error.type"]) == (False, "ModelUnavailable")
    assert (run.status.is_ok, run.attributes["error.type"]) == (False, "MODEL_UNAVAILABLE")
    assert SECRET not in chat.to_json() + run.to_json()
