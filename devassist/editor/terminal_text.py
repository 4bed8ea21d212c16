"""Visible text of a terminal, and its last lines. Pure."""

import re

MAX_LINES = 50
MAX_LINE = 2_000

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


def readable(text: str) -> str:
    """Remove what a terminal does not show: colours, titles, overwritten text, control characters."""
    plain = _CONTROL.sub("", text).replace("\r\n", "\n")
    lines = (line.rstrip("\r").rpartition("\r")[2] for line in plain.split("\n"))
    return "\n".join(_UNSEEN.sub("", line) for line in lines)


def last_lines(text: str) -> str:
    """Return the last 50 lines, long ones cut. Trailing empty lines do not count."""
    lines = text.rstrip().split("\n")[-MAX_LINES:]
    return "\n".join(line if len(line) <= MAX_LINE else f"{line[:MAX_LINE]}…" for line in lines)
