"""
Detection of secret files by name.

The rules are regular expressions in `secret_files.json`. The editor's extension reads a copy, which a test compares.
They match whole names in lower case.
"""

import json
import re
from pathlib import Path

_RULES = json.loads((Path(__file__).parent / "secret_files.json").read_text())
_NAMES, _FOLDERS, _IN_GIT = (re.compile("|".join(_RULES[kind])) for kind in ("names", "folders", "inGit"))
_COPY = re.compile(f"(?:{_RULES['copies']})+$")
_EXAMPLES = re.compile(_RULES["examples"])


def looks_secret(segments: list[str]) -> bool:
    """Return whether a path, given as segments, names a file for secrets. Examples of such files do not count."""
    if not segments:
        return False
    # Some file systems do not tell cases apart, nor trailing dots and spaces.
    *folders, name = (segment.lower() for segment in segments)
    plain = name.rstrip(". ")
    if any(_FOLDERS.fullmatch(folder) for folder in folders):
        return True
    if ".git" in folders and _IN_GIT.fullmatch(plain):
        return True
    original = _COPY.sub("", plain)
    # An editor's swap file is the name with a dot before it.
    named = any(_NAMES.fullmatch(one) for one in (plain, original, original.removeprefix(".")))
    return named and not _EXAMPLES.fullmatch(plain)
