"""What a process does not load before it needs it; each would add to the start and the memory of all of them."""

import json
import subprocess
import sys

import pytest
from django.conf import settings

WEB = """
import config.embedded.components as components
components.start_embedded = lambda: None
import config.asgi
"""
LIVE = f"""{WEB}
import asyncio

async def live():
    said, seen = [{{"type": "lifespan.shutdown"}}, {{"type": "lifespan.startup"}}], []

    async def receive():
        return said.pop()

    async def send(message):
        if message["type"] == "lifespan.startup.complete":
            seen.extend(sys.modules)

    await config.asgi.application({{"type": "lifespan"}}, receive, send)
    return seen

import sys
before = asyncio.run(live())
for name in set(sys.modules) - set(before):
    del sys.modules[name]
"""
"""A server that listens, and is then stopped; the modules are those that were loaded when it began to listen."""
STDIO = """
import django
django.setup()
import toolbox.management.commands.mcp
"""
NEVER_AT_START = {
    "numpy": "vectors: loaded with the embedding model",
    "onnxruntime": "the embedding model",
    "tokenizers": "the embedding model",
    "openai": "runs of agents: loaded by workers",
    "httpx": "ingestion from other servers",
    "redis": "publishing and consuming",
    "rest_framework.views": "the browsable API: loaded with the addresses",
    "drf_spectacular.views": "its pages",
    "strawberry": "the demonstration upstream at /graphql/",
    "unfold.admin": "the admin",
    "console.conversations.pages": "pages",
    "celery": "the first message to a worker",
    "prometheus_client": "/metrics",
    "opentelemetry.sdk": "spans, where TOOLROOM_TRACES is set",
    "postgast": "SQL that a model wrote",
    "pathspec": "files of workspaces",
    "tree_sitter": "code of workspaces",
    "rapidfuzz.process": "names in questions",
    "sprints.asking": "questions in plain language",
    "sprints.semantics.model": "the semantic layer",
    "devassist.code_graph.building": "callers",
    "devassist.callers": "language servers",
    "graphql_proxy.execution.execute": "documents for upstreams",
    "backtests.ingest.load": "uploads",
}
ONLY_AFTER_START = {"graphql": "documents for upstreams, and lists of tools that name their schemas"}


def _list_modules(code: str) -> set[str]:
    script = f"import os\nos.environ['DJANGO_SETTINGS_MODULE'] = 'config.settings'\n{code}\n"
    script += "import json, sys\nprint(json.dumps(sorted(sys.modules)))"
    ran = subprocess.run(
        [sys.executable, "-c", script], cwd=settings.BASE_DIR, capture_output=True, check=True, text=True
    )
    return set(json.loads(ran.stdout.splitlines()[-1]))


@pytest.mark.internal
def test_a_web_process_starts_without_what_it_may_never_need() -> None:
    loaded = _list_modules(WEB)

    assert "linescore.tools" in loaded
    assert loaded & {*NEVER_AT_START, *ONLY_AFTER_START, "mcp", "mcp_types"} == set()


@pytest.mark.internal
@pytest.mark.slow
def test_a_server_listens_before_its_pages_and_the_embedding_model_are_loaded() -> None:
    """They are two thirds of the CPU of a start; a process that takes over from one that was killed has little."""
    loaded = _list_modules(LIVE)

    assert "toolbox.rest.middleware" in loaded
    assert loaded & {"config.urls", "console.urls", "onnxruntime", "tokenizers"} == set()


@pytest.mark.internal
@pytest.mark.slow
def test_addresses_load_without_the_servers_of_their_first_requests() -> None:
    loaded = _list_modules(f"{WEB}\nfrom django.urls import get_resolver\nget_resolver().url_patterns")

    assert "config.urls" in loaded
    assert loaded & {"celery", "strawberry", "postgast", "tree_sitter", "numpy", "openai"} == set()


@pytest.mark.internal
@pytest.mark.slow
def test_a_server_of_standard_input_loads_no_pages_and_no_rest_api() -> None:
    loaded = _list_modules(STDIO)

    assert "toolbox.mcp.server" in loaded
    assert loaded & {*NEVER_AT_START, "config.urls", "console.urls", "toolbox.rest.endpoints"} == set()
