"""The entry of a root cause in files. Imports no Django."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from hashlib import sha256
from json import dumps
from typing import Any
from unicodedata import normalize

LONGEST = {
    "language": 40,
    "error_type": 200,
    "error_description": 20_000,
    "root_cause": 20_000,
    "solution": 20_000,
    "fixed_in": 500,
}
"""The texts of an entry, with the maximum characters of each."""

STATUSES = ("proposed", "validated", "retired")
NAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$")

_LANGUAGES = {
    "kt": "kotlin", "kts": "kotlin", "ts": "typescript", "tsx": "typescript", "js": "javascript", "jsx": "javascript",
    "node": "javascript", "nodejs": "javascript", "py": "python", "python3": "python", "golang": "go", "rs": "rust",
    "c#": "csharp", "cs": "csharp", "groovy": "gradle", "gradle-kts": "gradle",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A person's text about an error, with a stable id. Without a time it gets the time of storing."""

    id: str
    language: str
    error_type: str
    error_description: str
    root_cause: str
    solution: str
    fixed_in: str
    confidence: float
    status: str
    created_at: datetime | None

    @property
    def text(self) -> str:
        """The text that is embedded and searched. The error comes first, because the model reads 256 tokens."""
        kind = "" if self.error_type.lower() in self.error_description.lower() else f"{self.error_type}: "
        return f"{kind}{self.error_description}\n{self.root_cause}\n{self.solution}"

    @property
    def text_hash(self) -> str:
        """The hash of the text."""
        return sha256(self.text.encode()).hexdigest()

    @property
    def digest(self) -> str:
        """The hash of all fields."""
        return sha256(dumps(asdict(self), sort_keys=True, default=str).encode()).hexdigest()

    def as_json(self) -> dict[str, Any]:
        """Return the form that export writes and ingestion reads."""
        return {
            "id": self.id,
            "language": self.language,
            "errorType": self.error_type,
            "errorDescription": self.error_description,
            "rootCause": self.root_cause,
            "solution": self.solution,
            "fixedIn": self.fixed_in,
            "confidence": self.confidence,
            "status": self.status,
            "createdAt": self.created_at and self.created_at.isoformat().replace("+00:00", "Z"),
        }


def proposal_id(fields: Mapping[str, str]) -> str:
    """
    Return the id of a proposal by its content: the same text is one proposal, from any key and at any confidence.

    Case, whitespace and Unicode's ways to write a character make no difference.
    """
    said = [language_key(fields["language"]), error_key(fields["error_type"])]
    said += [fields[name] for name in ("error_description", "root_cause", "solution")]
    plain = "\x00".join(" ".join(normalize("NFKC", text).casefold().split()) for text in said)
    return f"proposed-{sha256(plain.encode()).hexdigest()[:16]}"


def language_key(language: str) -> str:
    """Return the name that filters use for a language: `TS` is typescript."""
    lowered = language.strip().lower()
    return _LANGUAGES.get(lowered, lowered)


def error_key(error_type: str) -> str:
    """Return the name that filters use for an error type, without its package: java.lang.X is x."""
    return error_type.strip().rpartition(".")[2].lower()
