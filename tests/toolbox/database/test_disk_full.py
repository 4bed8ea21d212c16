"""A full disk of the database is said as such to callers that write."""

import psycopg

from toolbox.contract.caller import LOCAL_OPERATOR
from toolbox.database.disk_full import DISK_IS_FULL, is_disk_full
from toolbox.dispatch.entry import ActiveCall, Operation, Request


def test_a_call_that_met_a_full_disk_is_answered_with_words() -> None:
    operation = Operation(name="write", domain="test", scope=None, writes=True)
    call = ActiveCall(operation, request=Request(credential=LOCAL_OPERATOR, transport="test", request_id="disk"))

    reply = call.refuse(psycopg.errors.DiskFull("could not extend file"))

    assert reply.status == 503
    assert DISK_IS_FULL.encode() in reply.body


def test_it_is_found_behind_django_s_own_error() -> None:
    django_error = RuntimeError("django.db.OperationalError")
    django_error.__cause__ = psycopg.errors.DiskFull("could not extend file")

    assert is_disk_full(django_error)
    assert not is_disk_full(psycopg.errors.OutOfMemory("out of memory"))
    assert not is_disk_full(None)
