"""
Each process writes a row that describes it, so that differences between hosts are found.

Written at its start and every 15 s, deleted at its end; rows of killed processes are deleted after five minutes. The
row has a fingerprint of the SECRET_KEY (HMAC, 64 bits), never the key, and addresses without passwords.
"""

import asyncio
import hashlib
import hmac
import logging
import os
import platform
import secrets
import shutil
import socket
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
from django.conf import settings
from django.utils.module_loading import import_string

from toolbox import VERSION
from toolbox.contract.errors import DatabaseUnavailable, StatementTimeout
from toolbox.database import event_loop
from toolbox.database.notifications import notifications
from toolbox.database.pools import owner_pool

logger = logging.getLogger(__name__)

WEB = "web"
WRITE_SECONDS = 15.0
_PORTS = {"redis": 6379, "rediss": 6379, "valkey": 6379, "amqp": 5672, "amqps": 5671, "pyamqp": 5672}
_OWN_HOSTS = (None, "", "localhost", "127.0.0.1", "::1")

_WRITE = """
WITH gone AS (
    DELETE FROM toolbox_server_processes WHERE seen_at < clock_timestamp() - interval '5 minutes'
)
INSERT INTO toolbox_server_processes (
    id, host, process_id, role, version, secret_fingerprint, broker, broker_answers, notifications_arrive,
    clock_offset_seconds, disk_free_bytes, started_at, seen_at
)
VALUES (
    %(id)s, %(host)s, %(process_id)s, %(role)s, %(version)s, %(secret_fingerprint)s, %(broker)s, %(broker_answers)s,
    %(notifications_arrive)s, %(clock_offset_seconds)s, %(disk_free_bytes)s, clock_timestamp(), clock_timestamp()
)
ON CONFLICT (id) DO UPDATE SET
    broker_answers = excluded.broker_answers, notifications_arrive = excluded.notifications_arrive,
    clock_offset_seconds = excluded.clock_offset_seconds, disk_free_bytes = excluded.disk_free_bytes,
    seen_at = excluded.seen_at
"""
_DELETE = "DELETE FROM toolbox_server_processes WHERE id = %s"
_LIST = """
SELECT host, process_id, role, version, secret_fingerprint, broker, broker_answers, notifications_arrive,
       clock_offset_seconds, disk_free_bytes, seen_at
FROM toolbox_server_processes WHERE seen_at > clock_timestamp() - interval '1 minute'
ORDER BY host, role, process_id LIMIT 1000
"""
_OTHER_SECRETS = """
SELECT count(*) AS others FROM toolbox_server_processes
WHERE seen_at > clock_timestamp() - interval '1 minute' AND secret_fingerprint <> %s
"""
_CLOCK = "SELECT extract(epoch FROM clock_timestamp())::float8 AS seconds LIMIT 1"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerProcess:
    """What a process reported about itself within the last minute."""

    host: str
    process_id: int
    role: str
    version: str
    secret_fingerprint: str
    broker: str
    broker_answers: bool | None
    notifications_arrive: bool | None
    clock_offset_seconds: float
    disk_free_bytes: int
    seen_at: Any = None

    @property
    def name(self) -> str:
        """Return its name for people."""
        return f"{self.role} {self.process_id} on {self.host}"


def fingerprint_secret(secret: str) -> str:
    """Return a fingerprint by which two hosts can compare their SECRET_KEY."""
    return hmac.new(secret.encode(), b"toolroom server process", hashlib.sha256).hexdigest()[:16]


def name_broker(url: str) -> str:
    """Return the broker's address without credentials; localhost becomes this host's name, since each host has one."""
    parts = urlsplit(url)
    host = platform.node() if parts.hostname in _OWN_HOSTS else parts.hostname
    return f"{parts.scheme}://{host}{f':{parts.port}' if parts.port else ''}{parts.path}"[:200]


def reach_broker() -> None:
    """Connect to the broker; raises ConnectionError if it does not answer."""
    app = import_string(settings.TOOLROOM_CELERY_APP)  # imports Celery, which a web process needs only for this
    with app.connection_for_write(connect_timeout=1) as connection:
        try:
            connection.ensure_connection(max_retries=0, timeout=1, reraise_as_library_errors=False)
        except (OSError, *connection.connection_errors, *connection.channel_errors) as away:
            raise ConnectionError(str(away)) from away


def has_open_port(url: str) -> bool | None:
    """Return whether a broker's address accepts connections; None if it has no known port. Does not load Celery."""
    parts = urlsplit(url.partition(";")[0])
    port = parts.port or _PORTS.get(parts.scheme)
    try:
        if parts.scheme.endswith("+socket"):
            with socket.socket(socket.AF_UNIX) as probe:
                probe.settimeout(1)
                probe.connect(parts.path)
        elif port is None:
            return None
        else:
            socket.create_connection((parts.hostname or "localhost", port), timeout=1).close()
    except OSError:
        return False
    return True


def free_disk_bytes(folder: Path) -> int:
    """Return the free disk space where this server writes."""
    while not folder.exists():
        folder = folder.parent
    return shutil.disk_usage(folder).free


def _ask_broker(role: str) -> bool | None:
    """Check the broker as Celery does; in a web process, which may never need Celery, only its port."""
    if role == WEB:
        return has_open_port(settings.CELERY_BROKER_URL)
    try:
        reach_broker()
    except ConnectionError:
        return False
    return True


async def describe_process(role: str) -> ServerProcess:
    """Describe this process, with the broker and the database's clock; raises DatabaseUnavailable."""
    before = time.time()
    clock = (await owner_pool.fetch(_CLOCK)).rows[0]["seconds"]
    after = time.time()
    return ServerProcess(
        host=platform.node()[:100],
        process_id=os.getpid(),
        role=role,
        version=VERSION,
        secret_fingerprint=fingerprint_secret(settings.SECRET_KEY),
        broker=name_broker(settings.CELERY_BROKER_URL),
        broker_answers=await asyncio.to_thread(_ask_broker, role),
        notifications_arrive=notifications.is_arriving,
        # A difference within the duration of the query counts as none.
        clock_offset_seconds=before - clock if before > clock else min(0.0, after - clock),
        disk_free_bytes=free_disk_bytes(settings.TOOLROOM_VAR),
    )


async def list_processes() -> list[ServerProcess]:
    """Return the processes of all hosts seen within the last minute; raises DatabaseUnavailable."""
    return [ServerProcess(**row) for row in (await owner_pool.fetch(_LIST)).rows]


class Presence:
    """The row of this process, kept while it lives."""

    def __init__(self) -> None:
        self.other_secrets: int | None = None
        """How many processes have another SECRET_KEY; None before the first check."""
        self._id = ""
        self._task: asyncio.Task[None] | None = None
        event_loop.on_shutdown(self.close)

    def start(self, role: str) -> None:
        """Start to write this process's row regularly, on the running loop."""
        if self._task is None:
            self._id = f"{platform.node()[:100]}:{os.getpid()}:{secrets.token_hex(4)}"
            self._task = asyncio.get_running_loop().create_task(self._write_forever(role))

    async def write(self, role: str) -> None:
        """Write the row once, and count processes with another SECRET_KEY; raises DatabaseUnavailable."""
        told = await describe_process(role)
        fields = {name: getattr(told, name) for name in ServerProcess.__slots__ if name != "seen_at"}
        await owner_pool.run(lambda connection: connection.execute(_WRITE, {"id": self._id, **fields}))
        others = (await owner_pool.fetch(_OTHER_SECRETS, [told.secret_fingerprint])).rows[0]["others"]
        if others and not self.other_secrets:
            logger.warning("%s processes have another SECRET_KEY than this one: give every host the same", others)
        self.other_secrets = others

    async def close(self) -> None:
        """Delete the row; the next start writes another."""
        task, self._task = self._task, None
        if task is None:
            return
        task.cancel()
        await asyncio.wait([task])
        try:
            await owner_pool.run(lambda connection: connection.execute(_DELETE, [self._id]))
        except (DatabaseUnavailable, StatementTimeout, psycopg.Error) as away:
            logger.info("the row of this process stays for five minutes: %s", away)

    async def _write_forever(self, role: str) -> None:
        while True:
            try:
                await self.write(role)
            except Exception as failed:  # no failure of disk, broker or database may end this; logged here
                is_away = isinstance(failed, (DatabaseUnavailable, psycopg.Error, OSError))
                logger.info("this process cannot say that it is there: %s", failed, exc_info=not is_away)
            await asyncio.sleep(WRITE_SECONDS)


presence = Presence()
