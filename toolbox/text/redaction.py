"""
Mask secrets before text is stored, served or sent away. Pure.

`mask_secrets` is the only masking of the project. Rules find secrets by their form, by the name or the sentence before
them, and in command lines; together they say which parts of a text are replaced. JSON is masked value by value and
stays JSON. `MaskedText` is text that has passed `mask_secrets`, by construction. The time is linear in the text.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from encodings.aliases import aliases
from typing import Any, Self

import orjson

from toolbox.text.command_lines import secret_words

REDACTED = "[redacted]"
DEEPEST = 50

_Span = tuple[int, int]
_Accepts = Callable[[re.Match[str], str, bool], bool]


def mask_secrets(text: str, *, is_code: bool = False) -> str:
    """Mask what looks like a secret; in code, a secret's name may be assigned another name, which stays."""
    folded = _fold(text)
    has_escapes = "\\" in folded
    rules = _RULES if has_escapes else _find_rules(folded)
    if rules is not _UNMARKED and (document := _DOCUMENT.match(text)):
        start = document.start("json")
        with suppress(ValueError, RecursionError):
            masked = _mask_json(text[start:], rules=rules, is_code=is_code)
            return _mask_text(text[:start], folded[:start], rules=rules, is_code=is_code) + masked
    return _mask_text(text, folded, rules=rules, is_code=is_code)


def mask_marked_secrets(text: str) -> str:
    """Mask secrets of a known form. Random text without one stays: the id of a request, by which its call is found."""
    folded = _fold(text)
    rules = [rule for rule in _find_rules(folded) if rule not in _UNMARKED]
    return _mask_text(text, folded, rules=rules, is_code=True)


def mask_pem_blocks(text: str) -> str:
    """Mask PEM blocks, also without an end; call it before a text is cut."""
    return _PEM.sub(REDACTED, text)


class MaskedText(str):
    """Text with masked secrets, treated as code; there is no other way to create one."""

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        """Mask the text."""
        return super().__new__(cls, mask_secrets(text, is_code=True))


@dataclass(frozen=True, slots=True)
class _Rule:
    """
    A pattern whose group `secret` is masked, unless `accepts` refuses the match.

    The pattern is searched in the text in lower case, or in the text itself if it `is_cased`. It begins with a literal
    character wherever possible: the standard library then skips to it ten times as fast. A text without one of the
    `marks`, if any are named, has no match.
    """

    pattern: re.Pattern[str]
    marks: frozenset[str] = frozenset()
    accepts: _Accepts | None = None
    is_cased: bool = False

    def find(self, text: str, folded: str, *, is_code: bool) -> Iterator[_Span]:
        for found in self.pattern.finditer(text if self.is_cased else folded):
            if self.accepts is None or self.accepts(found, text, is_code):
                yield found.span("secret")


def _fold(text: str) -> str:
    """Return the text with letters of ASCII in lower case, and as long as before."""
    if text.isascii():
        return text.lower()
    lower = text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")
    return lower.replace("\N{LATIN SMALL LETTER LONG S}", "s").replace("\N{KELVIN SIGN}", "k")


def _find_rules(folded: str) -> "list[_Rule]":
    """Return the rules that can match a text without escapes."""
    marks = [mark for mark in _ALL_MARKS if mark in folded]
    return [rule for rule in _RULES if not rule.marks or not rule.marks.isdisjoint(marks)] if marks else _UNMARKED


def _mask_text(text: str, folded: str, *, rules: "Iterable[_Rule]", is_code: bool) -> str:
    spans = [span for rule in rules for span in rule.find(text, folded, is_code=is_code)]
    spans += secret_words(text, mask=REDACTED)
    if not spans:
        return text
    parts, at = [], 0
    for start, end in _join(spans):
        parts += [text[at:start], REDACTED]
        at = end
    return "".join([*parts, text[at:]])


def _join(spans: list[_Span]) -> list[_Span]:
    """Return the spans in order; those that overlap as one."""
    joined: list[_Span] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        elif start < end:
            joined.append((start, end))
    return joined


def _mask_json(text: str, *, rules: list[_Rule], is_code: bool) -> str:
    """Mask a JSON document. Raises ValueError if the text is none."""
    parsed = _parse_json(text)
    strings = [mask_pem_blocks(string) for string in _strings(parsed, depth=0)]
    # All strings at once: a rule costs as much for one short string as for a hundred.
    joined = "".join(strings)
    mark = next((mark for mark in map(chr, range(9)) if mark not in joined), None)
    if mark is None:
        raise ValueError("no control character is left to separate the strings")
    separator = f"\n{mark}\n"
    joined = separator.join(strings)
    masked = _mask_text(joined, _fold(joined), rules=rules, is_code=is_code).split(separator)
    masked += [REDACTED] * (len(strings) - len(masked))
    changed = {
        before: mask_secrets(before, is_code=is_code) if before.lstrip()[:1] in ("{", "[") else after
        for before, after in zip(_strings(parsed, depth=0), masked, strict=True)
        if before != after or before.lstrip()[:1] in ("{", "[")
    }
    clean = _without_secrets(parsed, changed, depth=0)
    if clean == parsed:
        return text
    compact = None if '": ' in text else (",", ":")
    return json.dumps(clean, ensure_ascii=False, indent=2 if "\n" in text.strip() else None, separators=compact)


def _parse_json(text: str) -> Any:
    """Parse JSON, also if its end was cut off. Raises ValueError."""
    with suppress(ValueError):
        return orjson.loads(text)
    closing: list[str] = []
    cut = ""
    for part in _JSON_PART.findall(text):
        if part in ("{", "["):
            closing.append("}" if part == "{" else "]")
        elif part in ("}", "]"):
            if not closing or closing.pop() != part:
                raise ValueError("brackets that do not match")
        elif len(part) == 1 or not part.endswith('"') or part.endswith('\\"'):
            cut = '"'
    if not closing:
        raise ValueError("not cut off, but not JSON")
    text = _CUT_ESCAPE.sub(r"\1", text) if cut else text.rstrip(", ")
    ends = "".join(reversed(closing))
    for middle in (cut, f"{cut}:0", "0"):
        with suppress(ValueError):
            return orjson.loads(f"{text}{middle}{ends}")
    raise ValueError("cut off within a word")


def _strings(value: Any, *, depth: int) -> Iterator[str]:
    """Yield the names and strings of a document that are to be masked or kept one by one."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and depth <= DEEPEST:
        for part in value:
            yield from _strings(part, depth=depth + 1)
    elif isinstance(value, dict) and depth <= DEEPEST:
        for name, part in value.items():
            yield name
            if not _SECRET_NAME.search(name):
                yield from _strings(part, depth=depth + 1)


def _without_secrets(value: Any, changed: dict[str, str], *, depth: int) -> Any:
    """Mask the values of secret-looking names, changed strings, and everything nested deeper than DEEPEST."""
    if isinstance(value, str):
        return changed.get(value, value)
    if not isinstance(value, dict | list):
        return value
    if depth > DEEPEST:
        return REDACTED
    if isinstance(value, list):
        parts = [_without_secrets(part, changed, depth=depth + 1) for part in value]
        return _mask_arguments(parts) if all(isinstance(part, str) for part in parts) else parts
    return {
        changed.get(name, name): REDACTED
        if _SECRET_NAME.search(name)
        else _without_secrets(part, changed, depth=depth + 1)
        for name, part in value.items()
    }


def _mask_arguments(words: list[str]) -> list[str]:
    """Mask the secret words of a command that is a list of words, such as `["mysql", "-pSECRET"]`."""
    text = json.dumps(words, ensure_ascii=False)
    masked = _mask_text(text, text, rules=(), is_code=True)
    if masked == text:
        return words
    try:
        clean: list[str] = orjson.loads(masked)
    except ValueError:
        return [REDACTED] * len(words)
    return clean


_DOCUMENT = re.compile(r"\s*(?:[^\s{[\"'][^\n{[\"']{0,300} )?(?P<json>[{[])")
"""A JSON document, alone or behind a few words, as `/api/agents/conversations {…}`."""
_JSON_PART = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\]]', re.S)
_CUT_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\(?:u[0-9a-fA-F]{0,3})?\Z")
_SECRET_NAME = re.compile(r"passw|secret|token|api[-_ ]?key|authorization|credential|cookie|private[-_ ]?key", re.I)
_PEM = re.compile(
    r"(?P<secret>-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
    r".*?(?:-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}|\Z)"
    r"|PuTTY-User-Key-File-\d:.*?(?:Private-MAC:[^\n]*|\Z))",
    re.S,
)
_SHAPES = (
    ("eyJ", r"[\w-]{8,}\.[\w-]{8,}\.[\w-]{0,5000}"),  # JSON web tokens
    ("gh", r"[pousr]_[A-Za-z0-9]{20,}"),
    ("github_pat_", r"\w{20,}"),
    ("gl", r"(?:pat|ptt|dt|rt|cbt|soat|ft)-[\w-]{16,}"),  # GitLab
    *((start, r"[0-9A-Z]{16}\b") for start in ("AKIA", "ASIA", "ABIA", "ACCA")),  # AWS
    ("AIza", r"[\w-]{30,}"),
    ("ya29.", r"[\w-]{20,}"),
    ("GOCSPX-", r"[\w-]{20,}"),
    ("xox", r"[abeoprs]-[\w-]{8,}"),
    ("xapp-", r"[\w-]{16,}"),
    ("hooks.slack.com/services/", r"[\w/]{20,}"),
    ("discord", r"(?:app)?\.com/api/webhooks/\d{5,25}/[\w-]{20,}"),
    ("sk-", r"(?=[\w-]{0,60}\d)[\w-]{16,}"),  # model providers
    *((start, r"(?:live|test)_\w{10,}") for start in ("rk_", "sk_")),  # Stripe
    ("whsec_", r"[\w+/=]{16,}"),
    ("npm_", r"[A-Za-z0-9]{30,}"),
    ("pypi-", r"[\w-]{30,}"),
    ("hf_", r"[A-Za-z0-9]{20,}"),
    ("dop_v1_", r"[0-9a-f]{32,}"),
    ("hvs.", r"[\w-]{20,}"),
    ("SG.", r"[\w-]{16,}\.[\w-]{16,}"),
    ("shp", r"(?:at|ca|pa|ss)_[0-9a-fA-F]{16,}"),
    ("glsa_", r"\w{20,}"),
    ("dapi", r"[0-9a-f]{32}"),
    ("AGE-SECRET-KEY-1", r"[0-9A-Z]{20,}"),
)
"""How keys of well-known services begin, and what follows."""

_KEYS = "|".join(f"{of}_?-?key" for of in ("api", "private", "access", "account", "signing", "encryption", "client"))
_NAME = (
    rf"(?:passw|passphrase|secret|token|credential|{_KEYS}|pass(?<![a-z0-9]pass)(?=\s{{0,5}}=)"
    r"|pwd?(?<![a-z0-9]pw)(?<![a-z0-9]pwd)(?=\s{0,5}[:=]\s{0,5}[^\s/~.$]))"
)
_ASSIGNED = rf"{_NAME}[\w.-]{{0,40}}"
_NAMES = "pass pw secret token credential key authorization cookie"
_AFTER_NAMES = (  # a literal, JSON in a string, an address, an element and attributes of XML, a call's argument
    rf"{_ASSIGNED}[\"']?\s{{0,5}}(?::=|=>|[:=])\s{{0,5}}(?P<quote>[\"'])(?P<secret>[^\"'\n]{{1,500}})(?:(?P=quote)|\Z)",
    rf"{_ASSIGNED}(?:\\{{0,3}}[\"'])?\s{{0,5}}(?::=|=>|[:=])\s{{0,5}}\\{{1,3}}[\"'](?P<secret>[^\"'\\\n]{{1,500}})",
    rf"{_ASSIGNED}(?:%22|%27)?%3[ad](?:%20|\+)?(?:%22|%27)?(?P<secret>[^%&\s\"'\[]{{1,500}})",
    rf"<[\w.-]{{0,60}}{_ASSIGNED}(?:\s[^<>]{{0,200}})?>(?P<secret>[^<>\s][^<>]{{0,500}})(?=</)",
    rf"=[\"'][^\"'\n]{{0,60}}{_NAME}[^\"'\n]{{0,40}}[\"']\s{{1,5}}value=[\"'](?P<secret>[^\"'\n]{{1,500}})",
    r"(?:passw(?:or)?d|passphrase|secret)\s{0,2}[( ]\s{0,2}\\{0,3}[\"'](?P<secret>[^\"'\\\n]{1,500})",
    rf"(?:{_SECRET_NAME.pattern})[^\"\\]{{0,80}}\"\s{{0,20}}:\s{{0,20}}\"(?P<secret>(?:[^\"\\]|\\(?s:.))+)(?:\"|\\?\Z)",
    rf"(?:{_SECRET_NAME.pattern})[^\"\\]{{0,80}}\"\s{{0,20}}:\s{{0,20}}(?P<secret>[^\",\[\]{{}}\s]+)",
)
_GIVEN = (
    rf"{_ASSIGNED}(?P<sign>\s{{0,5}}[:=](?!=)\s{{0,5}})(?!\\{{1,3}}[\"'])"
    r"(?P<secret>(?:[^\s\"'&;,()\[\]{}\\]|\\(?![nrt])){1,500})(?![\w.(\[])"
)
_IN_PLACES = (  # SQL, .netrc, connection strings, addresses and their signatures, headers
    (
        r"identified\s{1,5}(?:with\s{1,5}\S{1,60}\s{1,5}(?:by|as)|by)\s{1,5}[\"'](?P<secret>[^\"'\n]{1,500})",
        "identified",
    ),
    (r"login\s{1,5}[^\s]{1,100}\s{1,5}password\s{1,5}(?P<secret>[^\s]{1,500})", "pass"),
    (r"jdbc:oracle:\w{1,10}:[\w$#.-]{1,60}/(?P<secret>[^\s@/]{1,200})(?=@)", "jdbc:oracle:"),
    (
        (
            r"auth(?<![a-z0-9]auth)[\"']?\s{0,5}[:=]\s{0,5}[\"']?(?P<secret>(?=[a-z+/]{0,80}[\d=])[a-z0-9+/]{16,500}={0,2})"
            r"(?![\w.(])"
        ),
        "auth",
    ),
    (
        r"[?&](?:sig|signature|x-amz-signature|x-goog-signature|key|auth|code)=(?P<secret>[\w%+/=.-]{16,500})",
        "sig= signature= key auth code=",
    ),
    (r"://(?<=[a-z0-9+.-]://)[^\s:/@\"'<>]{0,100}:(?!\d{1,5}/)(?P<secret>[^\s\"'<>]{1,200})@", "://"),
    (r"://(?<=[a-z0-9+.-]://)(?P<secret>[\w-]{20,200})@", "://"),
    # In prose, "basic" or "bearer" is followed by a word of letters, as in basic authentication.
    (
        r"b(?<!\wb)(?:earer|asic)\s{1,4}(?P<secret>(?![a-z]+(?![a-z0-9._~+/=-]))[a-z0-9._~+/=-]{8,})",
        "bearer basic",
    ),
)
_HEADER = (
    r"(?:authorization|cookie(?=[\"']?:\s{0,5}[^\s\"'=;]{1,100}=)|x-(?<![\w-]x-)[\w-]{0,40}(?:key|auth|secret))"
    r"[\"']?\s{0,5}:\s{0,5}[\"']?(?:(?:bearer|basic|digest|negotiate|token|apikey)\s{1,4})?"
    r"(?!(?:\w{1,20} )?\[redacted\])(?P<secret>[^\s\"'][^\"'\n]{0,4000})"
)


def _words(*words: str) -> str:
    """Return a pattern of words that begin where no other word or dash ends, beginning with a literal."""
    return "|".join(rf"{word[0]}(?<![\w-]{word[0]}){word[1:]}" for word in words)


_OF_KEYS = r"(?:[ _-]?(?:token|key))"
_SAID_NAME = "(?:{})".format(
    _words(
        "pass(?:word|phrase|code|wd)?", "pwd", "pin", "token", "creds", "credentials", f"secret{_OF_KEYS}?",
        *(f"{of}{_OF_KEYS}" for of in ("api", "access", "private", "auth")),
    )
)  # fmt: skip
_GAP = r"[^\S\n]"
_CHANGED = (
    "(?:{})".format(_words("set", "chang", "reset", "updat", "rotat"))
    + rf"\w{{0,6}}{_GAP}(?:[\w'-]{{1,20}}{_GAP}){{0,2}}{_SAID_NAME}"
)
_VALUE = (
    rf"{_GAP}{{1,3}}(?:(?P<quote>[\"'`])(?=[^\"'`\n]{{1,200}}(?P=quote)))?(?P<secret>(?(quote)[^\"'`\n]{{1,200}}"
    r"|[^\s\"'`<>()\[\]{}]{4,200}?(?=[.,;:!?]{0,3}(?:\s|[)\]\"'`]|\Z))))"
)
_SENTENCES = (
    (
        rf"(?P<name>{_SAID_NAME})(?:{_GAP}[a-z][\w'-]{{0,20}}){{0,5}}?{_GAP}(?:is|was|are|be|=)"
        rf"(?::|{_GAP}(?:now|still|just)|{_GAP}set{_GAP}to)?{_VALUE}"
    ),
    rf"(?P<name>{_CHANGED})(?:{_GAP}(?!to\b)\S{{1,40}}){{0,4}}{_GAP}to{_VALUE}",
    rf"(?P<name>{_CHANGED}){_GAP}from{_VALUE}",
    rf"(?P<name>(?:{_words('with', 'using')}){_GAP}(?:\w{{1,10}}{_GAP})?{_SAID_NAME}){_VALUE}",
)
"""Sentences that say a password: "the password of bob is now x", "set the password to x", "with password x"."""
_PGPASS = (
    r":(?:\d{4,5}|\*):(?!\d+:)[^\s:\"]{1,100}:[^\s:\"]{1,100}:"
    r"(?P<secret>(?:\\[^n\s]|[^\s:\\\"']){1,500})(?=[\n\"']|\\n|\Z)"
)
_ENCODINGS = {*aliases, *aliases.values(), *hashlib.algorithms_available, "base32", "argon2", "argon2id", "pbkdf2"}
_UNIT = re.compile(r"\d+[a-z]{1,5}|v\d[\d.]*|\d+(?:-\w+)+", re.I)
_CRYPT = r"\$(?P<secret>(?:apr1|2[abxy]|[1567y]|argon2\w{0,2}|pbkdf2[\w-]{0,12})\$[\w./$+=,-]{8,300})"
_TEMPLATE = re.compile(r"`(?:\w{1,20} )?\$\{[\w.]{1,100}\}`")
_WORDS = re.compile(r"[A-Za-z_$][A-Za-z_$.?!:]*|\d{1,3}")
_RANDOM = (
    r"(?<![\w+/.$-])(?!_Z|_R|sha\d{1,3}-)(?P<secret>"
    r"(?:[A-Za-z0-9_-]{24,512}={0,2}|[A-Za-z0-9+/]{40}|[\w-]{20,40}\.[\w-]{6,40}\.[\w-]{20,120})(?![\w+/.$-]))"
)
_HEX_KEY = (
    r"\b(?P<secret>(?!sha\d|md5|blake|commit)[A-Za-z]{2,10}(?:_[a-z0-9]{2,5})?(?:[_-]|(?<=[G-Zg-z]))[0-9a-f]{32,128}"
    r"|[0-9a-f]{32}-us\d{1,2})\b"
)
"""A key with the prefix of its service. A bare hash has none."""
_LONG_WORD = re.compile(r"[a-z]{7}|[A-Z]{7}")


def _is_header(found: re.Match[str], text: str, is_code: bool) -> bool:  # noqa: FBT001 - of every rule
    return not is_code or not _is_prose(text[slice(*found.span("secret"))])


def _is_prose(value: str) -> bool:
    """Return whether there are only words of letters, as in a sentence or a declaration, or a template's variable."""
    return bool(_TEMPLATE.match(value)) or all(
        _WORDS.fullmatch(word.strip(",;(){}<>") or "x") for word in value.split()
    )


def _is_value(found: re.Match[str], text: str, is_code: bool) -> bool:  # noqa: FBT001 - of every rule
    """
    Return whether a secret's name is assigned a value rather than, in code, another name, a type or a small number.

    `PASSWORD=word` as in a shell, and a line with nothing but `password: word`, assign a value.
    """
    start, end = found.span("secret")
    if not is_code or not _WORDS.fullmatch(text, start, end):
        return True
    follows = text[end : end + 1]
    if found["sign"] == "=":
        return follows not in tuple(",)]}")
    before = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
    is_whole_line = follows in ("", "\n") and bool(re.fullmatch(r"\s*[\w.-]{0,60}", before))
    return "=" not in found["sign"] and is_whole_line


def _is_said(found: re.Match[str], text: str, _: bool) -> bool:  # noqa: FBT001 - of every rule
    value = text[slice(*found.span("secret"))]
    if value.isdigit() and re.search("pass|pwd|pin", found["name"]):
        return True
    return " " not in value if found["quote"] else _is_chosen(value)


def _is_chosen(value: str) -> bool:
    """
    Return whether a word of a sentence is a password rather than a word that says something of it.

    A word of letters alone, a number with a unit, a path and the name of a hash or an encoding stay.
    """
    has_letter, has_digit = any(map(str.isalpha, value)), any(map(str.isdigit, value))
    has_sign = any(sign in "!@#$%^&*+~?=" for sign in value.strip("*"))
    is_term = "/" in value or _UNIT.fullmatch(value) or value.lower().split("-")[0] in _ENCODINGS
    return has_letter and (has_digit or has_sign) and not is_term


def _is_line_of_pgpass(found: re.Match[str], text: str, _: bool) -> bool:  # noqa: FBT001 - of every rule
    return bool(
        re.search(r"(?:^|[\"']|\\n)(?!#)[^\s:/\"'\\]{1,200}\Z", text[max(0, found.start() - 250) : found.start()], re.M)
    )


def _is_random(found: re.Match[str], *_: object) -> bool:
    """
    Return whether a long token is random rather than a name or a hash.

    Random text of letters and digits mixes cases and digits and has no long run of letters in one case. Hashes and
    UUIDs have one case.
    """
    token = found["secret"]
    digits = len(re.findall(r"\d+", token))
    lower, upper = sum(map(str.islower, token)), sum(map(str.isupper, token))
    return min(digits, lower, upper) >= 3 and not _LONG_WORD.search(token)  # noqa: PLR2004


def _rule(
    pattern: str | re.Pattern[str], marks: str, accepts: _Accepts | None = None, *, is_cased: bool = False
) -> _Rule:
    return _Rule(re.compile(pattern), frozenset(marks.split()), accepts, is_cased)


def _shape(start: str, rest: str) -> _Rule:
    pattern = rf"(?P<secret>{re.escape(start)}(?<!\w{re.escape(start)}){rest})"
    return _rule(pattern, start.lower(), is_cased=True)


_UNMARKED = [
    _rule(_PGPASS, "", _is_line_of_pgpass),
    _rule(_CRYPT, "", is_cased=True),
    _rule(_HEX_KEY, "", is_cased=True),
    _rule(_RANDOM, "", _is_random, is_cased=True),
]
_RULES = [
    *_UNMARKED,
    _rule(_PEM, "key", is_cased=True),
    _rule(r"(?P<secret>tr[or]?_[A-Za-z0-9_-]{20,})", "tr_ tro_ trr_", is_cased=True),
    _rule(r":AA(?<=\d{8}:AA)(?P<secret>[\w-]{32,})", ":aa", is_cased=True),  # Telegram
    *(_shape(start, rest) for start, rest in _SHAPES),
    *(_rule(pattern, _NAMES) for pattern in _AFTER_NAMES),
    _rule(_GIVEN, _NAMES, _is_value),
    *(_rule(pattern, marks) for pattern, marks in _IN_PLACES),
    _rule(_HEADER, "authorization cookie x-", _is_header),
    *(_rule(pattern, f"{_NAMES} pin cred", _is_said) for pattern in _SENTENCES),
]
_ALL_MARKS = sorted(frozenset[str]().union(*(rule.marks for rule in _RULES)))
