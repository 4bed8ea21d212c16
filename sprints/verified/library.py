"""The library of verified queries as a process holds it, and the files that ship with the project."""

import tomllib
from hashlib import sha256
from importlib.resources import files
from json import dumps
from typing import Any

from sprints.linking.kept import Kept
from sprints.verified import queries
from sprints.verified.matching import Library, Verified
from toolbox.database.pools import Pool

MEMORY_SECONDS = 4.0
_libraries: Kept[Library] = Kept(seconds=MEMORY_SECONDS)
_known: dict[str, Verified] = {}
MAX_KNOWN = 5_000


async def library(*, reader: Pool) -> Library:
    """Give the enabled queries; a change in the admin is seen within some seconds."""

    async def make() -> Library:
        return Library.of([_verified(row) for row in await queries.enabled(reader=reader)])

    return await _libraries.get(reader.conninfo(), make)


def shipped() -> list[dict[str, Any]]:
    """Read the verified queries that ship with the project, complete with what their file leaves out."""
    folder = files("sprints") / "samples" / "verified"
    texts = [file.read_text(encoding="utf-8") for file in sorted(folder.iterdir(), key=lambda file: file.name)]
    rows = [row for text in texts for row in tomllib.loads(text)["query"]]
    return [{"phrasings": [], "slots": {}, "assumptions": []} | row | {"sql": row["sql"].strip()} for row in rows]


def digest(content: dict[str, Any]) -> str:
    """Hash what a query says, to tell whether a person has changed it."""
    return sha256(dumps(content, sort_keys=True).encode()).hexdigest()


def _verified(row: dict[str, Any]) -> Verified:
    """Read a row's wordings once, however often the library is read."""
    mark = digest(
        {name: row[name] for name in ("slug", "topic", "question", "phrasings", "sql", "slots", "assumptions")}
    )
    if mark not in _known:
        if len(_known) > MAX_KNOWN:
            _known.clear()
        _known[mark] = Verified.of(row)
    return _known[mark]
