"""
The checks of `manage.py check_topology`, on the real parts and the processes of all hosts.

Each check reports what it saw, and findings with fixes. It needs no other process: what only other processes know
(their SECRET_KEY, their clock, whether they reach the broker) is in their rows (presence.py).
"""

import asyncio
import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

import psycopg
from django.db import connections

from config.postgres.roles import OWNER_SETTINGS, READER_SETTINGS
from config.topology.presence import ServerProcess, describe_process, list_processes
from sprints.sql_sandbox.lockdown_status import is_locked_down
from toolbox.contract.errors import DatabaseUnavailable, StatementTimeout
from toolbox.database.notifications import Notifications
from toolbox.database.pool import CONNECT_TIMEOUT_SECONDS, Connection, Pool, is_pooled, keeps_prepared_statements
from toolbox.database.pools import direct_conninfo, owner_pool, reader
from toolbox.database.replicas import PATIENCE_SECONDS, ReplicatedPool

MAX_CLOCK_OFFSET_SECONDS = 2.0
MIN_DISK_BYTES = 1_073_741_824
MIN_VECTOR = (0, 8)
PROVISION = "Run `manage.py provision_database` with DATABASE_ADMIN_URL."


@dataclass(slots=True)
class Report:
    """The result of one check: a sentence, and findings with fixes."""

    says: str = ""
    findings: list[tuple[str, str]] = field(default_factory=list)

    def add_finding(self, what: str, *, fix: str) -> None:
        """Add a finding."""
        self.findings.append((what, fix))


@dataclass(frozen=True, slots=True, kw_only=True)
class Topology:
    """The input of all checks: this process and those of all hosts."""

    own: ServerProcess
    processes: Sequence[ServerProcess]

    @property
    def all(self) -> list[ServerProcess]:
        """Return this process and the others."""
        return [self.own, *self.processes]


Check = Callable[[Topology], Awaitable[Report]]


async def load_topology() -> Topology:
    """Load the rows of all processes; raises DatabaseUnavailable."""
    return Topology(own=await describe_process("check_topology"), processes=await list_processes())


async def check_all(topology: Topology) -> dict[str, Report]:
    """Run every check, one after the other; a part that does not answer is a finding."""
    return {name: await _run(check, topology=topology) for name, check in CHECKS.items()}


async def _run(check: Check, *, topology: Topology) -> Report:
    try:
        return await check(topology)
    except (DatabaseUnavailable, StatementTimeout, psycopg.Error, OSError) as away:
        report = Report("could not be asked")
        report.add_finding(str(away).strip() or type(away).__name__, fix="Start the part, or correct its address.")
        return report


async def check_notifications(topology: Topology) -> Report:
    """Listen as processes do and notify ourselves; read from the rows whether the others receive notifications."""
    heard = Notifications(conninfo=direct_conninfo)
    heard.start()
    while heard.is_arriving is None:  # noqa: ASYNC110 - limited by the watchdog
        await asyncio.sleep(0.01)
    report, arrives = Report(), heard.is_arriving
    report.says = f"a notification arrived after {heard.seconds * 1000:.0f} ms" if heard.seconds else "nothing arrived"
    await heard.close()
    fix = "Set DATABASE_LISTEN_URL to the owner's address on the primary itself, past any pooler, on every host."
    if not arrives:
        report.add_finding("NOTIFY does not arrive: streams and tools that are rows poll.", fix=fix)
    for one in topology.processes:
        if one.notifications_arrive is False:
            report.add_finding(f"NOTIFY does not arrive at {one.name}.", fix=fix)
    return report


async def check_secrets(topology: Topology) -> Report:
    """Compare the fingerprints of SECRET_KEY."""
    return _compare(
        topology,
        read=lambda one: one.secret_fingerprint,
        what="SECRET_KEY differs: sessions, sealed questions and stored secrets of one are invalid on the other",
        fix="Give every host the same SECRET_KEY; a key of its own is made below var/ where none is set.",
    )


async def check_versions(topology: Topology) -> Report:
    """Compare the versions of Toolroom."""
    fix = "Install the same version everywhere, migrate, and restart all processes."
    return _compare(topology, read=lambda one: one.version, what="Versions of Toolroom differ", fix=fix)


async def check_brokers(topology: Topology) -> Report:
    """Compare the brokers, and report processes that do not reach theirs."""
    report = _compare(
        topology, read=lambda one: one.broker, what="Brokers differ: work of one host is not delivered on the other",
        fix="Set the same CELERY_BROKER_URL on every host; without it each has an embedded one.",
    )  # fmt: skip
    for one in topology.all:
        if one.broker_answers is False:
            fix = "Start the broker, or correct CELERY_BROKER_URL and the network between them."
            report.add_finding(f"{one.name} does not reach the broker {one.broker}.", fix=fix)
    return report


async def check_clocks(topology: Topology) -> Report:
    """Compare the clocks with the database's."""
    report = Report(f"at most {max(abs(one.clock_offset_seconds) for one in topology.all):.3f} s from the database's")
    for one in topology.all:
        if abs(one.clock_offset_seconds) > MAX_CLOCK_OFFSET_SECONDS:
            what = f"The clock of {one.host} ({one.role}) is {one.clock_offset_seconds:+.1f} s from the database's."
            report.add_finding(what, fix="Run an NTP client on every host: tokens and limits go by the clock.")
    return report


async def check_disks(topology: Topology) -> Report:
    """Check the free disk space of each host."""
    report = Report(f"at least {min(one.disk_free_bytes for one in topology.all) / 2**30:.1f} GiB are free")
    for one in topology.all:
        if one.disk_free_bytes < MIN_DISK_BYTES:
            what = f"{one.host} has {one.disk_free_bytes / 2**20:.0f} MiB of disk left below TOOLROOM_VAR."
            report.add_finding(what, fix="Free room, or move TOOLROOM_VAR to a larger disk.")
    return report


async def check_role_settings(_: Topology) -> Report:
    """Check the settings of each role in sessions through the addresses that tools use."""
    report = Report("stand for owner, reader and analyst")
    for pool, wanted, variable in (
        (owner_pool, OWNER_SETTINGS, "DATABASE_URL"), (reader, READER_SETTINGS, "DATABASE_READER_URL"),
    ):  # fmt: skip
        for name, found in (await _show(pool, names=list(wanted))).items():
            if not _stands(found, wanted=wanted[name]):
                what = f"The role of {variable} has {name} = {found}, not {wanted[name]}."
                report.add_finding(what, fix=PROVISION)
    if "analyst" not in connections.databases:
        report.says = "stand for owner and reader; there is no analyst, execute_query is off"
    elif not await is_locked_down():
        report.add_finding("The analyst's role may do more than it should.", fix="`manage.py check --deploy` names it.")
    if report.findings:
        report.says = "do not all stand"
    return report


async def check_poolers(_: Topology) -> Report:
    """Find poolers in front of each address, and whether they support prepared statements."""
    report, behind = Report(), list[str]()
    listening = await _look_at(direct_conninfo())
    if listening.is_pooled:
        what = "DATABASE_LISTEN_URL (or DATABASE_URL in its place) leads through a pooler."
        report.add_finding(what, fix="Set DATABASE_LISTEN_URL to the port of PostgreSQL itself.")
    pools = {"DATABASE_URL": owner_pool, "DATABASE_READER_URL": reader}
    for variable, pool in pools.items():
        seen = await _look_at(pool.conninfo())
        if not seen.is_pooled:
            continue
        behind.append(variable)
        if not seen.has_transactions:
            report.add_finding(
                f"{variable} leads through a pooler in statement mode.", fix="Set pool_mode = transaction."
            )
        elif not seen.keeps_prepared:
            what = f"The pooler of {variable} keeps no prepared statements: every statement is planned anew."
            fix = "Use PgBouncer 1.21 or newer, and set max_prepared_statements = 200 in its configuration."
            report.add_finding(what, fix=fix)
    report.says = f"before {', '.join(behind)}" if behind else "none"
    return report


async def check_replicas(_: Topology) -> Report:
    """Measure each replica."""
    if not isinstance(reader, ReplicatedPool):
        return Report("none")
    for _attempt in range(2):  # the first measures the primary's position, the second the lag behind it
        await reader.measure()
    report = Report(f"{len(reader.list_usable())} of {len(reader.replicas)} are read")
    for one in reader.replicas:
        if one.why_away:
            fix = "Start it, or take its address out of DATABASE_READER_URL; until then the primary is read."
            report.add_finding(f"Replica {one.name} is not read: {one.why_away.strip()}.", fix=fix)
        elif one.lag_seconds > reader.max_lag_seconds:
            lag = "unknown" if one.lag_seconds == math.inf else f"{one.lag_seconds:.0f} s"
            what = f"Replica {one.name} is behind: {lag}, {reader.max_lag_seconds:g} s are allowed."
            fix = "See pg_stat_replication on the primary; raise TOOLROOM_REPLICA_LAG if tools may read older rows."
            report.add_finding(what, fix=fix)
    return report


async def check_extensions(_: Topology) -> Report:
    """Compare pgvector's version with the oldest that works and with what each server has installed."""
    found = (await owner_pool.fetch(_VECTOR)).rows[0]
    report = Report(f"vector {found['here']}, PostgreSQL {found['server']}")
    install = "Install the same pgvector on every database host (PGDG: postgresql-18-pgvector)."
    if found["here"] is None:
        report.add_finding("The extension vector is not there.", fix=f"{install} {PROVISION}")
    elif tuple(map(int, found["here"].split(".")[:2])) < MIN_VECTOR:
        update = "ALTER EXTENSION vector UPDATE; as a superuser, after installing 0.8 or newer."
        report.add_finding(f"vector {found['here']} is too old.", fix=update)
    elif found["offered"] not in (None, found["here"]):
        what = f"vector {found['here']} is in use, {found['offered']} is installed."
        report.add_finding(what, fix="ALTER EXTENSION vector UPDATE; as a superuser.")
    for replica in reader.replicas if isinstance(reader, ReplicatedPool) else ():
        if replica.why_away:
            continue
        other = (await replica.watch.fetch(_VECTOR)).rows[0]
        if other["offered"] != found["offered"]:
            what = f"Replica {replica.name} has vector {other['offered']} installed, the primary {found['offered']}."
            report.add_finding(what, fix=install)
    return report


CHECKS: dict[str, Check] = {
    "notifications": check_notifications,
    "secret key": check_secrets,
    "role settings": check_role_settings,
    "clocks": check_clocks,
    "broker": check_brokers,
    "replicas": check_replicas,
    "poolers": check_poolers,
    "extensions": check_extensions,
    "disk": check_disks,
    "versions": check_versions,
}

_VECTOR = """
SELECT (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS here,
       (SELECT default_version FROM pg_available_extensions WHERE name = 'vector') AS offered,
       current_setting('server_version') AS server
LIMIT 1
"""
_SHOW = """
SELECT wanted.name, current_setting(wanted.name) AS value FROM unnest(%s::text[]) AS wanted (name) LIMIT 50
"""


def _compare(topology: Topology, *, read: Callable[[ServerProcess], str], what: str, fix: str) -> Report:
    """Find processes that differ from the majority."""
    values = [read(one) for one in topology.all]
    usual = max(sorted(set(values)), key=values.count)
    report = Report(f"the same in {len(values)} processes" if len(set(values)) == 1 else "they differ")
    if others := sorted({one.name for one in topology.all if read(one) != usual}):
        named = ", ".join(others[:5]) + (f" and {len(others) - 5} more" if len(others) > 5 else "")  # noqa: PLR2004
        report.add_finding(f"{what}: {named}.", fix=fix)
    return report


def _stands(found: str, *, wanted: str) -> bool:
    """Return whether a setting works: a limit may have another value, but must be set."""
    if wanted in ("on", "off", "UTC"):
        return found.casefold() in (wanted.casefold(), "etc/utc") or (wanted == "off" and found == "0")
    return found not in ("0", "-1")


async def _show(pool: Pool, *, names: list[str]) -> dict[str, str]:
    return {row["name"]: row["value"] for row in (await pool.fetch(_SHOW, [names])).rows}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Connection:
    is_pooled: bool
    has_transactions: bool
    keeps_prepared: bool


async def _look_at(conninfo: str) -> _Connection:
    """Find out what is in front of an address; raises psycopg.Error."""
    async with asyncio.timeout(PATIENCE_SECONDS + CONNECT_TIMEOUT_SECONDS):
        connection = await Connection.connect(
            conninfo, autocommit=True, row_factory=psycopg.rows.dict_row, connect_timeout=CONNECT_TIMEOUT_SECONDS
        )
    async with connection:
        pooled = await is_pooled(connection)
        try:
            keeps = await keeps_prepared_statements(connection)
        except psycopg.Error:  # PgBouncer's error for BEGIN in statement mode has no SQLSTATE of its own
            return _Connection(is_pooled=pooled, has_transactions=False, keeps_prepared=False)
        return _Connection(is_pooled=pooled, has_transactions=True, keeps_prepared=keeps)
