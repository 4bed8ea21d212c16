"""A psycopg connection that waits without timers and fetches without a cursor, using private parts of psycopg."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import psycopg
from psycopg import abc, generators
from psycopg._enums import Ready, Wait
from psycopg._preparing import Prepare
from psycopg._queries import PostgresQuery
from psycopg.abc import PQGen
from psycopg.adapt import Transformer
from psycopg.errors import _WaitTimeout, error_from_result
from psycopg.pq import ExecStatus, TransactionStatus
from psycopg.pq.abc import PGresult
from psycopg.rows import DictRow

Parameters = Mapping[str, Any] | Sequence[Any]
Result = TypeVar("Result")

CANCEL_SECONDS = 5.0
_TO_READ, _READABLE = Wait.R, Ready.R


class FetchingConnection(psycopg.AsyncConnection[DictRow]):
    """A connection of a Pool; everything else is psycopg's."""

    _own: abc.Transformer | None = None

    async def fetch(self, statement: bytes, parameters: Parameters) -> list[dict[str, Any]]:
        """Run one statement, prepared, and return its rows; needs autocommit mode and no concurrent use."""
        if self._own is None:
            self._own = Transformer(self)
        found = await self.wait(self._answered(statement, parameters, types=self._own))
        self._own.set_pgresult(found)
        names = [(found.fname(column) or b"").decode() for column in range(found.nfields)]
        rows = [dict(zip(names, row, strict=True)) for row in self._own.load_rows(0, found.ntuples, tuple)]
        self._own.set_pgresult(None)
        return rows

    async def wait(self, gen: PQGen[Result], interval: float = 0.0, timeout: float | None = None) -> Result:  # noqa: ASYNC109 - psycopg's own signature
        """Run the generator to its end as psycopg does, without its timer; a cancellation cancels the statement."""
        if timeout is not None:
            return await super().wait(gen, timeout=timeout)
        try:
            return await self._finished(gen)
        except asyncio.CancelledError:
            await self._call_off(gen)
            raise

    async def _finished(self, gen: PQGen[Result]) -> Result:
        loop = asyncio.get_running_loop()
        try:
            wanted = next(gen)
            while True:
                if wanted != _TO_READ:  # such as when the statement is too large to be sent at once
                    return await super().wait(_again(gen, wanted=wanted))
                arrived, socket = loop.create_future(), self.pgconn.socket
                loop.add_reader(socket, _wake, arrived)
                try:
                    await arrived
                finally:
                    loop.remove_reader(socket)
                wanted = gen.send(_READABLE)
        except StopIteration as done:
            result: Result = done.value
            return result
        except OSError as gone:
            raise psycopg.OperationalError("connection socket closed") from gone

    async def _call_off(self, gen: PQGen[Any]) -> None:
        """Cancel the statement in the database and read the result; a connection that stays active is closed."""
        if self.pgconn.transaction_status != TransactionStatus.ACTIVE:
            return
        try:
            with suppress(psycopg.Error, _WaitTimeout):
                await self.cancel_safe(timeout=CANCEL_SECONDS)
                await super().wait(_again(gen, wanted=_TO_READ), timeout=CANCEL_SECONDS)
        finally:
            if self.pgconn.transaction_status == TransactionStatus.ACTIVE:
                self.pgconn.finish()

    def _answered(self, statement: bytes, parameters: Parameters, *, types: abc.Transformer) -> PQGen[PGresult]:
        """Prepare the statement if it is new on this connection, and run it."""
        query, known = PostgresQuery(types), self._prepared
        query.convert(statement, parameters)
        state, name = known.get(query, True)
        if state is Prepare.SHOULD:
            self.pgconn.send_prepare(name, query.query, param_types=query.types)
            _good((yield from generators.execute(self.pgconn)))
        if state is Prepare.NO:
            self.pgconn.send_query_params(
                query.query, query.params, param_types=query.types, param_formats=query.formats
            )
        else:
            self.pgconn.send_query_prepared(name, query.params, param_formats=query.formats)
        added = known.maybe_add_to_cache(query, state, name)
        results = yield from generators.execute(self.pgconn)
        if added is not None:
            known.validate(added, state, name, results)
        result = _good(results)
        yield from known.maintain_gen(self)
        if result.status != ExecStatus.TUPLES_OK:
            raise psycopg.ProgrammingError("the statement gives no rows")
        return result


def _again(gen: PQGen[Result], *, wanted: Wait) -> PQGen[Result]:
    """Continue a started generator for a caller that starts generators itself, beginning with what it waits for."""
    while True:
        try:
            wanted = gen.send((yield wanted) or Ready.NONE)
        except StopIteration as done:
            result: Result = done.value
            return result


def _wake(arrived: asyncio.Future[None]) -> None:
    if not arrived.done():
        arrived.set_result(None)


def _good(results: Sequence[PGresult]) -> PGresult:
    """Return the last result; raises the error that the database returned."""
    for result in results:
        if result.status == ExecStatus.FATAL_ERROR:
            raise error_from_result(result)
    return results[-1]
