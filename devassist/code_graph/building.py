"""
Builds of the graph of a workspace: read changed files, link all, write the rows that differ.

A build runs in a worker or a thread, never on an event loop, and on a connection of its own. Of two builds of one
workspace the second gives up. Files that were read stay read when a build is interrupted.
"""

import contextlib
import hashlib
import json
import os
import posixpath
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import psycopg
from psycopg import Connection

from devassist.code_graph import facts as fact_format
from devassist.code_graph.facts import FileFacts, number_symbols
from devassist.code_graph.linking import LinkedCall, LinkedGraph, link
from devassist.code_graph.modules import BUILD_FILES, Modules, is_test
from devassist.code_graph.moves import Moves, find_moves, write_moves
from devassist.code_graph.reading import language_of, read_facts
from devassist.files import sources
from devassist.files.safe_open import open_file
from devassist.files.sources import Sources, Stamp
from devassist.syntax.parse import MAX_BYTES
from toolbox.contract.errors import ToolError
from toolbox.database.pools import direct_conninfo, owner_pool

BATCH_FILES = 200
PROGRESS_SECONDS = 0.5
MAX_BUILD_FILE_BYTES = 1_000_000
_LOCK = 0x6772_6170
_HALF = 32
"""The hexadecimal digits of one half of a digest."""
_BUILD_ENDINGS = tuple(BUILD_FILES)

_BEGIN = """
INSERT INTO devassist_graph_builds
  (workspace_id, root, state, files_done, files_total, content_hash, version, is_cut, note, updated_at)
VALUES (%(id)s, %(root)s, 'reading', 0, 0, '', 0, false, '', now())
ON CONFLICT (workspace_id) DO UPDATE SET root = excluded.root, state = 'reading', updated_at = now()
"""
_PROGRESS = """
UPDATE devassist_graph_builds SET state = %(state)s, files_done = %(done)s, files_total = %(total)s, updated_at = now()
WHERE workspace_id = %(id)s
"""
_END = """
UPDATE devassist_graph_builds
SET state = %(state)s, content_hash = %(hash)s, version = %(version)s, is_cut = %(is_cut)s,
  note = %(note)s, updated_at = now()
WHERE workspace_id = %(id)s
"""
_HOLD_WORKSPACE = b"SELECT 1 FROM devassist_workspaces WHERE id = %(id)s LIMIT 1 FOR KEY SHARE"
_KNOWN_FILES = f"""
SELECT id, path, content_hash, modified_ns, size FROM devassist_graph_files WHERE workspace_id = %(id)s
LIMIT {sources.MAX_FILES + 1}
"""  # noqa: S608 - a number of ours
_CALL_HASHES = f"""
SELECT id, calls_hash FROM devassist_graph_files WHERE workspace_id = %(id)s LIMIT {sources.MAX_FILES + 1}
"""  # noqa: S608 - a number of ours
_SAVE_FILE = """
INSERT INTO devassist_graph_files
  (workspace_id, path, language, content_hash, modified_ns, size, is_test, problem, facts, calls_hash)
VALUES
  (%(workspace)s, %(path)s, %(language)s, %(hash)s, %(modified)s, %(size)s, %(is_test)s, %(problem)s, %(facts)s, '')
ON CONFLICT (workspace_id, path) DO UPDATE SET content_hash = excluded.content_hash, modified_ns = excluded.modified_ns,
  size = excluded.size, problem = excluded.problem, facts = excluded.facts, calls_hash = ''
RETURNING id
"""
_FORGET_SYMBOLS = (
    """UPDATE devassist_graph_files SET calls_hash = ''
    WHERE id IN (SELECT file_id FROM devassist_graph_calls WHERE target_id = ANY(%(ids)s))""",
    "DELETE FROM devassist_graph_calls WHERE target_id = ANY(%(ids)s) OR caller_id = ANY(%(ids)s)",
    "DELETE FROM devassist_graph_bases WHERE symbol_id = ANY(%(ids)s) OR base_id = ANY(%(ids)s)",
    "UPDATE devassist_graph_symbols SET container_id = NULL WHERE container_id = ANY(%(ids)s)",
    "DELETE FROM devassist_graph_symbols WHERE id = ANY(%(ids)s)",
)
_COPY_SYMBOLS = """
COPY devassist_graph_symbols (id, workspace_id, file_id, container_id, number, name, qualified_name, kind, line,
  character, start_line, end_line, signature, handed_to) FROM STDIN
"""
_COPY_CALLS = """
COPY devassist_graph_calls (workspace_id, file_id, caller_id, callee_name, receiver, line, character, target_id,
  found_by, confidence, is_open) FROM STDIN
"""


class _WorkspaceGoneError(Exception):
    """The workspace was deleted while its graph was being built."""


@dataclass(slots=True)
class _File:
    """A known file: its row, and what is to be written of it."""

    id: int
    content_hash: str
    stamp: Stamp


@dataclass(slots=True)
class _Build:
    """A running build."""

    connection: Connection
    workspace: int
    root: str
    shows_secrets: bool
    known: dict[str, _File] = field(default_factory=dict)
    told: float = 0.0
    read: dict[str, FileFacts] = field(default_factory=dict)
    is_linked: bool = False
    """Whether the stored rows are those of the stored facts."""
    is_cut: bool = False
    """Whether a build file is too large to be read whole."""

    def run(self) -> None:
        found = look(self.root)
        digest = digest_of(found)
        self._load_known(found, digest=digest)
        gone = [path for path in self.known if path not in found.files or not is_source(path)]
        if gone:
            self._mark_unlinked()
        self._forget(gone)
        self._read_changed(found)
        is_cut = found.is_cut if self.is_linked else self._link(found)
        self._execute(_END, state="ready", hash=digest, version=fact_format.VERSION, is_cut=is_cut, note="")

    def _link(self, found: Sources) -> bool:
        """Link all files and write the rows that differ. Returns whether something was left out."""
        facts = self._all_facts()
        self._tell("linking", done=0, total=len(facts), at_once=True)
        modules = self._modules(found)
        done = iter(range(1, len(facts) + 1))
        linked = link(
            facts, modules=modules, on_progress=lambda: self._tell("linking", done=next(done), total=len(facts))
        )
        self._write(linked, facts=facts)
        return found.is_cut or linked.is_cut or self.is_cut

    def _execute(self, statement: str, **parameters: object) -> None:
        self.connection.execute(statement.encode(), {"id": self.workspace, **parameters})

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        """
        Begin a transaction that holds the workspace's row.

        Who deletes a workspace locks that row first too, so the two wait for one another and never both at once.
        """
        with self.connection.transaction():
            if self.connection.execute(_HOLD_WORKSPACE, {"id": self.workspace}).fetchone() is None:
                raise _WorkspaceGoneError
            yield

    def _tell(self, state: str, *, done: int, total: int, at_once: bool = False) -> None:
        """Write progress, at most as often as people look."""
        if at_once or time.monotonic() - self.told > PROGRESS_SECONDS:
            self.told = time.monotonic()
            self._execute(_PROGRESS, state=state, done=done, total=total)

    def _load_known(self, found: Sources, *, digest: str) -> None:
        row = self.connection.execute(
            b"SELECT version, content_hash, is_cut FROM devassist_graph_builds WHERE workspace_id = %(id)s LIMIT 1",
            {"id": self.workspace},
        ).fetchone()
        is_other = row is None or row[0] != fact_format.VERSION
        is_whole = row is not None and not row[2] and not found.is_cut
        self.is_linked = not is_other and is_whole and row is not None and row[1][_HALF:] == digest[_HALF:]
        for id_, path, content, modified, size in self.connection.execute(
            _KNOWN_FILES.encode(), {"id": self.workspace}
        ):
            self.known[path] = _File(id_, "" if is_other else content, (0, 0) if is_other else (modified, size))

    def _mark_unlinked(self) -> None:
        """Record, before facts change, that rows have to be linked again, also if this build does not end."""
        self.is_linked = False
        self._execute("UPDATE devassist_graph_builds SET content_hash = '' WHERE workspace_id = %(id)s")

    def _forget(self, paths: list[str]) -> None:
        ids = [self.known.pop(path).id for path in paths]
        for start in range(0, len(ids), BATCH_FILES):
            with self._transaction():
                self._forget_files(ids[start : start + BATCH_FILES])

    def _forget_files(self, ids: list[int]) -> None:
        self._forget_symbols_of(ids)
        self._execute("UPDATE devassist_graph_imports SET target_id = NULL WHERE target_id = ANY(%(ids)s)", ids=ids)
        for table in ("calls", "imports"):
            self._execute(f"DELETE FROM devassist_graph_{table} WHERE file_id = ANY(%(ids)s)", ids=ids)  # noqa: S608
        self._execute("DELETE FROM devassist_graph_files WHERE id = ANY(%(ids)s)", ids=ids)

    def _forget_symbols_of(self, files: list[int], *, keep: frozenset[int] = frozenset()) -> None:
        rows = self.connection.execute(
            b"SELECT id FROM devassist_graph_symbols WHERE file_id = ANY(%(ids)s)", {"ids": files}
        )
        ids = [row[0] for row in rows if row[0] not in keep]
        for statement in _FORGET_SYMBOLS if ids else ():
            self._execute(statement, ids=ids)

    def _read_changed(self, found: Sources) -> None:
        changed = [
            path for path, stamp in sorted(found.files.items())
            if language_of(path) and (path not in self.known or self.known[path].stamp != stamp)
        ]  # fmt: skip
        self._tell("reading", done=0, total=len(changed), at_once=True)
        for start in range(0, len(changed), BATCH_FILES):
            batch = changed[start : start + BATCH_FILES]
            read = {
                path: facts for path in batch if (facts := self._read_file(path, stamp=found.files[path])) is not None
            }
            moves = self._find_moves(read) if self.is_linked else {}
            if len(moves) < len(read):
                self._mark_unlinked()
            with self._transaction():
                self._save(read, found=found)
                for path, moved in moves.items():
                    write_moves(
                        self.connection, moves=moved, workspace=self.workspace, path=path, file=self.known[path].id
                    )  # fmt: skip
            self._tell("reading", done=start + len(batch), total=len(changed), at_once=True)

    def _find_moves(self, read: Mapping[str, tuple[str, FileFacts]]) -> dict[str, Moves]:
        """Return the files in which code has only moved."""
        ids = {self.known[path].id: path for path in read if path in self.known}
        statement = b"SELECT id, facts FROM devassist_graph_files WHERE id = ANY(%(ids)s)"
        found = {}
        for id_, data in self.connection.execute(statement, {"ids": list(ids)}):
            moves = find_moves(fact_format.decode(bytes(data)), new=read[ids[id_]][1])
            if moves is not None:
                found[ids[id_]] = moves
        return found

    def _read_file(self, path: str, *, stamp: Stamp) -> tuple[str, FileFacts] | None:
        """Read a file. Returns None if its text is unchanged."""
        try:
            with open_file(path, root=self.root, shows_secrets=self.shows_secrets) as descriptor:
                data = os.pread(descriptor, MAX_BYTES + 1, 0)
        except (ToolError, OSError):
            data = b""
        content = hashlib.sha256(data).hexdigest()
        known = self.known.get(path)
        if known is not None and known.content_hash == content:
            self._execute(
                "UPDATE devassist_graph_files SET modified_ns = %(modified)s, size = %(size)s WHERE id = %(file)s",
                modified=stamp[0], size=stamp[1], file=known.id,
            )  # fmt: skip
            return None
        return content, read_facts(data, path=path)

    def _save(self, read: Mapping[str, tuple[str, FileFacts]], *, found: Sources) -> None:
        fresh: list[tuple[int, FileFacts]] = []
        for path, (content, facts) in read.items():
            modified, size = found.files[path]
            row = self.connection.execute(
                _SAVE_FILE.encode(),
                {
                    "workspace": self.workspace, "path": path, "language": language_of(path), "hash": content,
                    "modified": modified, "size": size, "is_test": is_test(path), "problem": facts.problem,
                    "facts": fact_format.encode(facts),
                },
            ).fetchone()  # fmt: skip
            assert row is not None  # noqa: S101 - RETURNING gives a row
            self.known[path] = _File(row[0], content, (modified, size))
            self.read[path] = facts
            fresh.append((row[0], facts))
        self._save_symbols(fresh)

    def _save_symbols(self, fresh: list[tuple[int, FileFacts]]) -> None:
        """Write the symbols of files. Existing ones keep their id."""
        ids = [file for file, _ in fresh]
        rows = self.connection.execute(
            b"SELECT file_id, qualified_name, number, id FROM devassist_graph_symbols WHERE file_id = ANY(%(ids)s)",
            {"ids": ids},
        )
        known = {(file, name, number): id_ for file, name, number, id_ in rows}
        wanted = [(file, facts, number_symbols(facts)) for file, facts in fresh]
        missing = sum((file, *key) not in known for file, _, keys in wanted for key in keys)
        given = iter(self._new_ids(missing))
        made = {
            (file, *key): known.get((file, *key)) or next(given) for file, _, keys in wanted for key in keys
        }  # fmt: skip
        self._forget_symbols_of(ids, keep=frozenset(made.values()))
        kept = frozenset(known.values())
        lines = [
            line for file, facts, keys in wanted for line in self._symbol_lines(file, facts=facts, keys=keys, made=made)
        ]
        self._update_symbols([line for line in lines if line[0] in kept])
        with self.connection.cursor().copy(_COPY_SYMBOLS.encode()) as copy:
            for line in lines:
                if line[0] not in kept:
                    copy.write_row(line)

    def _symbol_lines(
        self, file: int, *, facts: FileFacts, keys: list[tuple[str, int]], made: Mapping[tuple[int, str, int], int]
    ) -> Iterator[tuple[object, ...]]:  # fmt: skip
        for symbol, key in zip(facts.symbols, keys, strict=True):
            container = made[(file, *keys[symbol.container])] if symbol.container >= 0 else None
            yield (
                made[(file, *key)], self.workspace, file, container, key[1], symbol.name, symbol.qualified_name,
                symbol.kind, symbol.line, symbol.character, symbol.start_line, symbol.end_line, symbol.signature, "",
            )  # fmt: skip

    def _update_symbols(self, lines: list[tuple[object, ...]]) -> None:
        with self.connection.cursor() as cursor:
            cursor.executemany(
                b"UPDATE devassist_graph_symbols SET container_id = %s, kind = %s, line = %s, character = %s, "
                b"start_line = %s, end_line = %s, signature = %s WHERE id = %s",
                [(line[3], *line[7:13], line[0]) for line in lines],
            )

    def _new_ids(self, count: int) -> list[int]:
        rows = self.connection.execute(
            b"SELECT nextval(pg_get_serial_sequence('devassist_graph_symbols', 'id')) "
            b"FROM generate_series(1, %(count)s) LIMIT %(count)s",
            {"count": count},
        )
        return [row[0] for row in rows]

    def _all_facts(self) -> dict[str, FileFacts]:
        """Return the facts of every file: those just read, the others from the database."""
        found = dict(self.read)
        left = [(file.id, path) for path, file in self.known.items() if path not in found]
        for start in range(0, len(left), BATCH_FILES):
            batch = dict(left[start : start + BATCH_FILES])
            statement = b"SELECT id, facts FROM devassist_graph_files WHERE id = ANY(%(ids)s)"
            for id_, data in self.connection.execute(statement, {"ids": list(batch)}):
                found[batch[id_]] = fact_format.decode(bytes(data))
        return found

    def _modules(self, found: Sources) -> Modules:
        builds = [path for path in found.files if posixpath.basename(path) in BUILD_FILES]
        return Modules.find_all(self.known, builds=builds, read=self._read_build_file)

    def _read_build_file(self, path: str) -> str | None:
        try:
            with open_file(path, root=self.root, shows_secrets=self.shows_secrets) as descriptor:
                data = os.pread(descriptor, MAX_BUILD_FILE_BYTES + 1, 0)
                self.is_cut = self.is_cut or len(data) > MAX_BUILD_FILE_BYTES
                return data.decode("utf-8", "replace")
        except (ToolError, OSError):
            return None

    def _write(self, linked: LinkedGraph, *, facts: Mapping[str, FileFacts]) -> None:
        """Write the rows of calls, bases and imports of files that differ."""
        symbols = self._symbol_ids(facts)
        hashes: dict[int, str] = dict(self.connection.execute(_CALL_HASHES.encode(), {"id": self.workspace}).fetchall())
        due: dict[str, str] = {}
        for path, rows in linked.calls.items():
            digest = self._digest(path, linked=linked, rows=rows, facts=facts, symbols=symbols)
            if hashes.get(self.known[path].id) != digest:
                due[path] = digest
        paths = sorted(due)
        for start in range(0, len(paths), BATCH_FILES):
            batch = paths[start : start + BATCH_FILES]
            with self._transaction():
                self._write_files(batch, linked=linked, facts=facts, symbols=symbols)
                for path in batch:
                    self._execute(
                        "UPDATE devassist_graph_files SET calls_hash = %(hash)s WHERE id = %(file)s",
                        hash=due[path], file=self.known[path].id,
                    )  # fmt: skip
            self._tell("linking", done=start + len(batch), total=len(paths))

    def _digest(
        self, path: str, *, linked: LinkedGraph, rows: list[LinkedCall], facts: Mapping[str, FileFacts],
        symbols: Mapping[str, list[int]],
    ) -> str:  # fmt: skip
        told = [
            [
                (row.caller, row.callee_name, row.line, row.character,
                 symbols[row.target[0]][row.target[1]] if row.target else 0, row.found_by, row.confidence, row.is_open)
                for row in rows
            ],
            linked.imports[path], symbols[path],
            [linked.bases.get((path, one.symbol)) for one in facts[path].classes],
            [linked.handed_on.get((path, index)) for index in range(len(symbols[path]))],
        ]  # fmt: skip
        return hashlib.sha256(json.dumps(told, default=str).encode()).hexdigest()

    def _symbol_ids(self, facts: Mapping[str, FileFacts]) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        paths = {self.known[path].id: path for path in facts}
        ids = list(paths)
        for start in range(0, len(ids), BATCH_FILES):
            batch = ids[start : start + BATCH_FILES]
            statement = (
                b"SELECT file_id, qualified_name, number, id FROM devassist_graph_symbols WHERE file_id = ANY(%(ids)s)"
            )
            by_key = {
                (file, name, number): id_
                for file, name, number, id_ in self.connection.execute(statement, {"ids": batch})
            }
            for file in batch:
                found[paths[file]] = [by_key[(file, *key)] for key in number_symbols(facts[paths[file]])]
        return found

    def _write_files(
        self,
        paths: Iterable[str],
        *,
        linked: LinkedGraph,
        facts: Mapping[str, FileFacts],
        symbols: Mapping[str, list[int]],
    ) -> None:
        paths = list(paths)
        ids = [self.known[path].id for path in paths]
        own = [symbol for path in paths for symbol in symbols[path]]
        self._execute("DELETE FROM devassist_graph_calls WHERE file_id = ANY(%(ids)s)", ids=ids)
        self._execute("DELETE FROM devassist_graph_imports WHERE file_id = ANY(%(ids)s)", ids=ids)
        self._execute("DELETE FROM devassist_graph_bases WHERE symbol_id = ANY(%(ids)s)", ids=own)
        self._execute("UPDATE devassist_graph_symbols SET handed_to = '' WHERE id = ANY(%(ids)s)", ids=own)
        handed_on = [
            (place, symbols[path][index]) for (path, index), place in linked.handed_on.items() if path in paths
        ]
        cursor = self.connection.cursor()
        cursor.executemany(b"UPDATE devassist_graph_symbols SET handed_to = %s WHERE id = %s", handed_on)
        with cursor.copy(_COPY_CALLS.encode()) as copy:
            for path in paths:
                for row in linked.calls[path]:
                    copy.write_row(
                        (
                            self.workspace, self.known[path].id, symbols[path][row.caller] if row.caller >= 0 else None,
                            row.callee_name, row.receiver, row.line, row.character,
                            symbols[row.target[0]][row.target[1]] if row.target else None, row.found_by, row.confidence,
                            row.is_open,
                        )
                    )  # fmt: skip
        with cursor.copy(
            b"COPY devassist_graph_bases (workspace_id, symbol_id, base_name, base_id) FROM STDIN"
        ) as copy:
            for (path, symbol), bases in linked.bases.items():
                for name, base in bases if path in set(paths) else ():
                    copy.write_row(
                        (self.workspace, symbols[path][symbol], name[:300], symbols[base[0]][base[1]] if base else None)
                    )
        columns = b"workspace_id, file_id, line, module, name, local_name, target_id"
        with cursor.copy(b"COPY devassist_graph_imports (" + columns + b") FROM STDIN") as copy:
            for path in paths:
                for one, target in zip(facts[path].imports, linked.imports[path], strict=True):
                    file = self.known[target].id if target else None
                    copy.write_row(
                        (self.workspace, self.known[path].id, one.line, one.module, one.name, one.local_name, file)
                    )


def build(workspace_id: int, *, root: str, shows_secrets: bool = False) -> bool:
    """Bring a workspace's graph up to date. Returns False if another process builds it or the workspace is gone."""
    with psycopg.connect(direct_conninfo(), autocommit=True) as connection:  # the lock is the session's
        row = connection.execute(b"SELECT pg_try_advisory_lock(%s, %s)", (_LOCK, workspace_id)).fetchone()
        if row is None or not row[0]:
            return False
        try:
            connection.execute(_BEGIN.encode(), {"id": workspace_id, "root": root})
            _Build(connection, workspace_id, os.path.realpath(root), shows_secrets).run()
        except (_WorkspaceGoneError, psycopg.errors.ForeignKeyViolation):
            return False
        except Exception as failed:
            told = {"state": "failed", "hash": "", "version": 0, "is_cut": False, "note": repr(failed)[:500]}
            connection.execute(_END.encode(), {"id": workspace_id, **told})
            raise
        finally:
            connection.execute(b"SELECT pg_advisory_unlock(%s, %s)", (_LOCK, workspace_id))
        return True


def build_stored(workspace_id: int) -> bool:
    """Bring a workspace's graph up to date by its row. Returns False if it is gone or another process builds it."""
    with psycopg.connect(owner_pool.conninfo(), autocommit=True) as connection:
        statement = b"SELECT root, shows_secrets FROM devassist_workspaces WHERE id = %(id)s LIMIT 1"
        row = connection.execute(statement, {"id": workspace_id}).fetchone()
    return row is not None and build(workspace_id, root=os.path.realpath(row[0]), shows_secrets=row[1])


def look(root: str) -> Sources:
    """List the files of a workspace that the graph is made of."""
    return sources.look(os.path.realpath(root), wanted=is_wanted)


def is_wanted(path: str) -> bool:
    """Return whether the graph includes the file."""
    return is_source(path) or posixpath.basename(path) in BUILD_FILES


def is_source(path: str) -> bool:
    """Return whether the graph reads symbols and calls from the file."""
    return bool(language_of(path))


def digest_of(found: Sources) -> str:
    """Return a digest of the files' names, sizes and modification times, its second half that of the build files."""
    halves: tuple[list[str], list[str]] = ([], [])
    for path, (modified, size) in sorted(found.files.items()):
        halves[path.endswith(_BUILD_ENDINGS) and not is_source(path)].append(f"{path}\0{modified}\0{size}\n")
    return "".join(hashlib.sha256("".join(lines).encode()).hexdigest()[:_HALF] for lines in halves)
