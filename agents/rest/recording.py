"""Calls of the addresses of conversations, in the same audit as calls of tools: domain `agents`, the address's name."""

import time
from dataclasses import dataclass, field
from datetime import UTC, datetime

from toolbox.audit.log import KEPT_ARGUMENTS, CallRecord, audit
from toolbox.contract.caller import Caller
from toolbox.dispatch.dispatch import Reply
from toolbox.http.django_requests import TRANSPORT
from toolbox.models import ToolCall

DOMAIN = "agents"


@dataclass(slots=True, kw_only=True)
class Asked:
    """
    A request to an address, and what becomes known of it on its way.

    `sent` is the path and the body; it is kept only where a key was good. A Caller as the credential is a person whom
    the console vouches for; `session` is a browser's, which is asked for a person where there is no credential,
    and only where it changes nothing: a form of another site sends it too.
    """

    name: str
    credential: str | Caller | None
    request_id: str
    sent: bytes = b""
    session: str = ""
    transport: str = TRANSPORT
    caller: Caller | None = None
    called_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    started: float = field(default_factory=time.perf_counter)


def record(asked: Asked, *, reply: Reply | None) -> None:
    """Leave the row; a stream that was opened has no reply, and counts as answered."""
    audit.record(
        CallRecord(
            called_at=asked.called_at,
            request_id=asked.request_id,
            caller=asked.caller.name if asked.caller else "",
            key_id=asked.caller.key_id if asked.caller else None,
            transport=asked.transport,
            domain=DOMAIN,
            tool=asked.name,
            arguments=asked.sent[:KEPT_ARGUMENTS] if asked.caller else b"",
            outcome=ToolCall.Outcome.REFUSED if reply and reply.is_refusal else ToolCall.Outcome.ANSWERED,
            code=reply.code if reply else "",
            status=reply.status if reply else 200,
            rows=None,
            answer_bytes=len(reply.body) if reply else 0,
            milliseconds=(time.perf_counter() - asked.started) * 1000,
        )
    )
