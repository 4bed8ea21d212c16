"""
A program for test_event_loop: a process that has called tools forks, and its child calls some too.

It runs by itself, as a prefork server does: a test process has threads of foreign C code, whose locks a fork may catch
held. Prints one JSON object: what the parent saw before, what the child saw, what the parent saw afterwards.
"""

import json
import multiprocessing
import os
from typing import Any

import django

django.setup()

from toolbox.audit.log import audit  # noqa: E402
from toolbox.catalogue.registry import registry  # noqa: E402
from toolbox.contract.caller import LOCAL_OPERATOR  # noqa: E402
from toolbox.database import event_loop  # noqa: E402
from toolbox.database.pools import reader  # noqa: E402
from toolbox.dispatch.dispatch import Call, dispatch  # noqa: E402


def call() -> Call:
    """Make a call that is known to succeed."""
    tool = next(tool for tool in registry.tools() if tool.name == "query_linescore_data")
    arguments = tool.example_arguments
    return Call(tool=tool.name, arguments=arguments, credential=LOCAL_OPERATOR, transport="test", request_id="home")


def read_connection() -> dict[str, Any]:
    """Call a tool, and return which connection its process used."""
    status = event_loop.run(dispatch(call())).status
    pids = event_loop.run(reader.fetch("SELECT pg_backend_pid() AS pid LIMIT 1")).rows
    return {"status": status, "pid": pids[0]["pid"]}


def child(results: Any) -> None:
    """Do in the forked child what its parent has done, and write the result."""
    results.put(read_connection())
    event_loop.run(audit.flush())
    os._exit(0)


def main() -> None:
    """Call, fork, and call again."""
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()
    before = read_connection()
    process = context.Process(target=child, args=(results,))
    process.start()
    process.join(30)
    if process.is_alive():
        process.kill()
        raise SystemExit("the forked child hangs")
    told = {"before": before, "child": results.get(), "after": read_connection(), "exit": process.exitcode}
    event_loop.run(audit.flush())
    print(json.dumps(told))


if __name__ == "__main__":
    main()
