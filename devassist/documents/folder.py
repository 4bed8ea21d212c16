"""Files of a documentation folder, up to a limit. Symbolic links are not followed."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from devassist.documents.pages import MAX_PAGE, SUFFIXES, NotAPage, Page, read_page

MAX_FILES = 20_000


class TooManyFiles(ValueError):
    """The folder holds more pages than one ingestion may have."""


@dataclass(slots=True)
class FolderReport:
    """The files that could not be read, with reasons; the first hundred."""

    skipped: list[str] = field(default_factory=list)
    skipped_count: int = 0

    def skip(self, path: str, *, reason: str) -> None:
        """Record a skipped file."""
        self.skipped_count += 1
        if len(self.skipped) < 100:  # noqa: PLR2004 - said in the docstring
            self.skipped.append(f"{path}: {reason}")


def pages_below(folder: Path, *, report: FolderReport) -> Iterator[Page]:
    """Yield every Markdown and HTML file below the folder, in order of their paths. Raises TooManyFiles."""
    for count, path in enumerate(_files(folder)):
        if count >= MAX_FILES:
            raise TooManyFiles(f"the folder holds more than {MAX_FILES:,} pages; ingest its parts")
        name = path.relative_to(folder).as_posix()
        try:
            yield read_page(name, data=_bytes(path))
        except NotAPage as left_out:
            report.skip(name, reason=str(left_out))
        except (OSError, UnicodeEncodeError) as unreadable:
            report.skip(repr(name), reason=f"it cannot be read: {unreadable}")


def _bytes(path: Path) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        return file.read(MAX_PAGE + 1)


def _files(folder: Path) -> Iterator[Path]:
    for here, folders, names in os.walk(folder, followlinks=False):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "node_modules")
        for name in sorted(names):
            path = Path(here, name)
            if path.suffix.lower() in SUFFIXES and path.is_file() and not path.is_symlink():
                yield path
