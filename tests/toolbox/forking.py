"""
A program for test_home: a process that has called tools forks, and its child calls some too.

It runs by itself, as a prefork server does: a process of tests has threads of foreign C code, whose locks a fork may
catch held. Prints one JSON object: what the parent saw before, what the child saw, what the parent saw afterwards.
"""

import json
import multiprocessing
import os
from typing import Any

import django

django.setup()

from toolbox import home  # noqa: E402
from toolbox.answer import Call, answer  # noqa: E402
from toolbox.audit import audit  # noqa: E402
from toolbox.callers import LOCAL_OPERATOR  # noqa: E402
from toolbox.reader import reader  # noqa: E402
from toolbox.registry import registry  # noqa: E402


def call() -> Call:
    """Make a call that is known to succeed."""
    tool = next(tool for tool in registry.tools() if tool.name == "query_linescore_data")
    arguments = tool.example_arguments
    return Call(tool=tool.name, arguments=arguments, credential=LOCAL_OPERATOR, face="test", request_id="home")


def seen() -> dict[str, Any]:
    """Call a tool, and say by which connection its process reads."""
    status = home.run(answer(call())).status
    pids = home.run(reader.fetch("SELECT pg_backend_pid() AS pid LIMIT 1")).rows
    return {"status": status, "pid": pids[0]["pid"]}


def child(results: Any) -> None:
    """Do in the forked child what its parent has done, and write it down."""
    results.put(seen())
    home.run(audit.flush())
    os._exit(0)


def main() -> None:
    """See, fork, and see again."""
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()
    before = seen()
    process = context.Process(target=child, args=(results,))
    process.start()
    process.join(30)
    if process.is_alive():
        process.kill()
        raise SystemExit("the forked child hangs")
    told = {"before": before, "child": results.get(), "after": seen(), "exit": process.exitcode}
    home.run(audit.flush())
    print(json.dumps(told))


if __name__ == "__main__":
    main()
