"""What a question that has no query could mean, where a word of it is vague or the data has nothing of the kind."""

from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from tomllib import loads

import regex

from sprints.linking.link import LinkedQuestion

_TEAM = "{of_team}"
_STATUS = regex.compile(
    r"\b(?:in|for|on|into|to|from) (?:a |the )?(?:code )?"
    r"(?:review|testing|test|development|deployment|analysis|refinement|acceptance|approval|sign-?off)\b",
    regex.IGNORECASE,
)
NO_STATUS = "I know no status '{said}'. Name one of the statuses: {listed}."
MAX_STATUSES = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class VagueWord:
    """How something vague is said, what could be meant, and questions that are answered instead."""

    pattern: regex.Pattern[str]
    why: str
    instead: tuple[str, ...]
    example: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """A sentence that asks what is meant, and questions that are answered."""

    why: str
    instead: tuple[str, ...] = ()


@lru_cache(maxsize=1)
def list_vague_words() -> tuple[VagueWord, ...]:
    """Return the entries of vague_words.toml."""
    text = (files("sprints.asking") / "vague_words.toml").read_text(encoding="utf-8")
    return tuple(
        VagueWord(
            pattern=regex.compile(one["pattern"], regex.IGNORECASE), why=one["why"], instead=tuple(one["instead"]),
            example=one["example"],
        )
        for one in loads(text)["vague"]
    )  # fmt: skip


def find_hint(linked: LinkedQuestion, *, statuses: tuple[str, ...]) -> Hint | None:
    """Return what a question without a query could mean. `statuses` are those of the data. None if nothing says."""
    text = linked.text.strip(" ?.!")
    teams = linked.list_asked_teams()
    of_team = f" of {teams[0].text}" if len(teams) == 1 else ""
    for one in list_vague_words():
        if one.pattern.search(text):
            return Hint(why=one.why, instead=tuple(said.replace(_TEAM, of_team) for said in one.instead))
    found = None if linked.of_kind("status") else _STATUS.search(text)
    if found and statuses:
        listed = ", ".join(statuses[:MAX_STATUSES])
        return Hint(why=NO_STATUS.format(said=found[0].partition(" ")[2], listed=listed))
    return None
