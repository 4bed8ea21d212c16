"""Checks of workspace roots."""

import os
from pathlib import Path

_SYSTEM = tuple(map(Path, ("/proc", "/sys", "/dev", "/run", "/etc", "/boot")))


def problem_of_root(root: str) -> str:
    """Say why a folder cannot be a workspace's root. Empty if it can. Looks at the disk."""
    if "\0" in root or not Path(root).is_absolute():
        return "A root is an absolute path, such as /srv/projects/shop."
    real = Path(os.path.realpath(root))
    if not real.is_dir():
        return "There is no such folder on this machine."
    if not os.access(real, os.R_OK | os.X_OK):
        return "The server may not read that folder."
    if real == Path("/") or any(real.is_relative_to(system) for system in _SYSTEM):
        return "That folder belongs to the system, not to a project."
    return ""
