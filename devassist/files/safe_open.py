"""
Safe opening of a file below a root, for any path and even while links change.

Each segment is opened relative to the descriptor of its folder, never by its whole path and without following links.
A link is read and resolved by the same rules. So the file that is checked is the file that is opened.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import PurePosixPath

from devassist.files.hard_links import is_linked_elsewhere
from devassist.files.refusals import is_folder, not_found, outside, refuse_linked, secret, unreadable
from devassist.files.secrets import looks_secret

MAX_LINKS = 40
"""The number of links that Linux follows before it reports a loop."""
MAX_SEGMENTS = 256

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_ABSENT = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL)


@contextmanager
def open_file(path: str, *, root: str, shows_secrets: bool = False) -> Iterator[int]:
    """
    Open a regular file for reading and yield its descriptor, which is closed at the end of the block.

    Raises ToolError FILE_NOT_FOUND and PERMISSION_DENIED, the latter also where the block cannot read the file; what
    lies outside of `root` is refused in the same words whether it exists or not.
    """
    with ExitStack() as stack:
        walk = _Walk(path, root=root, shows_secrets=shows_secrets, stack=stack)
        descriptor = walk.open()
        try:
            yield descriptor
        except OSError as error:
            raise unreadable(path) from error


class _Walk:
    """The resolution of one path from the root. `places` are the folders entered, by name and descriptor."""

    def __init__(self, path: str, *, root: str, shows_secrets: bool, stack: ExitStack) -> None:
        self._path = path
        self._root = os.path.realpath(root)
        self._shows_secrets = shows_secrets
        self._stack = stack
        self._links = 0
        self._places: list[tuple[str, int]] = []
        self._top = -1
        self._left: list[str] = []

    def open(self) -> int:
        """Resolve the path and return the file's descriptor."""
        self._left = self._segments()
        try:
            self._top = self._keep(os.open(self._root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
            while len(self._left) > 1:
                self._step()
            return self._file()
        except (OSError, ValueError) as error:
            raise self._refusal(error) from error

    def _segments(self) -> list[str]:
        """Return the path's segments, last first. A path that leaves the root by its text is refused."""
        if self._path.startswith("/"):
            raise outside(self._path)
        segments = [segment for segment in self._path.split("/") if segment not in ("", ".")]
        if ".." in segments:
            raise outside(self._path)
        if not segments or "\0" in self._path or len(segments) > MAX_SEGMENTS:
            raise not_found(self._path)
        return segments[::-1]

    def _step(self) -> None:
        """Enter the next folder, go up, or follow a link."""
        name = self._left.pop()
        if name == "..":
            if not self._places:
                raise outside(self._path)
            self._places.pop()
        elif stat.S_ISLNK(self._mode(name)):
            self._turn(name)
        else:
            self._places.append((name, self._keep(os.open(name, _FOLDER, dir_fd=self._current_folder))))

    def _file(self) -> int:
        """Open the last segment, following links."""
        while True:
            name = self._left[0]
            if name == "..":
                raise is_folder(self._path)
            mode = self._mode(name)
            if stat.S_ISLNK(mode):
                self._left.pop()
                self._turn(name)
                while len(self._left) > 1:
                    self._step()
                if not self._left:
                    raise is_folder(self._path)
                continue
            return self._regular(name, mode=mode)

    def _regular(self, name: str, *, mode: int) -> int:
        if stat.S_ISDIR(mode):
            raise is_folder(self._path)
        if not stat.S_ISREG(mode):
            raise unreadable(self._path)
        if not self._shows_secrets and looks_secret([*(place for place, _ in self._places), name]):
            raise secret(self._path)
        descriptor = self._keep(os.open(name, _FILE, dir_fd=self._current_folder))
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):  # swapped since it was looked at
            raise unreadable(self._path)
        if status.st_nlink > 1 and not self._shows_secrets and is_linked_elsewhere(status, root=self._root):
            raise refuse_linked(self._path)
        return descriptor

    def _turn(self, name: str) -> None:
        """Put a link's target in front of the remaining segments."""
        self._links += 1
        if self._links > MAX_LINKS:
            raise unreadable(self._path)
        target = PurePosixPath(os.readlink(name, dir_fd=self._current_folder))
        if target.is_absolute():
            if not target.is_relative_to(self._root):
                raise outside(self._path)
            target = target.relative_to(self._root)
            self._places.clear()
        if len(target.parts) + len(self._left) > MAX_SEGMENTS:
            raise unreadable(self._path)
        self._left.extend(reversed(target.parts))

    def _mode(self, name: str) -> int:
        return os.stat(name, dir_fd=self._current_folder, follow_symlinks=False).st_mode

    @property
    def _current_folder(self) -> int:
        return self._places[-1][1] if self._places else self._top

    def _keep(self, descriptor: int) -> int:
        self._stack.callback(os.close, descriptor)
        return descriptor

    def _refusal(self, error: OSError | ValueError) -> Exception:
        if isinstance(error, OSError) and error.errno not in _ABSENT:
            return unreadable(self._path)
        return not_found(self._path)
