"""
Find the secret words of command lines in a text: `mysql -pSECRET`, `curl -u bob:SECRET`. Pure.

`secret_options.txt` says which options of which programs are secret. Three rules hold for every program: an option
whose name says so (`--token SECRET`), `-u` or `--auth` with a value `name:SECRET`, and `-p` after an option that names
a user. The time is linear in the text.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Self

MAX_QUOTED_CHARACTERS = 2_000
MAX_QUOTES_IN_QUOTES = 3
MAX_COMMAND_CHARACTERS = 500_000
MAX_WORDS = 400
"""Words of one command; those behind are read as another command."""

_WORD = re.compile(
    rf"""
    (?P<end>\n|[;|&()`]+)
  | (?P<option>(?:--?|/)[A-Za-z][\w-]{{0,40}}[=:]?|[A-Za-z_]\w{{0,40}}=|<<<)?
    (?P<quote>\\{{0,3}}["'])(?P<quoted>[^\n]{{0,{MAX_QUOTED_CHARACTERS}}}?)(?<!\\)(?P=quote)
  | (?P<bare>(?:\\[^\n"'] | [^\s;|&()`"'\\])+)
    """,
    re.X,
)
_CONTINUED = re.compile(r"\\\r?\n|(?<=\|)[^\S\n]*\n")
_NAME = re.compile(r"[\w.-]+")
_USER_OPTIONS = ("-u", "-U", "--user", "--username", "-username", "-user", "/u", "/user")
_PASSWORD_OPTIONS = ("-p", "-P", "/p", "/P", "-password", "-pw")
_PAIR_OPTION = re.compile(r"-[A-Za-z]{0,5}u|-{1,2}(?:user|username|[\w-]*(?:auth|cred|credentials|proxy-user))")
_PAIR = re.compile(r"[\w.@+\\/-]{0,100}\w[:%](?!//)(?P<secret>.+)")
_NO_PASSWORD = re.compile(r"[\d:.,-]*(?:/(?:tcp|udp))?|-.*|[^/]*/.*")
"""Ports, numbers, options and paths, of which a `-p` that no line of the table names may also be given one."""
_SECRET_OPTION = re.compile(
    r"--?(?!no-)(?:[a-z]\w{0,20}-){0,3}\w{0,20}(?:passw|passphrase|secret|token|(?:api|private|access|account|signing|encryption"
    r"|client)_?-?key|credential)[\w-]{0,20}(?<!file)(?<!path)(?<!stdin)(?<!prompt)(?<![-_]id)(?<![-_]ur[il])(?<!name)",
    re.I,
)
_NO_VALUE = re.compile(r"[-=<>&|,)].*|\$(?:[A-Z_][A-Z0-9_]*|\{\w+\})|%\w+%|\*+|''|\"\"")
"""Options, operators, and variables, whose values are not there."""
_STDIN_OPTION = re.compile(r"--?(?:\w+-)*(?:pass\w*|token|secret|key)-(?:std)?in|--with-token")
_PRINTS = ("echo", "printf", "yes")


@dataclass(slots=True)
class _Word:
    """A word of a command: its text without quotes, and where it stands; `option` is what is joined to its left."""

    text: str
    start: int
    option: str = ""
    option_start: int = 0

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class _Form:
    """A form of `secret_options.txt`: an option or a position, and what separates the secret from a name before it."""

    option: str = ""
    is_joined: bool = False
    is_separate: bool = True
    position: int = 0
    separator: str = ""
    is_any_word: bool = False
    is_piped: bool = False

    @classmethod
    def parse_all(cls, text: str) -> Iterator[Self]:
        option, position = "", 0
        for word in text.split():
            if word == "ARG":
                position += 1
            elif word == "<SECRET":
                yield cls(is_piped=True)
            elif (found := re.fullmatch(r"(.*?)(?:USER(.))?SECRET(@HOST)?", word)) is None:
                option = word
            else:
                joined = (found[1] or option * option.endswith("*")).rstrip("*=:")
                yield cls(
                    option=option.rstrip("*") or joined,
                    is_joined=bool(joined),
                    is_separate=not found[1],
                    position=position + 1,
                    separator=found[2] or "",
                    is_any_word=bool(found[3]),
                )
                option, position = "", 0

    def secret_of(self, text: str) -> tuple[int, int] | None:
        """Return where the secret stands in a value."""
        if not self.separator:
            return (0, len(text)) if text else None
        found = re.match(rf"[^:%@,\s]*?[{re.escape(self.separator)}%]", text)
        if found is None or text.startswith("//", found.end()):
            return None
        end = text.rfind("@") if self.is_any_word else -1
        end = end if end > found.end() else len(text)
        return (found.end(), end) if end > found.end() else None


@dataclass(frozen=True, slots=True)
class _Rule:
    """What is secret for a program if some words stand in its command."""

    words: tuple[str, ...]
    forms: tuple[_Form, ...]


@cache
def _rules() -> dict[str, list[_Rule]]:
    rules: dict[str, list[_Rule]] = {}
    for line in (Path(__file__).with_name("secret_options.txt")).read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        head, _, forms = line.partition(" :")
        programs, *words = head.split()
        alternatives = [word.split(",") for word in words]
        rule = _Rule(tuple("|".join(names) for names in alternatives), tuple(_Form.parse_all(forms)))
        for program in programs.split(","):
            rules.setdefault(program, []).append(rule)
    return rules


def secret_words(text: str, *, mask: str) -> Iterator[tuple[int, int]]:
    """
    Yield where the secret words of the command lines in a text stand.

    After MAX_COMMAND_CHARACTERS of lines with commands, the rest of the text is said to be secret.
    """
    if not _may_hold_commands(text):
        return
    text = _CONTINUED.sub(lambda found: " " * len(found[0]), text)
    start, left = 0, MAX_COMMAND_CHARACTERS
    for line in text.split("\n"):
        if _may_hold_commands(line):
            for begin, end in _secrets_of(line[:left], mask, start):
                if not _NO_VALUE.fullmatch(text, begin, end):
                    yield begin, end
            left -= len(line)
            if left < 0:
                yield start + len(line) + left, len(text)
                return
        start += len(line) + 1


def _may_hold_commands(text: str) -> bool:
    """Return whether a text has an option, a pipe or the name of a program in the table."""
    has_option = any(mark in text for mark in (" -", " /", '"-', "'-", "|", "<<<"))
    return has_option or not _rules().keys().isdisjoint(_NAME.findall(text))


@dataclass(slots=True)
class _Pipeline:
    """The words of the command that is read, and what the command before prints into it."""

    words: list[_Word] = field(default_factory=list)
    printed: list[_Word] = field(default_factory=list)

    def take(self, end: str) -> list[tuple[int, int]]:
        """End the command; return its secrets."""
        words, self.words = self.words, []
        if not words:
            return []
        spans = list(_secrets_of_command(words, self.printed))
        printer = next((at for at, word in enumerate(words[:5]) if _program(word) in _PRINTS), None)
        self.printed = words[printer + 1 :] if end == "|" and printer is not None else []
        return spans


def _secrets_of(text: str, mask: str, offset: int = 0, depth: int = 0) -> Iterator[tuple[int, int]]:
    pipeline = _Pipeline()
    for found in _WORD.finditer(text):
        if found["end"] or len(pipeline.words) >= MAX_WORDS:
            yield from pipeline.take(found["end"] or "")
        if found["end"]:
            continue
        if found["bare"]:
            if bare := found["bare"] if mask in found["bare"] else found["bare"].strip("[]{},"):
                start = found.start() + found["bare"].index(bare)
                pipeline.words.append(_Word(bare, offset + start))
        else:
            content, start = found["quoted"], found.start("quoted")
            if " " in content and depth < MAX_QUOTES_IN_QUOTES:
                yield from _secrets_of(content, mask, offset + start, depth + 1)
            pipeline.words.append(_Word(content, offset + start, found["option"] or "", offset + found.start()))
    yield from pipeline.take("")


def _program(word: _Word) -> str:
    return "" if word.option or " " in word.text else word.text.rpartition("/")[2].removesuffix(".exe")


def _secrets_of_command(words: list[_Word], printed: list[_Word]) -> Iterator[tuple[int, int]]:
    words = [part for word in words for part in _parts(word)]
    printed = [*printed, *(word for before, word in pairwise(words) if before.text == "<<<")]
    known = _rules()
    active: list[_Rule] | None = None
    begin = 0
    for at, word in enumerate(words):
        is_value = at > 0 and words[at - 1].text.startswith("-")
        if is_value or (rules := known.get(_program(word))) is None:
            continue
        is_argument = at == begin > 0 and not any(rule.forms for rule in rules)  # nxc ssh
        if not is_argument:
            yield from _secrets_of_program(words[begin:at], active, printed)
            active, begin = rules, at + 1
    yield from _secrets_of_program(words[begin:], active, printed)


def _secrets_of_program(
    words: list[_Word], rules: list[_Rule] | None, printed: list[_Word]
) -> Iterator[tuple[int, int]]:
    yield from _secrets_by_rules(words, rules or (), printed)
    forms = None if rules is None else [form for rule in rules for form in rule.forms if form.option]
    yield from _secrets_by_habit(words, forms, printed)


def _parts(word: _Word) -> Iterator[_Word]:
    """Split `--option=value` into two words."""
    if word.option:
        yield _Word(word.option.rstrip("=:"), word.option_start, "joined")
        yield _Word(word.text, word.start)
    elif found := re.match(r"(--[\w-]{1,40}|-[a-z]{2,20})=|(/[A-Za-z]{1,20}):(?!/)", word.text):
        yield _Word(found[1] or found[2], word.start, "joined")
        yield _Word(word.text[found.end() :], word.start + found.end())
    else:
        yield word


def _secrets_by_rules(words: list[_Word], rules: Iterable[_Rule], printed: list[_Word]) -> Iterator[tuple[int, int]]:
    for rule in rules:
        rest = _skip_words(words, rule.words)
        if rest is None:
            continue
        for form in rule.forms:
            if form.is_piped:
                yield from _spans(printed)
            elif form.option:
                yield from _option_values(words, form)
            elif form.is_any_word:
                yield from _secret_parts(words, form)
            else:
                plain = [word for word in rest if not word.text.startswith("-")]
                yield from _secret_parts(plain[form.position - 1 : form.position], form)


def _skip_words(words: list[_Word], wanted: tuple[str, ...]) -> list[_Word] | None:
    """Return the words behind those that must stand in the command; None if one does not."""
    at = 0
    for names in wanted:
        patterns = names.split("|")
        while at < len(words) and not any(fnmatchcase(words[at].text, pattern) for pattern in patterns):
            at += 1
        if at == len(words):
            return None
        at += 1
    return words[at:]


def _option_values(words: list[_Word], form: _Form) -> Iterator[tuple[int, int]]:
    for word, following in zip_longest(words, words[1:]):
        if word.text == form.option:
            if following is not None and (word.option or form.is_separate):
                yield from _secret_parts([following], form)
        elif form.is_joined and not word.option and word.text.startswith(form.option):
            yield from _secret_parts([_Word(word.text[len(form.option) :], word.start + len(form.option))], form)


def _secret_parts(words: Iterable[_Word], form: _Form) -> Iterator[tuple[int, int]]:
    for word in words:
        if secret := form.secret_of(word.text):
            yield word.start + secret[0], word.start + secret[1]


def _spans(words: Iterable[_Word]) -> Iterator[tuple[int, int]]:
    for word in words:
        if word.text and not word.text.startswith("-"):
            name = re.match(r"[\w.-]+:(?=.)", word.text)
            yield word.start + (name.end() if name else 0), word.end


def _secrets_by_habit(
    words: list[_Word], listed: list[_Form] | None, printed: list[_Word]
) -> Iterator[tuple[int, int]]:
    """Find secrets by the usual names of options; `listed` has those of the table, None for a program not in it."""
    options = {form.option for form in listed or ()}
    joined = tuple(form.option for form in listed or () if form.is_joined and not form.is_separate)
    has_user = False
    for word, following in zip_longest(words, words[1:]):
        text = word.text
        if not text.startswith(("-", "/")):
            has_user |= text == "login"
            continue
        if _STDIN_OPTION.fullmatch(text):
            yield from _spans(printed)
        pair = _PAIR.fullmatch(text, 2) if text.startswith("-u") else None
        if pair and not pair["secret"].isdigit():
            yield word.start + pair.start("secret"), word.end
        if following is None or following.option or text in options or text.startswith(joined or "\n"):
            continue
        pair = _PAIR.fullmatch(following.text) if _PAIR_OPTION.fullmatch(text) else None
        if pair and not pair["secret"].isdigit():
            yield following.start + pair.start("secret"), following.end
        elif _SECRET_OPTION.fullmatch(text) or (
            has_user and listed is None and text in _PASSWORD_OPTIONS and not _NO_PASSWORD.fullmatch(following.text)
        ):
            yield following.start, following.end
        has_user |= text in _USER_OPTIONS and not following.text.startswith("-") and not following.text.isdigit()
