"""Source files of a workspace, read safely. Parsed trees are cached until the file changes."""

import os
import re
import sys
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping

from devassist.callers.code import Code, Mention
from devassist.files.read_lines import read_source
from devassist.files.safe_open import open_file
from devassist.syntax.parse import MAX_BYTES
from toolbox.contract.errors import ToolError

MAX_PARSED = 200
MAX_MENTIONED = 50_000
"""The maximum cached pairs of a name and a file."""

Stamp = tuple[int, int]
_WORD = re.compile(r"[^\W\d][\w$]*")
_NONE: frozenset[str] = frozenset()


class SourceFiles:
    """The files below one root. Thread-safe."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._parsed: OrderedDict[str, tuple[Stamp, Code]] = OrderedDict()
        self._broken: dict[str, tuple[Stamp, bool]] = {}
        self._words: dict[str, tuple[Stamp, frozenset[str] | None]] = {}
        self._mentions: OrderedDict[tuple[str, str], tuple[Stamp, tuple[Mention, ...]]] = OrderedDict()
        self._last: tuple[Mapping[str, Stamp], list[tuple[str, frozenset[str]]]] = ({}, [])
        self._lock = threading.Lock()

    def text(self, path: str) -> bytes | None:
        """Read the file. Returns None if it may not be read or is too large."""
        found = self._read(path)
        return found[1] if found else None

    def code(self, path: str, *, stamp: Stamp | None = None) -> Code | None:
        """Parse the file. Returns None if that fails. A cached tree with the same stamp is used."""
        with self._lock:
            known = self._parsed.get(path)
            if known and known[0] == stamp:
                self._parsed.move_to_end(path)
                return known[1]
        found = self._read(path)
        if found is None:
            return None
        stamp, text = found
        if known and known[0] == stamp:
            return known[1]
        code = Code.parse(text, path=path)
        if code is None:
            return None
        with self._lock:
            self._parsed[path] = (stamp, code)
            self._broken[path] = (stamp, not code.is_whole)
            while len(self._parsed) > MAX_PARSED:
                self._parsed.popitem(last=False)
        return code

    def find_mentioning(self, names: Iterable[str], *, files: Mapping[str, Stamp]) -> list[str]:
        """Return the files that contain one of the names as a word. Words of files are cached by stamp."""
        wanted = set(names)
        known, words = self._last
        if known is not files:
            words = [(path, self.words_of(path, stamp=stamp) or _NONE) for path, stamp in files.items()]
            self._last = (files, words)
        return [path for path, said in words if not wanted.isdisjoint(said)]

    def mentions(self, name: str, *, path: str, stamp: Stamp) -> tuple[Mention, ...]:
        """Return where the name occurs in the file, cached by stamp, because trees are too large to cache."""
        with self._lock:
            known = self._mentions.get((name, path))
        if known is None or known[0] != stamp:
            code = self.code(path, stamp=stamp)
            known = (stamp, tuple(code.mentions(name)) if code else ())
        with self._lock:
            self._mentions[name, path] = known
            self._mentions.move_to_end((name, path))
            while len(self._mentions) > MAX_MENTIONED:
                self._mentions.popitem(last=False)
        return known[1]

    def is_broken(self, path: str, *, stamp: Stamp) -> bool:
        """Return whether the file does not parse, cached by stamp."""
        known = self._broken.get(path)
        if known is None or known[0] != stamp:
            known = (stamp, self._does_not_parse(path))
            self._broken[path] = known
        return known[1]

    def words_of(self, path: str, *, stamp: Stamp) -> frozenset[str] | None:
        """Return the words of a file, cached by stamp. None if it may not be read or is too large."""
        known = self._words.get(path)
        if known is None or known[0] != stamp:
            text = self.text(path)
            words = None if text is None else frozenset(map(sys.intern, _WORD.findall(text.decode(errors="replace"))))
            known = self._words[path] = (stamp, words)
        return known[1]

    def _does_not_parse(self, path: str) -> bool:
        """Parse without caching the tree, since this is done for every file."""
        text = self.text(path)
        code = Code.parse(text, path=path) if text is not None else None
        return code is None or not code.is_whole

    def _read(self, path: str) -> tuple[Stamp, bytes] | None:
        try:
            with open_file(path, root=self.root) as descriptor:
                found = os.fstat(descriptor)
                return (found.st_mtime_ns, found.st_size), read_source(descriptor, path=path, limit=MAX_BYTES)
        except ToolError:
            return None
