"""
Rule 11 of the house: documents, pages, messages, docstrings and comments are plain English.

`python -m tests.architecture.prose [folder ...]` lists what it refuses.
"""

import ast
import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.sources import CODE, files, name_of

PHRASES = {
    r"mend(s|ed|ing)?": "fix",
    r"whoever|whomever": "name the subject",
    r"whereupon|thereby|whereby|wherein|therein": "two sentences",
    r"as whom": "name the caller",
    r"(in|of) which none": "name the subject",
    r"(was|were|is|are) wanted": "the target is",
    r"dear|dearer|dearest": "expensive",
    r"for instance": "for example",
    r"lanes?": "middleware or pool",
    r"bells?": "listener or notification",
    r"desks?": "search",
    r"doors?": "endpoint",
    r"ledgers?": "pool or log",
    r"walls?|walled in": "lockdown",
    r"faces?": "transport",
    r"tellings?": "events",
    r"keepers?": "watchdog",
    r"nowhere": "not found, or in no …",
    r"misshapen": "malformed",
    r"hung": "subscribed",
    r"(let|lets|letting)( \w+)? in": "allow",
    r"what it came to": "results",
    r"(grown?|grew) old": "expired",
    r"carr(y|ies|ied|ying) on": "continue or execute",
    r"stays? done": "is committed",
    r"a lie": "false",
    r"(is|are) content": "passes",
    r"no part of": "not in",
    r"white space": "whitespace",
}
_BANNED = re.compile(rf"\b({'|'.join(f'(?:{phrase})' for phrase in PHRASES)})\b", re.IGNORECASE)
_TEXTS = {".md", ".html", ".txt", ".js", ".css", ".sql", ".toml", ".example", ".sh"}
DOCUMENTS = (
    "README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", ".env.example", ".ci/", ".github/", "editors/",
    "benchmarks/", "docs/architecture.md", "docs/operations.md", "docs/decisions/", "manage.py",
)  # fmt: skip
_FOLDERS = tuple(f"{tests}{name}/" for name in (*CODE, "architecture") for tests in ("", "tests/"))
EXEMPT = {
    "sprints/semantics/questions/words.toml": "words that people write",
    "sprints/semantics/questions/rewrites.toml": "constructions that people write",
    "sprints/semantics/questions/synonyms.toml": "words that people write",
    "tests/architecture/names.py": "lists the banned words",
    "tests/architecture/prose.py": "lists the banned phrases",
    "tests/architecture/test_names.py": "its bad examples use the banned words",
    "tests/architecture/test_prose.py": "its bad examples use the banned phrases",
}
Offence = tuple[int, str, str]


def check_text(text: str, *, first_line: int = 1) -> list[Offence]:
    """List the line, the phrase and the plain word for each banned phrase of a text."""
    flat = re.sub(r"\n[ \t]*#?[ \t]*", "\n", text)  # a phrase may be wrapped
    return [
        (first_line + flat[: match.start()].count("\n"), match[0], _find_plain_word(match[0]))
        for match in _BANNED.finditer(flat.replace("\n", " "))
    ]


def check_python(source: str) -> list[Offence]:
    """List the banned phrases in the strings, docstrings and comments of a Python file."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found += check_text(node.value, first_line=node.lineno)
    for first_line, comment in _read_comments(source):
        found += check_text(comment, first_line=first_line)
    return sorted(set(found))


def check_file(path: Path) -> list[Offence]:
    """List the banned phrases of a file of the repository."""
    text = path.read_text(encoding="utf-8")
    return check_python(text) if path.suffix == ".py" else check_text(text)


def is_checked(path: Path) -> bool:
    """Return whether the rule is on for a file."""
    name = name_of(path)
    if name in EXEMPT or (path.suffix != ".py" and path.suffix not in _TEXTS and name != ".env.example"):
        return False
    return path.parent.name != "migrations" and name.startswith((*_FOLDERS, *DOCUMENTS))


def _find_plain_word(found: str) -> str:
    return next(plain for phrase, plain in PHRASES.items() if re.fullmatch(phrase, found, re.IGNORECASE))


def _read_comments(source: str) -> Iterator[tuple[int, str]]:
    """Yield each comment, with comments on following lines joined to it: a phrase may be wrapped."""
    start, last, lines = 0, 0, list[str]()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        if token.start[0] != last + 1 and lines:
            yield start, "\n".join(lines)
            lines = []
        start, last = token.start[0] if not lines else start, token.start[0]
        lines.append(token.string)
    if lines:
        yield start, "\n".join(lines)


def main(folders: list[str]) -> int:
    """Print every offence of the given folders, or of all files where the rule is on."""
    counts: Counter[str] = Counter()
    for path in files():
        if is_checked(path) and name_of(path).startswith(tuple(folders) or ""):
            for line, phrase, plain in check_file(path):
                counts["/".join(name_of(path).split("/")[:2])] += 1
                print(f"{name_of(path)}:{line}: {phrase!r}: {plain}")
    print(*(f"{count:5} {folder}" for folder, count in sorted(counts.items())), sep="\n")
    return 1 if counts else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
