"""
Masking of other people's command lines: recall, and lines that change though nothing in them is secret.

    .venv/bin/python -m benchmarks.masking TLDR_PAGES_FOLDER

Takes a clone of tldr-pages: its examples have placeholders such as `{{password}}`, which say what is secret.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from toolbox.text.redaction import mask_secrets

VALUE = "Zq7kWp2xGh"
_SECRET = re.compile(
    r"(?:^|[_\s:%])(?:pass(?:word|wd|phrase|code)?|pwd|(?:\w+_)?token|api_?key|secret(?:_key)?|your_secret)$", re.I
)
_NOT_SECRET = re.compile(r"path|file|name$|_id$|\d\d|\||=|\.\.\.|count|number")
_CHOICE = re.compile(r"\{\{\[([^\]|]*)\|([^\]]*)\]\}\}")
_PLACEHOLDER = re.compile(r"\{\{([^{}]*)\}\}")


def main(folder: Path) -> None:
    """Print how many secrets are masked, and how many lines without one are changed."""
    secrets = masked = plain = changed = 0
    for command, count in _commands(folder):
        result = mask_secrets(command)
        secrets += count
        masked += count - result.count(VALUE)
        plain += not count
        changed += not count and result != command
    print(f"{masked} of {secrets} secrets masked; {changed} of {plain} lines without a secret changed")


def _commands(folder: Path) -> Iterator[tuple[str, int]]:
    """Yield each example with short and with long options, and how many secrets it has."""
    for page in sorted((folder / "pages").rglob("*.md")):
        for line in page.read_text(encoding="utf-8").splitlines():
            if not (line.startswith("`") and line.endswith("`")):
                continue
            for chosen in {_CHOICE.sub(rf"\{part}", line[1:-1]) for part in (1, 2)}:
                filled = _PLACEHOLDER.sub(lambda found: _fill(found[1]), chosen)
                yield filled, filled.count(VALUE)


def _fill(name: str) -> str:
    if not _SECRET.search(name) or _NOT_SECRET.search(name):
        return name.split("|", maxsplit=1)[0].split(" ", maxsplit=1)[0]
    return re.sub(r"[A-Za-z_]+$", VALUE, name) if ":" in name or "%" in name else VALUE


if __name__ == "__main__":
    main(Path(sys.argv[1]))
