"""Clients of MCP are told when the catalogue changes: rows that are tools come, go, or read otherwise."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from weakref import WeakSet

from mcp.server.subscriptions import ListenHandler, PromptsListChanged, ResourceUpdated, ServerEvent, ToolsListChanged

from toolbox.catalogue.registry import Registry
from toolbox.contract.caller import Caller

MAX_STREAMS = 200
"""Open streams of one server in one process; each is a connection that is held."""

_EVENTS: dict[str, ServerEvent] = {"tools": ToolsListChanged(), "prompts": PromptsListChanged()}

Listener = Callable[[ServerEvent], None]

_handlers: WeakSet[ListenHandler] = WeakSet()


class CatalogueChanges:
    """
    The SDK's SubscriptionBus over one registry, which every process keeps in step with the database.

    A listener is called on the loop that it subscribed on, wherever the registry changes.
    """

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._listeners: dict[object, Listener] = {}

    async def publish(self, event: ServerEvent) -> None:
        """Tell the listeners of this process; the registry's changes need no publishing."""
        for listener in list(self._listeners.values()):
            listener(event)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Tell the listener of every change until the function that this gives is called."""
        loop, token = asyncio.get_running_loop(), object()
        self._listeners[token] = listener

        def tell(what: str) -> None:
            with suppress(RuntimeError):  # its loop has ended
                loop.call_soon_threadsafe(listener, _EVENTS.get(what) or ResourceUpdated(uri=what))

        forget = self._registry.on_change(tell)

        def unsubscribe() -> None:
            self._listeners.pop(token, None)
            forget()

        return unsubscribe


def may_watch(uri: str, *, caller: Caller, registry: Registry) -> bool:
    """Tell whether there can be such a document, and the caller may read it: of others they learn not even a change."""
    return any(caller.has(one.scope) and one.values(uri) is not None for one in registry.resources())


def listening(registry: Registry) -> ListenHandler:
    """Make the handler of `subscriptions/listen`, the way of the 2026-07-28 protocol to be told of changes."""
    handler = ListenHandler(CatalogueChanges(registry), max_subscriptions=MAX_STREAMS)
    _handlers.add(handler)
    return handler


def end_streams() -> None:
    """End every open stream of this process, as the protocol wants it of a server that stops; called on its loop."""
    for handler in _handlers:
        handler.close()
