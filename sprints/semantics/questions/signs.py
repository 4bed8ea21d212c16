"""Signs, short units and fixed expressions that are written as plain words before a question is linked."""

import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

import regex

from sprints.linking.folding import name_words
from sprints.linking.names import NameIndex

MAX_RANGE = 20
_RANGE = regex.compile(
    r"(?<![\w-])(?P<stem>[^\W\d_]+ ?)(?P<first>\d{1,2})s?"
    r"(?: ?(?:[-\u2013\u2014]|\.{2,3}|\u2026) ?|(?<!\b(?:from|went|\w+ed|\w+ing) \w+) (?:to|up to|through|thru) )"
    r"(?P=stem)(?P<last>\d{1,2})s?(?![\w-])",
    regex.IGNORECASE,
)
"""Two numbered names between which others may lie: p1-p3, p1 to p3. From p1 to p3 may be a change."""
_RUNNING = regex.compile(
    r"\bthe sprint (?:(?:that|which)(?:['\u2019]s| is)(?: currently| now)? (?:running|active|under ?way|going on)"
    r"|(?:that |which )?(?:it|they|we)(?:['\u2019]s|['\u2019]re| is| are)(?: currently| now)? (?:working on|in))\b",
    regex.IGNORECASE,
)
_ON = r"(?<=\b(?:before|by|until|till|after|since|on) )"
_SIGNS = (
    (regex.compile(r",? *\bi\.? ?e\b\.?,?", regex.IGNORECASE), ","),
    (regex.compile(r"->|\u2192"), " to "),
    (regex.compile(r"\bany of (?:those|these)(?= (?:have|has|is|are|were|got)\b)", regex.IGNORECASE), "any of them"),
    (regex.compile(r"\b(?:a )?dozen\b", regex.IGNORECASE), "12"),
    (regex.compile(rf"{_ON}christmas eve\b", regex.IGNORECASE), "24 December"),
    (regex.compile(rf"{_ON}(?:christmas|xmas)(?: day)?\b", regex.IGNORECASE), "25 December"),
    (regex.compile(rf"{_ON}new year['\u2019]?s eve\b", regex.IGNORECASE), "31 December"),
    (regex.compile(rf"{_ON}new year(?:['\u2019]?s(?: day)?)?\b", regex.IGNORECASE), "1 January"),
    (regex.compile(r"(?:!=|<>|\u2260) ?(?=\d)"), " other than "),
    (regex.compile(r"(?:>=|=>|\u2265) ?(?=\d)"), " at least "),
    (regex.compile(r"(?:<=|=<|\u2264) ?(?=\d)"), " at most "),
    (regex.compile(r"> ?(?=\d)"), " more than "),
    (regex.compile(r"< ?(?=\d)"), " less than "),
    (regex.compile(r"==? ?(?=\d)"), " exactly "),
    (regex.compile(r"(?<![\w.-])(\d{1,4}) ?d(?![\w-])", regex.IGNORECASE), r"\1 days"),
    (regex.compile(r"(?<![\w.-])(\d{1,4}) ?wk?s?(?![\w-])", regex.IGNORECASE), r"\1 weeks"),
    (regex.compile(r"(?<![\w.-])(\d{1,6})\+(?!\w)"), r"\1 or more"),
    (regex.compile(r"%(?= of)"), " percent"),
    (regex.compile(r"\b1[:-]1s?\b|\bone[- ]on[- ]one\b", regex.IGNORECASE), "meeting"),
    (
        regex.compile(r"(?<=\bthis (sprint|week|month|quarter|year) than )(?:the )?last(?=[ ?.]*$)", regex.IGNORECASE),
        r"last \1",
    ),
    (_RUNNING, "the current sprint"),
    (regex.compile(r"\b([pP]\d)'?s\b"), r"\1"),
    (regex.compile(r"\b(?:ended|finished|closed) with (?=(?:some|any|no)thing\b)", regex.IGNORECASE), "had "),
    (regex.compile(r"\b(?:ended|finished|closed) without any(?=thing\b)", regex.IGNORECASE), "had no"),
    (
        regex.compile(
            r"(?<=\b(?:had|have|has|with) )(?:some|any)thing (?=(?:carried|added|removed)\b)", regex.IGNORECASE
        ),
        "at least one issue ",
    ),
    (
        regex.compile(r"\bwhat(?:['\u2019]s| is| was) ([a-z]+-\d+)(?: all)? about\b", regex.IGNORECASE),
        r"what is the title of \1",
    ),
    (
        regex.compile(r"^(?:what|how) about (the [^,?]+), how (many|much) (is|are|were|was) (?=\w)", regex.IGNORECASE),
        r"how \2 of \1 \3 ",
    ),
    (
        regex.compile(
            r"(?<=\bsprint (\d+)\b.{1,40}\b)"
            r"the (?:(?:one|sprint) (?:just |right )?before(?: (?:it|that))?|previous one)(?=\W*$)",
            regex.IGNORECASE,
        ),
        lambda found: f"sprint {int(found[1]) - 1}",
    ),
    (
        regex.compile(r"(?<=\bsprint (\d+)\b.{1,40}\b)the previous one\b", regex.IGNORECASE),
        lambda found: f"sprint {int(found[1]) - 1}",
    ),
    (
        regex.compile(
            r"(?<=\b(?:current|this|running|active) (?:\w+ )?sprint\b.{1,40}\b)the previous one\b", regex.IGNORECASE
        ),
        "the last sprint",
    ),
    (regex.compile(r"\bfrom ((?:\w+ )?sprint \d+) on(?:wards?)?\b", regex.IGNORECASE), r"since \1"),
    (
        regex.compile(
            r"\b(?P<team>[^\W_]+) (sprint \d+ ?(?:[-\u2013]|to|through) ?)(?P=team) (?=sprint \d)", regex.IGNORECASE
        ),
        r"\1 \2",
    ),
)


class Rewrite(NamedTuple):
    """A construction that is written as another one before it is read. The example means the same as `means`."""

    pattern: regex.Pattern[str]
    says: str
    example: str
    means: str


@lru_cache(maxsize=1)
def list_rewrites() -> tuple[Rewrite, ...]:
    """Return the constructions of rewrites.toml."""
    text = (files("sprints.semantics.questions") / "rewrites.toml").read_text(encoding="utf-8")
    return tuple(
        Rewrite(regex.compile(one["pattern"], regex.IGNORECASE), one["says"], one["example"], one["means"])
        for one in tomllib.loads(text)["rewrites"]
    )


def spell_signs(text: str, *, index: NameIndex | None = None) -> str:
    """Write signs, short units and constructions as the words that are read: > 5d is more than 5 days."""
    for sign, said in _SIGNS:
        text = sign.sub(said, text)
    for rewrite in list_rewrites():
        text = rewrite.pattern.sub(rewrite.says, text)
    return _RANGE.sub(lambda found: _list_range(found, index=index), text) if index is not None else text


def _list_range(found: regex.Match[str], *, index: NameIndex) -> str:
    """Write a range of priorities as all that the data has: p1-p3 is p1, p2 or p3. Of other names it stays."""
    ends = sorted(int(found[one]) for one in ("first", "last"))
    said = [f"{found['stem']}{number}" for number in range(ends[0], min(ends[1], ends[0] + MAX_RANGE) + 1)]
    known = [one for one in said if any(name.kind == "priority" for name in index.whole.get(name_words(one), ()))]
    if ends[0] == ends[1] or not known or (known[0], known[-1]) != (said[0], said[-1]):
        return found[0]
    return f"{', '.join(known[:-1])} or {known[-1]}"
