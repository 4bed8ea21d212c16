"""
Mask secrets before text is stored, served or sent away. Pure.

`redact` masks what is certain anywhere: JSON fields with a secret's name, well-known forms of keys, PEM blocks,
passwords in addresses. `mask_secrets` is for free text and also masks values after a secret's name, headers, options
and long random tokens. `MaskedText` is text that has passed `mask_secrets`, by construction.
"""

import hashlib
import json
import re
from contextlib import suppress
from encodings.aliases import aliases
from typing import Any, Self

import orjson

from toolbox.text.command_lines import mask_commands

REDACTED = "[redacted]"
DEEPEST = 50

_SECRET_NAME = re.compile(r"passw|secret|token|api[-_ ]?key|authorization|credential|cookie|private[-_ ]?key", re.I)
# Also for truncated JSON; keeps the rest unchanged. Names are read up to 80 characters only, so that no text makes the
# search quadratic.
_FIELD = re.compile(r'"([^"\\]{1,80})"(\s{0,20}:\s{0,20})(?:"(?:[^"\\]|\\.)*(?:"|\\?$)|[^",\[\]{}\s]+)')
_PEM = re.compile(
    r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
    r".*?(?:-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}|\Z)"
    r"|PuTTY-User-Key-File-\d:.*?(?:Private-MAC:[^\n]*|\Z)",
    re.S,
)
_SHAPES = re.compile(
    r"""
    tr[or]?_[A-Za-z0-9_-]{20,}                                                        # Toolroom
  | \beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{0,5000}                                          # JSON web tokens
  | \bgh[pousr]_[A-Za-z0-9]{20,} | \bgithub_pat_\w{20,}                            # GitHub
  | \bgl(?:pat|ptt|dt|rt|cbt|soat|ft)-[\w-]{16,}                                      # GitLab
  | \b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b                                           # AWS
  | \bAIza[\w-]{30,} | \bya29\.[\w-]{20,} | \bGOCSPX-[\w-]{20,}                       # Google
  | \bxox[abeoprs]-[\w-]{8,} | \bxapp-[\w-]{16,}                                      # Slack
  | \bhooks\.slack\.com/services/[\w/]{20,} | \bdiscord(?:app)?\.com/api/webhooks/\d{5,25}/[\w-]{20,}
  | \bsk-(?=[\w-]{0,60}\d)[\w-]{16,} | \b[rs]k_(?:live|test)_\w{10,} | \bwhsec_[\w+/=]{16,}  # model providers, Stripe
  | \bnpm_[A-Za-z0-9]{30,} | \bpypi-[\w-]{30,} | \bhf_[A-Za-z0-9]{20,} | \bdop_v1_[0-9a-f]{32,}
  | \bhvs\.[\w-]{20,} | \bSG\.[\w-]{16,}\.[\w-]{16,} | \bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{16,} | \bglsa_\w{20,}
  | \bdapi[0-9a-f]{32} | \b\d{8,10}:AA[\w-]{32,} | \bAGE-SECRET-KEY-1[0-9A-Z]{20,}
    """,
    re.X,
)
# In prose, "basic" or "bearer" is followed by a word of letters in one case, as in basic authentication.
_BEARER = re.compile(r"\b(bearer|basic)\s{1,4}(?![A-Za-z]?[a-z]+(?![A-Za-z0-9._~+/=-]))[A-Za-z0-9._~+/=-]{8,}", re.I)
_ADDRESS = re.compile(
    r"(\b[a-z][a-z0-9+.-]{1,20}://)(?:([^\s:/@\"'<>]{0,100}:)(?!\d{1,5}/)[^\s\"'<>]{1,200}|[\w-]{20,200})(@)", re.I
)

_MARKS = (
    "pass", "pwd", "secret", "token", "key", "authorization", "credential", "cookie", "eyj", "bearer", "basic", "\\", "://",
    "identified", "akia", "asia", "abia", "acca", "aiza", "xox", "discord", "dapi", ":aa",
)  # fmt: skip
_MARKS_WITH = {
    "_": (
        "tr_", "tro_", "trr_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "k_live_", "k_test_", "whsec_",
        "npm_", "hf_", "dop_v1_", "glsa_", "shp",
    ),
    "-": (
        "-----begin", "glpat-", "glptt-", "gldt-", "glrt-", "glcbt-", "glsoat-", "glft-", "gocspx-", "xapp-", "sk-",
        "pypi-",
    ),
    ".": ("ya29.", "hvs.", "sg.", "hooks.slack."),
}  # fmt: skip
"""Every text that any pattern of `redact` could change has one of these in lower case, or hides a name in escapes."""

_NAME = (
    r"(?:passw|passphrase|secret|token|(?:api|private|access|account|signing|encryption|client)_?-?key|credential"
    r"|(?<![A-Za-z0-9])(?:pass(?=\s{0,5}=)|pwd?(?=\s{0,5}[:=]\s{0,5}[^\s/~.$])))"
)
_BEGINS = rf"(?<![\w.-])[\w.-]{{0,60}}{_NAME}[\w.-]{{0,40}}"
_LITERAL = re.compile(rf"({_BEGINS}[\"']?\s{{0,5}}(?::=|=>|[:=])\s{{0,5}})([\"'])[^\"'\n]{{1,500}}\2", re.I)
_GIVEN = re.compile(
    rf"({_BEGINS}(\s{{0,5}}[:=](?!=)\s{{0,5}}))(?!\\{{1,3}}[\"'])([^\s\"'&;,()\[\]{{}}]{{1,500}})(?![\w.(\[])", re.I
)
_OTHER_FORMS = tuple(
    re.compile(pattern, re.I)
    for pattern in (  # JSON in a string, in an address, an element and attributes of XML, a call's argument
        rf"({_BEGINS}(?:\\{{0,3}}[\"'])?\s{{0,5}}(?::=|=>|[:=])\s{{0,5}}\\{{1,3}}[\"'])[^\"'\\\n]{{1,500}}",
        rf"({_BEGINS}(?:%22|%27)?%3[ad](?:%20|\+)?(?:%22|%27)?)[^%&\s\"'\[]{{1,500}}",
        rf"(<{_BEGINS}(?:\s[^<>]{{0,200}})?>)[^<>\s][^<>]{{0,500}}(?=</)",
        rf"(=[\"'][^\"'\n]{{0,60}}{_NAME}[^\"'\n]{{0,40}}[\"']\s{{1,5}}value=[\"'])[^\"'\n]{{1,500}}",
        r"((?:passw(?:or)?d|passphrase|secret)\s{0,2}[( ]\s{0,2}\\{0,3}[\"'])[^\"'\\\n]{1,500}",
        r"(\bidentified\s{1,5}(?:with\s{1,5}\S{1,60}\s{1,5}(?:by|as)|by)\s{1,5}[\"'])[^\"'\n]{1,500}",  # SQL
        r"(\blogin\s{1,5}[^\s]{1,100}\s{1,5}password\s{1,5})[^\s]{1,500}",  # .netrc
        r"(\bjdbc:oracle:\w{1,10}:[\w$#.-]{1,60}/)[^\s@/]{1,200}(?=@)",
        r"((?:\b|_)auth[\"']?\s{0,5}[:=]\s{0,5}[\"']?)(?=[A-Za-z+/]{0,80}[\d=])[A-Za-z0-9+/]{16,500}={0,2}(?![\w.(])",
    )
)
"""Values after a secret's name, in other forms than an assignment."""
_SAID_NAME = (
    r"(?<![\w-])(?:pass(?:word|phrase|code|wd)?|pwd|pin|(?:secret|api|access|private|auth)[ _-]?(?:token|key)"
    r"|token|secret|cred(?:ential)?s)"
)
_GAP = r"[^\S\n]"
_SAID = re.compile(
    rf"((?:{_SAID_NAME}(?:{_GAP}[A-Za-z][\w'-]{{0,20}}){{0,5}}?{_GAP}(?:is|was|are|be|=)"
    rf"(?::|{_GAP}(?:now|still|just)|{_GAP}set{_GAP}to)?"
    rf"|\b(?:set|chang|reset|updat|rotat)\w{{0,6}}{_GAP}(?:[\w'-]{{1,20}}{_GAP}){{0,2}}{_SAID_NAME}"
    rf"(?:(?:{_GAP}(?!to\b)\S{{1,40}}){{0,4}}{_GAP}to|{_GAP}from)"
    rf"|\b(?:with|using){_GAP}(?:\w{{1,10}}{_GAP})?{_SAID_NAME}){_GAP}{{1,3}})"
    r"(?:(?P<quote>[\"'`])(?P<quoted>[^\"'`\n]{1,200})(?P=quote)"
    r"|(?P<plain>[^\s\"'`<>()\[\]{}]{4,200}?)(?=[.,;:!?]{0,3}(?:\s|[)\]\"'`]|\Z)))",
    re.I,
)
"""A sentence that says a password: "the password of bob is now x", "set the password to x", "with password x"."""
_PGPASS = re.compile(
    r"^((?!#)[^\s:/]{1,200}:(?:\d{4,5}|\*):(?!\d+:)[^\s:]{1,100}:[^\s:]{1,100}:)((?:\\.|[^\s:\\]){1,500})$", re.M
)
_ENCODINGS = {*aliases, *aliases.values(), *hashlib.algorithms_available, "base32", "argon2", "argon2id", "pbkdf2"}
_UNIT = re.compile(r"\d+[a-z]{1,5}|v\d[\d.]*|\d+(?:-\w+)+", re.I)
_CRYPT = re.compile(r"\$(?:apr1|2[abxy]|[1567y]|argon2\w{0,2}|pbkdf2[\w-]{0,12})\$[\w./$+=,-]{8,300}")
_SIGNATURE = re.compile(
    r"([?&](?:sig|signature|x-amz-signature|x-goog-signature|key|auth|code)=)[\w%+/=.-]{16,500}", re.I
)
_HEADER = re.compile(
    r"((?:(?:proxy-)?authorization|(?:set-)?cookie(?=[\"']?:\s{0,5}[^\s\"'=;]{1,100}=)|x-[\w-]{0,40}(?:key|auth|secret))"
    r"[\"']?\s{0,5}:\s{0,5}[\"']?(?:(?:bearer|basic|digest|negotiate|token|apikey)\s{1,4})?)"
    r"(?!(?:\w{1,20} )?\[redacted\])([^\s\"'][^\"'\n]{0,4000})",
    re.I,
)
_WORDS = re.compile(r"[A-Za-z_$][A-Za-z_$.?!:]*|\d{1,3}")
_TOKEN = re.compile(
    r"(?<![\w+/.$-])(?!_Z|_R|sha\d{1,3}-)"
    r"(?:[A-Za-z0-9_-]{24,512}={0,2}|[A-Za-z0-9+/]{40}|[\w-]{20,40}\.[\w-]{6,40}\.[\w-]{20,120})(?![\w+/.$-])"
)
_HEX_KEY = re.compile(
    r"\b(?!sha\d|md5|blake|commit)[A-Za-z]{2,10}(?:_[a-z0-9]{2,5})?(?:[_-]|(?<=[G-Zg-z]))[0-9a-f]{32,128}\b"
    r"|\b[0-9a-f]{32}-us\d{1,2}\b"
)
"""A key with the prefix of its service. A bare hash has none."""
_LONG_WORD = re.compile(r"[a-z]{7}|[A-Z]{7}")


def redact(text: str) -> str:
    """Mask JSON fields with a secret's name and well-known forms of secrets; also in truncated JSON."""
    return text if _is_plain(text) else _redact_secrets(text)


def mask_secrets(text: str, *, is_code: bool = False) -> str:
    """Mask what looks like a secret; in code, a secret's name may be assigned another name, which stays."""
    text = redact(text)
    text = _HEADER.sub(lambda found: found[0] if is_code and _is_prose(found[2]) else found[1] + REDACTED, text)
    text = _LITERAL.sub(rf"\1\2{REDACTED}\2", text)
    text = _GIVEN.sub(lambda found: found[0] if is_code and _is_variable(found) else found[1] + REDACTED, text)
    for pattern in (*_OTHER_FORMS, _SIGNATURE):
        text = pattern.sub(rf"\1{REDACTED}", text)
    for pattern in (_SAID, _SAID):  # from one, to another
        text = pattern.sub(_mask_sentence, text)
    text = _PGPASS.sub(rf"\1{REDACTED}", text)
    text = mask_commands(text, mask=REDACTED)
    text = _HEX_KEY.sub(REDACTED, _CRYPT.sub(REDACTED, text))
    return _TOKEN.sub(lambda found: REDACTED if _is_random(found[0]) else found[0], text)


def mask_marked(text: str, *, most: int = 8_192) -> str:
    """
    Mask as `mask_secrets` where a mark of a secret stands in the text, which most have not; cut what was masked.

    Cheap enough for every call. A random token without a mark is not found.
    """
    if _is_plain(text):
        return mask_commands(text, mask=REDACTED)
    return mask_secrets(_redact_secrets(text)[:most], is_code=True)


def mask_pem_blocks(text: str) -> str:
    """Mask PEM blocks, also without an end; call it before a text is cut."""
    return _PEM.sub(REDACTED, text)


class MaskedText(str):
    """Text with masked secrets, treated as code; there is no other way to create one."""

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        """Mask the text."""
        return super().__new__(cls, mask_secrets(text, is_code=True))


def _is_plain(text: str) -> bool:
    """Return whether certainly nothing needs masking; this holds for most calls and takes a tenth of the time."""
    if not text.isascii() or text.count("{") + text.count("[") > DEEPEST:
        return False
    lowered = text.lower()
    for mark in _MARKS:
        if mark in lowered:
            return False
    return not any(sign in lowered and any(mark in lowered for mark in marks) for sign, marks in _MARKS_WITH.items())


def _redact_secrets(text: str) -> str:
    text = mask_pem_blocks(_FIELD.sub(_blank, text))
    with suppress(ValueError):
        parsed = orjson.loads(text)
        clean = _without_secrets(parsed, depth=0)
        text = text if clean == parsed else json.dumps(clean, ensure_ascii=False)
    text = _SHAPES.sub(REDACTED, text)
    text = _ADDRESS.sub(lambda found: f"{found[1]}{found[2] or ''}{REDACTED}{found[3]}", text)
    # A function instead of a template, because Python 3.11 parses a template on every call.
    return _BEARER.sub(lambda found: f"{found[1]} {REDACTED}", text)


def _without_secrets(value: Any, *, depth: int) -> Any:
    """Mask the values of secret-looking names, and everything nested deeper than DEEPEST."""
    if not isinstance(value, dict | list):
        return value
    if depth > DEEPEST:
        return REDACTED
    if isinstance(value, list):
        return [_without_secrets(part, depth=depth + 1) for part in value]
    return {
        name: REDACTED if _SECRET_NAME.search(name) else _without_secrets(part, depth=depth + 1)
        for name, part in value.items()
    }


def _blank(field: re.Match[str]) -> str:
    name, colon = field[1], field[2]
    return f'"{name}"{colon}"{REDACTED}"' if _SECRET_NAME.search(name) else field[0]


def _mask_sentence(found: re.Match[str]) -> str:
    value, quote = found["quoted"] or found["plain"], found["quote"] or ""
    is_number = value.isdigit() and len(value) > 3 and re.search("pass|pwd|pin", found[1], re.I)  # noqa: PLR2004
    is_password = is_number or (" " not in value if quote else _is_chosen(value))
    return f"{found[1]}{quote}{REDACTED}{quote}" if is_password else found[0]


def _is_chosen(value: str) -> bool:
    """
    Return whether a word of a sentence is a password rather than a word that says something of it.

    A word of letters alone, a number with a unit, a path and the name of a hash or an encoding stay.
    """
    has_letter, has_digit = any(map(str.isalpha, value)), any(map(str.isdigit, value))
    has_sign = any(sign in "!@#$%^&*+~?=" for sign in value.strip("*"))
    is_term = "/" in value or _UNIT.fullmatch(value) or value.lower().split("-")[0] in _ENCODINGS
    return has_letter and (has_digit or has_sign) and not is_term


def _is_prose(value: str) -> bool:
    """Return whether there are only words of letters, as in a sentence or a declaration."""
    return all(_WORDS.fullmatch(word.strip(",;(){}<>") or "x") for word in value.split())


def _is_variable(given: re.Match[str]) -> bool:
    """
    Return whether code assigns to a secret's name another name, a type or a small number.

    `PASSWORD=word` as in a shell, and a line with nothing but `password: word`, assign a value.
    """
    if not _WORDS.fullmatch(given[3]):
        return False
    follows = given.string[given.end() : given.end() + 1]
    if given[2] == "=":
        return follows in tuple(",)]}")
    is_whole_line = follows in ("", "\n") and not given.string[: given.start()].rpartition("\n")[2].strip()
    return "=" in given[2] or not is_whole_line


def _is_random(token: str) -> bool:
    """
    Return whether a long token is random rather than a name or a hash.

    Random text of letters and digits mixes cases and digits and has no long run of letters in one case. Hashes and
    UUIDs have one case.
    """
    digits = len(re.findall(r"\d+", token))
    lower, upper = sum(map(str.islower, token)), sum(map(str.isupper, token))
    return min(digits, lower, upper) >= 3 and not _LONG_WORD.search(token)  # noqa: PLR2004
