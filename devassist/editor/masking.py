"""
Text of editors and terminals before it is kept: secrets masked, terminal signs taken out; pure.

Beside what the kernel blanks: well-known shapes of keys, PEM blocks, passwords in addresses, options, environment
variables, and literals that are given a secret's name. Code that only mentions a token stays as it is.
"""

import re

from toolbox.text.redaction import REDACTED, redact

MAX_LINES = 50
MAX_LINE = 2_000

_NAME = r"(?:passw|secret|token|api_?-?key|credential|private_?-?key|access_?-?key)"
_PEM = re.compile(r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|\Z)", re.S)
_SHAPES = re.compile(
    r"""
    \bgh[pousr]_[A-Za-z0-9]{20,} | \bgithub_pat_\w{20,} | \bglpat-[\w-]{16,} | \bsk-[\w-]{16,} | \bxox[abprs]-[\w-]{8,}
  | \b(?:AKIA|ASIA)[0-9A-Z]{16}\b | \bAIza[\w-]{30,} | \bnpm_[A-Za-z0-9]{30,} | \bpypi-[\w-]{30,}
  | \beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{0,500} | \bhvs\.[\w-]{20,}
    """,
    re.X,
)
_ADDRESS = re.compile(r"(\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{0,100}:)[^\s/@]{1,200}(@)", re.I)
_BEGINS = rf"(?<![\w.-])[\w.-]{{0,60}}{_NAME}[\w.-]{{0,40}}"
_LITERAL = re.compile(rf"({_BEGINS}[\"']?\s{{0,5}}(?::=|=>|[:=])\s{{0,5}})([\"'])[^\"'\n]{{1,500}}\2", re.I)
_GIVEN = re.compile(rf"({_BEGINS}\s{{0,5}}[:=](?!=)\s{{0,5}})([^\s\"'&;,()\[\]{{}}]{{1,500}})(?![\w.(\[])", re.I)
_OPTION = re.compile(
    rf"((?<![\w-])--?(?:[a-z]\w{{0,20}}-){{0,3}}{_NAME}[\w-]{{0,20}}(?:=|[ \t]{{1,5}}))[^\s-]\S{{0,500}}", re.I
)
_WORDS = re.compile(r"[A-Za-z_$][A-Za-z_$.?!:]*|\d{1,3}")
_CONTROL = re.compile(
    r"""
    \x1b\[[0-?]{0,100}[ -/]{0,10}[@-~]                 # colours, cursor
  | \x1b\][^\x07\x1b]{0,2000}(?:\x07|\x1b\\)?       # titles, links
  | \x1b[PX^_][^\x1b]{0,2000}(?:\x1b\\)?             # strings for the terminal itself
  | \x1b[()][A-Z0-9] | \x1b[ -~]
    """,
    re.X,
)
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def masked(text: str, *, is_code: bool = False) -> str:
    """Blank what looks like a secret; in code a secret's name may be given another name, which stays."""
    text = _SHAPES.sub(REDACTED, redact(without_keys(text)))
    text = _ADDRESS.sub(rf"\1{REDACTED}\2", text)
    text = _LITERAL.sub(rf"\1\2{REDACTED}\2", text)
    text = _GIVEN.sub(lambda found: found[0] if is_code and _WORDS.fullmatch(found[2]) else found[1] + REDACTED, text)
    return text if is_code else _OPTION.sub(rf"\1{REDACTED}", text)


def without_keys(text: str) -> str:
    """Blank PEM blocks, also one whose end is missing: before a text is cut."""
    return _PEM.sub(REDACTED, text)


def readable(text: str) -> str:
    """Take out what a terminal does not show: colours, titles, what a carriage return wrote over, control signs."""
    plain = _CONTROL.sub("", text).replace("\r\n", "\n")
    lines = (line.rstrip("\r").rpartition("\r")[2] for line in plain.split("\n"))
    return "\n".join(_UNSEEN.sub("", line) for line in lines)


def last_lines(text: str) -> str:
    """Give the last 50 lines, long ones cut; empty lines at the end do not count."""
    lines = text.rstrip().split("\n")[-MAX_LINES:]
    return "\n".join(line if len(line) <= MAX_LINE else f"{line[:MAX_LINE]}…" for line in lines)
