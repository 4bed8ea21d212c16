"""A conversation in a terminal: `manage.py chat "How did Carolina do in February 2025?"`."""

import asyncio
import sys
from argparse import ArgumentParser
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.management.base import CommandError
from django.db import connection

from agents.contracts import MAX_MESSAGE, NewConversation
from agents.queries import conversations, leases, run_requests
from agents.runs.run_caller import usable_toolkits
from agents.runs.terminal import Terminal, follow
from toolbox.access.keys import identify
from toolbox.contract.caller import LOCAL_OPERATOR, Caller
from toolbox.contract.errors import Refusal
from toolbox.database import event_loop
from toolbox.database.command import DatabaseCommand


class Command(DatabaseCommand):
    """Ask, and read the answer as it comes; without a worker running, this process answers its own question."""

    help = "Ask a question and read the answer as it comes, as TOOLROOM_API_KEY or, without it, as the local operator."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the question and the settings of a new conversation."""
        parser.add_argument("question", nargs="?", help="Without one, questions are read line by line.")
        parser.add_argument("--conversation", type=UUID, help="Go on with this conversation.")
        parser.add_argument("--toolkit", action="append", default=[], help="Offer this domain's tools only.")
        parser.add_argument("--model", default="", help="Ask this model of the server's.")
        parser.add_argument("--approve", action="append", default=[], help="Ask before this tool is called.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Answer each question; exits with 1 if the last one got no answer."""
        known = usable_toolkits()
        for name in options["toolkit"]:
            if name not in known:
                raise CommandError(f"there is no toolkit {name}; there are {', '.join(known)}")
        connection.close()
        terminal = Terminal(sys.stdout, sys.stderr)
        try:
            states = asyncio.run(_run_conversation(options, terminal=terminal))
        except Refusal as failed:
            raise CommandError(str(failed)) from failed
        except KeyboardInterrupt:
            raise SystemExit(130) from None
        if states[-1:] != ["succeeded"]:
            raise SystemExit(1)


async def _run_conversation(options: dict[str, Any], *, terminal: Terminal) -> list[str]:
    event_loop.adopt_running_loop()
    try:
        return await _converse(options, terminal=terminal)
    finally:
        await event_loop.close()


async def _converse(options: dict[str, Any], *, terminal: Terminal) -> list[str]:
    caller = await identify(settings.TOOLROOM_API_KEY or LOCAL_OPERATOR)
    conversation_id = options["conversation"] or await _create_conversation(options, caller=caller)
    states = []
    async for question in _questions(options["question"], terminal=terminal):
        posted = await run_requests.post_message(
            conversation_id, owner_id=caller.owner_id, key_id=caller.key_id, text=question[:MAX_MESSAGE]
        )
        if not isinstance(posted, run_requests.PostedMessage):
            raise CommandError({"unknown": "there is no such conversation of yours"}.get(posted, "it is busy"))
        try:
            states.append(await follow(posted.run_id, caller=caller, terminal=terminal))
        except asyncio.CancelledError:
            await asyncio.shield(leases.cancel(posted.run_id))
            raise
    terminal.note(f"conversation {conversation_id}")
    return states


async def _create_conversation(options: dict[str, Any], *, caller: Caller) -> UUID:
    wanted = NewConversation(toolkits=options["toolkit"], model=options["model"], approve_tools=options["approve"])
    begun = await conversations.create(wanted.model_dump(), owner_id=caller.owner_id)
    conversation_id: UUID = begun["id"]
    return conversation_id


async def _questions(question: str | None, *, terminal: Terminal) -> AsyncIterator[str]:
    """Yield the given question, or those that are typed until the input ends."""
    if question:
        yield question
        return
    while line := await terminal.ask("> "):
        if line.strip():
            yield line.strip()
