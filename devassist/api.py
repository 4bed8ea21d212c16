"""Where editors and terminals push what they show: `PUT /api/devassist/editor-context`."""

from collections.abc import Awaitable, Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from ninja import Router

from devassist.editor import push
from devassist.editor.state import PushedState
from devassist.error_envelope import DevassistErrorEnvelope
from toolbox.contract.encoding import encode
from toolbox.contract.errors import FORBIDDEN, Refusal
from toolbox.dispatch.entry import ActiveCall, Operation, Reply, perform
from toolbox.http.django_requests import read_body, read_request, to_response

router = Router()
PUSH, CLEAR = (
    Operation(name=name, domain="devassist", scope="devassist:write", envelope=DevassistErrorEnvelope(), writes=True)
    for name in ("push_editor_context", "clear_editor_context")
)
PUSH_DESCRIPTION = """
Tell what your editor or terminal shows; get_user_error_context gives it to your agents. The newest state of the key's
owner is kept, for a short time (DEVASSIST_EDITOR_SECONDS). With `activeFile` the editor's part is replaced, with
`terminalOutput` the terminal's. At most 256 KiB; the last 50 lines of a terminal are kept; what looks like a secret is
masked, and files of secrets are refused. Needs devassist:write.
"""
CLEAR_DESCRIPTION = (
    "Forget at once what is kept of the key's owner; with `?window=` what that window pushed. Needs devassist:write."
)
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


@router.put("/editor-context", auth=None, summary="Push an editor's state", description=PUSH_DESCRIPTION,
            tags=["devassist"], operation_id="push_editor_context", openapi_extra=_PUSH_OPENAPI,
            response=None)  # fmt: skip
async def push_editor_context(request: HttpRequest) -> HttpResponse:
    """Keep the state in the body."""
    body, seconds = read_body(request), settings.DEVASSIST_EDITOR_SECONDS
    size = len(body or b"")
    return await _perform(request, PUSH, size=size, work=lambda owner: push.push(body, owner_id=owner, seconds=seconds))


@router.delete("/editor-context", auth=None, summary="Forget an editor's state", description=CLEAR_DESCRIPTION,
               tags=["devassist"], operation_id="clear_editor_context", openapi_extra=_OPENAPI,
               response=None)  # fmt: skip
async def clear_editor_context(request: HttpRequest) -> HttpResponse:
    """Forget it."""
    window = request.GET.get("window", "").replace("\0", "") or None
    return await _perform(request, CLEAR, size=0, work=lambda owner: push.clear(owner, window=window))


async def _perform(
    http_request: HttpRequest, operation: Operation, *, size: int, work: Callable[[int], Awaitable[object]]
) -> HttpResponse:
    """Do the work for the key's owner; the audit keeps the size of the body, no content."""

    async def render(call: ActiveCall) -> Reply:
        if call.caller.owner_id is None:
            raise Refusal(FORBIDDEN, "Only a key's owner has an editor.", suggestion="Send a key.")
        return Reply(body=encode(await work(call.caller.owner_id)))

    request = read_request(http_request, arguments=encode({"bytes": size}))
    reply = await perform(operation, request=request, work=render)
    return to_response(reply, request=http_request, request_id=request.request_id)
