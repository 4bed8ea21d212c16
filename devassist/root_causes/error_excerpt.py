"""Extraction of the relevant lines of a paste: exception, message, first own frames."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

MAX_READ = 60_000
"""Characters read from each end of a longer paste: the JVM prints the error first, Python last."""
MAX_LINES = 1_500
MAX_LINE = 2_000
MAX_MESSAGE = 400
MAX_TOLD = 4_000
OWN_FRAMES = 3

_CONTROL = re.compile(r"\x1b\[[0-9;]*m|[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
# Possessive, for several optional spaces in a row would otherwise be tried in every way.
_LOG_PREFIX = re.compile(
    r"^(?:\d\d-\d\d \d\d:\d\d:\d\d\.\d++\s++(?:\d++\s++\d++\s++)?[VDIWEF][/\s]++[\w.$-]++(?: ++[\w.$-]++)*+\s*+"
    r"(?:\(\s*+\d++\))?:\s?"
    r"|[VDIWEF]/[\w.$]++\s*+\(\s*+\d++\):\s?"
    r"|[VDIWEF] [\w.$]++\s*+: ?)"
)
_JVM_FRAME = re.compile(r"^\s*at (?:[\w.-]+/)*([\w.$<>-]+)\(([^()]*)\)")
_JS_FRAME = re.compile(
    r"^\s*at (?:async )?(?:new )?(?:([\w.$<>\[\] ]+?) \()?"
    r"((?:file://|https?://|webpack|node:|/|\w:|\.)?[^()]*?):\d+(?::\d+)?\)?$"
)
_PYTHON_FRAME = re.compile(r'^\s*File "([^"]+)", line \d+(?:, in (\S+))?')
_ERROR = re.compile(
    r"^(?:Exception in thread \"[^\"]*\"\s+|Uncaught\s+(?:\(in promise\)\s+)?|Unhandled exception[^:]*:\s*"
    r"|Error:\s+(?=\w+Error))?"
    r"((?:[A-Za-z_$][\w$]*\.)*[A-Z][\w$]*(?:Error|Exception|Throwable|Interrupt|Exit|Warning|Failure))(?:\s*\[[\w-]+\])?"
    r"(?::\s*(.*))?$"
)
_CAUSED_BY = re.compile(r"^\s*(?:Caused by|Suppressed):\s*")
_COMPILER_PLACE = re.compile(
    r"^(?:e: |w: )?(?:file://)?\S+?\.(?:kts?|java|tsx?|jsx?|mts|cts|py)[:(][\d:,() -]*\)?:?\s*"
)
_BUILD = re.compile(r"^\* What went wrong:")
_FOREIGN = (
    "java.", "javax.", "jdk.", "sun.", "kotlin.", "kotlinx.", "android.", "androidx.", "com.android.", "dalvik.",
    "org.gradle.", "com.google.", "okhttp3.", "okio.", "retrofit2.", "dagger.", "io.reactivex.", "org.junit.",
    "org.springframework.", "junit.", "libcore.", "org.jetbrains.",
)  # fmt: skip
_FOREIGN_PLACES = ("node_modules", "node:", "internal/", "site-packages", "dist-packages", "lib/python", "<frozen")


@dataclass(frozen=True, slots=True)
class ErrorExcerpt:
    """The relevant parts of a paste: the error for the search by similarity, the place for the search by words."""

    error: str
    frames: tuple[str, ...] = ()
    is_trace: bool = False

    @property
    def meaning(self) -> str:
        """The text for the search by similarity: the error, with its frames if it is a bare name."""
        return self.words if self.error.isidentifier() else self.error

    @property
    def words(self) -> str:
        """The text for the search by words: everything."""
        return "\n".join((self.error, *self.frames))


def extract_excerpt(text: str) -> ErrorExcerpt:
    """Extract the relevant lines of a stack trace or a build failure. Any other text is cut only."""
    lines = read_lines(text)
    frames = [frame for line in lines if (frame := _frame(line))]
    tells_last = any(_PYTHON_FRAME.match(line) for line in lines)
    errors = _build_failure(lines) or (_errors(lines, tells_last=tells_last) if frames else [])
    if not errors:
        return ErrorExcerpt(" ".join(" ".join(lines).split())[:MAX_TOLD])
    own = [name for name, is_own in frames if is_own]
    if tells_last:
        own.reverse()
    return ErrorExcerpt("\n".join(errors), tuple(dict.fromkeys(own))[:OWN_FRAMES], is_trace=True)


def read_lines(text: str) -> list[str]:
    """Return a paste's lines without control characters and Android log prefixes. A long paste loses its middle."""
    if len(text) > 2 * MAX_READ:
        text = text[:MAX_READ] + "\n" + text[-MAX_READ:]
    lines = text.splitlines()
    if len(lines) > 2 * MAX_LINES:
        lines = lines[:MAX_LINES] + lines[-MAX_LINES:]
    return [_LOG_PREFIX.sub("", _CONTROL.sub(" ", line[:MAX_LINE])) for line in lines]


def _frame(line: str) -> tuple[str, bool] | None:
    """Return the function of a frame, and whether it is the caller's own code."""
    if jvm := _JVM_FRAME.match(line):
        name = jvm[1]
        if jvm[2].startswith(("Native", "Unknown")) or re.search(r"\.(?:java|kt|scala|groovy)\b", jvm[2]):
            return ".".join(name.split(".")[-2:]), not name.startswith(_FOREIGN)
    if python := _PYTHON_FRAME.match(line):
        return f"{python[2] or ''} {python[1].rpartition('/')[2]}".strip(), _is_own_place(python[1])
    if script := _JS_FRAME.match(line):
        place = script[2].rpartition("/")[2]
        return f"{script[1] or ''} {place}".strip(), _is_own_place(script[2])
    return None


def _is_own_place(place: str) -> bool:
    return not any(mark in place for mark in _FOREIGN_PLACES)


def _errors(lines: Sequence[str], *, tells_last: bool) -> list[str]:
    """Return the last error and the first one, the root first. Python prints the last error at the end."""
    found = [said for line in lines if (said := _error(line))]
    caused = [said for line in lines if _CAUSED_BY.match(line) and (said := _error(line))]
    roots = caused[-1:] or (found[-1:] if tells_last else found[:1])
    return list(dict.fromkeys([*roots, *found[:1]]))


def _error(line: str) -> str | None:
    found = _ERROR.match(_CAUSED_BY.sub("", line).strip()[:1_000])
    if not found:
        return None
    name, message = found[1].rpartition(".")[2], (found[2] or "").strip()
    return f"{name}: {message}"[:MAX_MESSAGE] if message else name


def _build_failure(lines: Sequence[str]) -> list[str]:
    """Return Gradle's failure and the compiler's messages, without places."""
    said: list[str] = []
    for number, line in enumerate(lines):
        if _BUILD.match(line):
            after = lines[number + 1 : number + 12]
            end = next((at for at, one in enumerate(after) if one.startswith(("* ", "====="))), len(after))
            said += [one.strip().lstrip("> ") for one in after[:end] if one.strip()]
    complaints = [_COMPILER_PLACE.sub("", line).strip() for line in lines if _is_complaint(line)]
    return [one[:MAX_MESSAGE] for one in dict.fromkeys([*complaints[:3], *said])][:8]


def _is_complaint(line: str) -> bool:
    place = _COMPILER_PLACE.match(line)
    return bool(place) and (line.startswith("e: ") or "error" in line[place.end() if place else 0 :][:12].lower())
