"""Source files of a workspace, by name alone. No link is followed and nothing is opened."""

import os
from itertools import islice
from pathlib import PurePath

from devassist.files.secrets import looks_secret
from devassist.syntax.grammars import grammar_of

MAX_FILES = 5_000
MAX_FOLDERS = 5_000
_NOT_OURS = {"node_modules", "build", "dist", "target", "out", "venv", "__pycache__"}


def source_files(root: str) -> list[str]:
    """Yield paths from the root, folder by folder, of supported languages, at most 5,000."""
    found: list[str] = []
    for folder, folders, names in islice(os.walk(root), MAX_FOLDERS):
        folders[:] = sorted(name for name in folders if name not in _NOT_OURS and not name.startswith("."))
        paths = [os.path.relpath(os.path.join(folder, name), root) for name in sorted(names) if grammar_of(name)]  # noqa: PTH118
        found += [path for path in paths if not looks_secret(list(PurePath(path).parts))]
        if len(found) >= MAX_FILES:
            break
    return found[:MAX_FILES]
