"""
The index of docs/decisions, by package. `python -m tests.architecture.decisions` writes it.

A decision is `NNNN-title.md`: a title, a line `Package: name`, then Context, Decision, Turned down and Evidence as far
as there is something to say.
"""

import re
from collections import defaultdict

from tests.architecture.sources import ROOT

FOLDER = ROOT / "docs" / "decisions"
INDEX = FOLDER / "README.md"
HEAD = """# Decisions

Why Toolroom is built as it is: what was decided, what was turned down, and on what evidence.
`docs/architecture.md` shows where everything is. Figures are in `benchmarks/README.md`.

A new decision takes the next free number and a line `Package:`; `python -m tests.architecture.decisions` writes this
index.
"""
_FORM = re.compile(r"# (?P<title>[^\n]+)\n\nPackage: (?P<packages>[^\n]+)\n\n")


def read_decisions() -> dict[str, list[tuple[str, str]]]:
    """Return file name and title of each decision by package. Raises ValueError for a file of another form."""
    packages: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for path in sorted(FOLDER.glob("*.md")):
        if path == INDEX:
            continue
        form = _FORM.match(path.read_text(encoding="utf-8"))
        if not form or not re.fullmatch(r"\d{4}-[a-z0-9-]+\.md", path.name):
            raise ValueError(f"{path.name} has not the form of a decision")
        for package in form["packages"].split(", "):
            packages[package].append((path.name, form["title"]))
    return dict(packages)


def render_index() -> str:
    """Render the index from the files."""
    sections = [
        f"## {package}\n\n" + "".join(f"- [{name[:4]}]({name}) {title}\n" for name, title in decisions)
        for package, decisions in sorted(read_decisions().items())
    ]
    return "\n".join([HEAD, *sections])


if __name__ == "__main__":
    INDEX.write_text(render_index(), encoding="utf-8")
