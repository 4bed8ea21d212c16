"""Where editors and terminals push what they show: `PUT /api/devassist/editor-context`."""

from datetime import UTC, datetime

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from ninja import Router

from devassist.editor import pushing
from devassist.editor.state import PushedState
from toolbox.database import event_loop
from toolbox.dispatch.dispatch import Reply
from toolbox.http.headers import read_credential, read_request_id, response_headers

router = Router()
PUSH = """
Tell what your editor or terminal shows; get_user_error_context gives it to your agents. The newest state of the key's
owner is kept, for a short time (DEVASSIST_EDITOR_SECONDS). With `activeFile` the editor's part is replaced, with
`terminalOutput` the terminal's. At most 256 KiB; the last 50 lines of a terminal are kept; what looks like a secret is
masked, and files of secrets are refused. Needs devassist:write.
"""
CLEAR = "Forget at once what is kept of the key's owner. Needs devassist:write."
_KEPT = {"success": True, "data": {"kept": ["editor", "terminal"], "seconds": 900}}
_ANSWER = {"description": "What was kept, and for how long.", "content": {"application/json": {"example": _KEPT}}}
_OPENAPI = {"responses": {200: _ANSWER}, "security": [{"key": []}]}
_EXAMPLE = {
    "activeFile": "src/app.ts",
    "cursorPosition": {"line": 12, "character": 5},
    "selectedText": "users.map(name)",
    "diagnostics": [
        {"severity": "error", "message": "'users' is possibly undefined.", "line": 12, "column": 5, "source": "ts"}
    ],
    "terminalOutput": "TypeError: Cannot read properties of undefined (reading 'map')",
}
_BODY = {"schema": PushedState.model_json_schema(by_alias=True), "example": _EXAMPLE}
_PUSH_OPENAPI = {"requestBody": {"required": True, "content": {"application/json": _BODY}}, **_OPENAPI}


@router.put("/editor-context", auth=None, summary="Push an editor's state", description=PUSH, tags=["devassist"],
            operation_id="push_editor_context", openapi_extra=_PUSH_OPENAPI, response=None)  # fmt: skip
async def push_editor_context(request: HttpRequest) -> HttpResponse:
    """Keep the state in the body."""
    body, seconds = _body(request), settings.DEVASSIST_EDITOR_SECONDS

    async def work(owner_id: int) -> object:
        return await pushing.push(body, owner_id=owner_id, seconds=seconds)

    return await _answered(request, name="push_editor_context", work=work, size=len(body or b""))


@router.delete("/editor-context", auth=None, summary="Forget an editor's state", description=CLEAR, tags=["devassist"],
               operation_id="clear_editor_context", openapi_extra=_OPENAPI, response=None)  # fmt: skip
async def clear_editor_context(request: HttpRequest) -> HttpResponse:
    """Forget it."""
    return await _answered(request, name="clear_editor_context", work=pushing.clear, size=0)


async def _answered(request: HttpRequest, *, name: str, work: pushing.Work, size: int) -> HttpResponse:
    key = read_credential(request.headers.get("Authorization", ""), api_key=request.headers.get("X-API-Key", ""))
    sent_id, now = read_request_id(request.headers.get("X-Request-Id", "")), datetime.now(UTC)

    async def recorded() -> Reply:
        return await pushing.recorded(work, name=name, key=key, request_id=sent_id, called_at=now, size=size)

    reply = await event_loop.run_on_loop(recorded)
    response = HttpResponse(reply.body, status=reply.status)
    for header, value in response_headers(reply, request_id=sent_id):
        response[header] = value
    return response


def _body(request: HttpRequest) -> bytes | None:
    """Read the body; None where it is larger than the server reads, or ended early."""
    try:
        return request.body
    except (RequestDataTooBig, UnreadablePostError):
        return None
