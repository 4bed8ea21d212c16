"""The hints that ship with the project, into rows."""

from importlib.resources import files

import orjson

from graphql_proxy.models import ErrorHint


def load_hints() -> int:
    """
    Store what is missing of the shipped hints, known by their names; gives how many were.

    What is stored is left as it is: a curator may have changed it, or turned it off.
    """
    shipped = orjson.loads((files("graphql_proxy") / "samples" / "error_hints.json").read_bytes())
    before = ErrorHint.objects.count()
    ErrorHint.objects.bulk_create([ErrorHint(**hint) for hint in shipped], ignore_conflicts=True)
    return ErrorHint.objects.count() - before
