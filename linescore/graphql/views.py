"""The view of `/graphql/`, for keys that may read linescore."""

from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt
from strawberry.django.views import AsyncGraphQLView
from strawberry.http import GraphQLHTTPResponse
from strawberry.types import ExecutionResult

from linescore.graphql.schema import FAILURE, schema
from toolbox.contract.errors import KERNEL_ENVELOPE, PAYLOAD_TOO_LARGE, Refusal
from toolbox.dispatch.entry import ActiveCall, Operation, Outcome, Reply, perform
from toolbox.http.django_requests import read_body, read_request, to_response

HOCKEY = Operation(name="graphql", domain="linescore", scope="linescore:read")
GRAPHQL_ERROR = "GRAPHQL_ERROR"


class HockeyView(AsyncGraphQLView):
    """Queries by POST or GET. There is no GraphiQL page: it would load scripts from another host."""

    _messages: list[str] = []

    async def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:  # type: ignore[override]  # async, as its own base is
        """Authorize the caller, run the query and record its document in the audit."""
        body = read_body(request)

        async def work(call: ActiveCall) -> HttpResponseBase:
            if body is None:
                raise Refusal(PAYLOAD_TOO_LARGE, "The body is too large.", suggestion="Send a shorter document.")
            response = await super(HockeyView, self).dispatch(request, *args, **kwargs)
            call.answer_bytes = len(getattr(response, "content", b""))
            if FAILURE in self._messages:
                call.note(Outcome.FAILED, status=response.status_code, code=KERNEL_ENVELOPE.crash.code)
            elif self._messages or response.status_code >= KERNEL_ENVELOPE.bad_input.status:
                call.note(Outcome.REFUSED, status=response.status_code, code=GRAPHQL_ERROR)
            return response

        parsed = read_request(request, arguments=body or request.META.get("QUERY_STRING", "").encode())
        answer = await perform(HOCKEY, request=parsed, work=work)
        return (
            to_response(answer, request=request, request_id=parsed.request_id) if isinstance(answer, Reply) else answer
        )

    async def process_result(self, request: HttpRequest, result: ExecutionResult) -> GraphQLHTTPResponse:
        """Store the error for the audit: the HTTP status is 200 even for a GraphQL error."""
        self._messages = [error.message for error in result.errors or ()]
        return await super().process_result(request, result)


view = csrf_exempt(HockeyView.as_view(schema=schema, graphql_ide=None))
