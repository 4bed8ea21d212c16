"""
Stack traces of Python, JavaScript and the JVM as data. Pure.

    trace = parse_trace(text)
    trace.errors[0]             # the error that was seen; each following one is its cause, or suppressed beside it
    trace.errors[0].frames[0]   # where it was raised: frames run from there outwards, in every language
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from hashlib import sha256
from typing import Literal

from devassist.root_causes.error_excerpt import read_lines

MAX_ERRORS = 20
MAX_FRAMES = 400
MAX_MESSAGE = 1_000
FINGERPRINT_FRAMES = 5

Relation = Literal["seen", "cause", "context", "suppressed", "member"]


class Language(StrEnum):
    """The language of a frame."""

    PYTHON = "python"
    JAVASCRIPT = "javascript"
    JVM = "jvm"


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """
    A printed frame. `path` has forward slashes; `scope` is the class of a JVM frame, else empty.

    `code` is the source line that Python prints, `is_library` says that the path is of an installed package or the
    runtime, `is_synthetic` that a compiler made the function.
    """

    language: Language
    path: str
    line: int | None
    column: int | None = None
    function: str = ""
    scope: str = ""
    code: str = ""
    is_library: bool = False
    is_synthetic: bool = False


@dataclass(slots=True, kw_only=True)
class RaisedError:
    """An error with its frames, the place where it was raised first."""

    kind: str
    message: str = ""
    relation: Relation = "seen"
    frames: list[Frame] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """The errors of a paste, the one that was seen first. `is_cut` if the paste exceeds what is read."""

    errors: tuple[RaisedError, ...]
    is_cut: bool = False
    has_cut_message: bool = False

    @property
    def frames(self) -> list[Frame]:
        """Return all frames, those of the root cause first."""
        ordered = sorted(self.errors, key=lambda error: error is not self.root)
        return [frame for error in ordered for frame in error.frames]

    @property
    def root(self) -> RaisedError | None:
        """Return the last error in the chain of causes."""
        chain = [error for error in self.errors if error.relation in ("seen", "cause", "context")]
        return chain[-1] if chain else None

    @property
    def language(self) -> Language | None:
        """Return the language of its frames."""
        return next((frame.language for frame in self.frames), None)

    def fingerprint(self) -> str:
        """
        Return a fingerprint that equal traces share.

        It is made of the kinds of errors and the functions of the first own frames; lines, columns, folders, numbers of
        lambdas and messages, which hold addresses and values, take no part.
        """
        own = [frame for frame in self.frames if not frame.is_library and not frame.is_synthetic] or self.frames
        places = [f"{frame.path.rpartition('/')[2]}:{frame.scope}:{frame.function}" for frame in own]
        kinds = [f"{error.relation}:{error.kind}" for error in self.errors]
        said = [*kinds, *list(dict.fromkeys(re.sub(r"0x[0-9a-f]+|\d+", "#", one) for one in places))]
        return sha256("\n".join(said[: len(kinds) + FINGERPRINT_FRAMES]).encode()).hexdigest()[:16]


_KIND = r"(?:[A-Za-z_$][\w$]*(?:\.|::|/))*[A-Za-z_$][\w$]*"
_ENDINGS = (
    r"(?:Error|Exception|Throwable|Interrupt|Exit|Warning|Failure|Group|Fault|Abort|Timeout|NotFound|Denied|Invalid\w*)"
)
_ERROR = re.compile(
    rf"^(?:Exception in thread \"[^\"]{{0,200}}\"\s+|Uncaught\s+(?:\(in promise\)\s+)?|Unhandled \w+[^:]{{0,40}}:\s*"
    rf"|\[(?:cause|errors)\]:\s+)?(?P<kind>{_KIND}{_ENDINGS}|Error|AggregateError)(?:\s*\[[\w-]+\])?"
    r"(?::\s?(?P<message>.*))?$"
)
_PYTHON_ERROR = re.compile(rf"^(?P<kind>{_KIND})(?:: (?P<message>.*))?$")
_JVM_RELATION = re.compile(r"^\s*(Caused by|Suppressed|Wrapped by): (.*)$")
_JVM_FRAME = re.compile(r"^\s*at (?:[\w.@-]*/)*(?P<name>[^\s()/]+)\((?P<place>[^()]*)\)\s*(?:~?\[.*)?$")
_JVM_PLACE = re.compile(r"^(?P<file>[\w$.-]+\.(?:java|kts?|scala|groovy))(?::(?P<line>\d{1,9}))?$")
_JS_FRAME = re.compile(
    r"^\s*at (?:(?P<function>(?:async |new )*[^()]{0,300}?) \()?(?P<path>(?!index \d)[^()]*?):(?P<line>\d{1,9})"
    r"(?::(?P<column>\d{1,9}))?\)?(?:,.*)?\s*\{?$"
)
_JS_FIREFOX = re.compile(r"^\s*(?P<function>[^@\s]{0,200})@(?P<path>\S+?):(?P<line>\d{1,9}):(?P<column>\d{1,9})$")
_PY_FRAME = re.compile(r'^\s*File "(?P<path>[^"]+)", line (?P<line>\d{1,9})(?:, in (?P<function>.+))?$')
_PY_HEAD = re.compile(r"^\s*(?:Exception Group )?Traceback \(most recent call last\):")
_PY_CAUSE = "The above exception was the direct cause of the following exception:"
_PY_CONTEXT = "During handling of the above exception, another exception occurred:"
_GROUP_PREFIX = re.compile(r"^\s{0,200}(?:\| ?|\+ (?=Exception Group)|\+-+(?: [\d.]+ -+)?$)")
_GROUP_MEMBER = re.compile(r"^\s{0,200}\+-(?:\+-)?-* [\d.]+ -+")
_CARETS = re.compile(r"^[\s^~]*[\^~][\s^~]*$")
_OUTER_PREFIX = re.compile(
    r"^(?:[\w.-]{1,60}\s{1,20}\| "
    r"|\d{4}-\d\d-\d\d[T ][\d:.,]{8,18}(?:Z|[+-]\d\d:?\d\d)?\s(?:\[?(?:ERROR|FATAL|WARN)\]?\s)?"
    r"|[VDIWEF] [\w.$]{1,60}\s*: ?)"
)
_LIBRARY = re.compile(
    r"(?:^|/)(?:site-packages|dist-packages|node_modules|jdk|\.pnpm|\.yarn)/|/lib/python\d|^node:|^internal/|^<|^webpack/"
)
_RUNTIME = (
    "java.", "javax.", "jdk.", "sun.", "kotlin.", "kotlinx.", "android.", "androidx.", "com.android.", "dalvik.",
    "org.gradle.", "com.google.", "okhttp3.", "okio.", "retrofit2.", "dagger.", "io.reactivex.", "org.junit.",
    "org.springframework.", "junit.", "libcore.", "org.jetbrains.", "jakarta.", "org.apache.", "org.hibernate.",
    "io.netty.", "reactor.", "io.ktor.", "org.eclipse.", "com.sun.", "groovy.", "scala.",
)  # fmt: skip
_SYNTHETIC = re.compile(r"^(?:access\$|lambda\$access|\$\$Lambda|bridge\$)|\$default$|\$\$FastClass|\$Proxy\d")


def parse_trace(text: str) -> Trace:
    """Parse the trace in a paste, ignoring surrounding text. Without frames there are at most errors."""
    lines = [_OUTER_PREFIX.sub("", line) for line in read_lines(text)]
    if any("Exception Group Traceback" in line for line in lines):
        lines = [_member_line(line) for line in lines]
    parsers: tuple[Callable[[Sequence[str]], list[RaisedError]], ...] = (_parse_python, _parse_jvm, _parse_javascript)
    errors = max((parser(lines) for parser in parsers), key=lambda found: sum(len(error.frames) for error in found))
    kept, frames = [], 0
    for error in errors[:MAX_ERRORS]:
        kept.append(replace(error, message=error.message[:MAX_MESSAGE], frames=error.frames[: MAX_FRAMES - frames]))
        frames += len(kept[-1].frames)
    total = sum(len(error.frames) for error in errors)
    return Trace(
        errors=tuple(kept),
        is_cut=len(errors) > MAX_ERRORS or total > frames,
        has_cut_message=any(len(error.message) > MAX_MESSAGE for error in errors),
    )


_MEMBER = "+-+ member"


def _member_line(line: str) -> str:
    """Strip the rails of an exception group. Marks where a member begins."""
    if _GROUP_MEMBER.match(line):
        return _MEMBER
    while (shorter := _GROUP_PREFIX.sub("", line)) != line:
        line = shorter
        if not line.lstrip().startswith(("|", "+")):
            break
    return line


def _parse_python(lines: Sequence[str]) -> list[RaisedError]:
    """Parse a trace of Python, which prints causes first and the place of an error last."""
    printed: list[RaisedError] = []
    frames: list[Frame] = []
    relation: Relation = "seen"
    is_member = is_open = False
    for number, line in enumerate(lines):
        if found := _PY_FRAME.match(line):
            frames.append(_python_frame(found, code=_code_after(lines, number=number)))
            is_open = True
        elif line.strip() in (_PY_CAUSE, _PY_CONTEXT):
            relation = "cause" if line.strip() == _PY_CAUSE else "context"
        elif line == _MEMBER:
            is_member, is_open, relation = True, True, "seen"
        elif _PY_HEAD.match(line):
            frames = []
        elif is_open and (ended := _python_error(line)):
            ended.frames = frames[::-1]
            # The relation says how the error printed before belongs to this one.
            if printed and relation != "seen":
                printed[-1].relation = relation
            if is_member and relation == "seen":
                ended.relation = "member"
            printed.append(ended)
            frames, is_open, relation = [], False, "seen"
    if frames:
        printed.append(RaisedError(kind="", frames=frames[::-1]))
    return _seen_first(printed)


def _seen_first(printed: list[RaisedError]) -> list[RaisedError]:
    """Order errors from the one that was seen to its causes. Members of a group follow it."""
    members = [error for error in printed if error.relation == "member"]
    chain: list[list[RaisedError]] = [[]]
    for error in (error for error in printed if error.relation != "member"):
        chain[-1].insert(0, error)
        if error.relation == "seen":
            chain.append([])
    return [*(chain[-2] if len(chain) > 1 and not chain[-1] else chain[-1]), *members]


def _python_frame(found: "re.Match[str]", *, code: str) -> Frame:
    path = _normalise(found["path"])
    return Frame(
        language=Language.PYTHON, path=path, line=int(found["line"]), function=found["function"] or "", code=code,
        is_library=_is_library(path), is_synthetic=path.startswith("<"),
    )  # fmt: skip


def _code_after(lines: Sequence[str], *, number: int) -> str:
    """Return the source line that Python printed below a frame."""
    following = lines[number + 1].rstrip() if number + 1 < len(lines) else ""
    is_code = following.startswith("    ") and not _PY_FRAME.match(following) and not _CARETS.match(following)
    return following.strip() if is_code else ""


def _python_error(line: str) -> RaisedError | None:
    if line.startswith((" ", "\t")) or not line.strip():
        return None
    found = _PYTHON_ERROR.match(line)
    return RaisedError(kind=_last_name(found["kind"]), message=found["message"] or "") if found else None


def _parse_jvm(lines: Sequence[str]) -> list[RaisedError]:
    errors: list[RaisedError] = []
    for line in lines:
        if found := _JVM_FRAME.match(line):
            if frame := _jvm_frame(found):
                if not errors:
                    errors.append(RaisedError(kind=""))
                errors[-1].frames.append(frame)
            continue
        related = _JVM_RELATION.match(line)
        said = _ERROR.match(related[2].strip() if related else line.strip())
        if related and not said:
            said = _PYTHON_ERROR.match(related[2].strip())
        if said:
            relation: Relation = "seen"
            if related:
                relation = "suppressed" if related[1] == "Suppressed" else "cause"
            errors.append(RaisedError(kind=_last_name(said["kind"]), message=said["message"] or "", relation=relation))
    return _drop_empty(errors)


def _jvm_frame(found: "re.Match[str]") -> Frame | None:
    owner, _, method = found["name"].rpartition(".")
    place = _JVM_PLACE.match(found["place"])
    if not owner or (place is None and found["place"] not in ("Native Method", "Unknown Source", "")):
        return None
    package, _, scope = owner.rpartition(".")
    function, scope_name = _jvm_function(method, scope=scope)
    folder = package.replace(".", "/")
    path = f"{folder}/{place['file']}" if place and folder else place["file"] if place else ""
    return Frame(
        language=Language.JVM, path=path, line=int(place["line"]) if place and place["line"] else None,
        function=function, scope=scope_name, is_library=f"{owner}.".startswith(_RUNTIME),
        is_synthetic=bool(_SYNTHETIC.search(method) or _SYNTHETIC.search(scope)) or not place or place["line"] == "0",
    )  # fmt: skip


def _jvm_function(method: str, *, scope: str) -> tuple[str, str]:
    """Return the function and class as written in the source. Compilers name lambdas and coroutines by both."""
    outer, *inner = scope.split("$")
    written = [part for part in inner if part and not part.isdigit()]
    if method in ("invokeSuspend", "invoke", "emit", "run", "apply", "accept", "call", "get", "test") and inner:
        named = [part for part in written if part[:1].islower() and part not in ("inlined", "special", "map", "filter")]
        if named:
            classes = [part for part in written[: written.index(named[0])] if part[:1].isupper()]
            return named[0], ".".join((outer, *classes))
    if lambda_of := re.match(r"^lambda\$(\w+?)(?:\$\w*)?$", method):
        method = lambda_of[1]
    method = re.sub(r"^access\$|\$(?:default|lambda-?\d*.*|\d+)$|-[\w-]{7,}$", "", method)
    return method, ".".join((outer, *(part for part in written if part[:1].isupper())))


def _parse_javascript(lines: Sequence[str]) -> list[RaisedError]:
    errors: list[RaisedError] = []
    for line in lines:
        if found := _JS_FRAME.match(line) or _JS_FIREFOX.match(line):
            if not errors:
                errors.append(RaisedError(kind=""))
            errors[-1].frames.append(_script_frame(found))
        elif said := _ERROR.match(line.strip()):
            is_next = errors and errors[-1].frames and line.lstrip().startswith("[cause]")
            relation: Relation = "cause" if is_next else "seen"
            errors.append(RaisedError(kind=_last_name(said["kind"]), message=said["message"] or "", relation=relation))
    return _drop_empty(errors)


def _script_frame(found: "re.Match[str]") -> Frame:
    path = _normalise(found["path"])
    function = re.sub(
        r"^(?:async |new )+|\[as [^\]]*\]|^Object\.|^Module\.|<anonymous>|/<$", "", found["function"] or ""
    )
    return Frame(
        language=Language.JAVASCRIPT, path=path, line=int(found["line"]),
        column=int(found["column"]) if found["column"] else None, function=function.strip(" ."),
        is_library=_is_library(path), is_synthetic=False,
    )  # fmt: skip


def _drop_empty(errors: list[RaisedError]) -> list[RaisedError]:
    """Leave out lines that look like errors and have no frames, if others have some."""
    framed = [error for error in errors if error.frames]
    if not framed:
        return errors[-1:]
    kept = [error for error in errors if error.frames or error.relation != "seen"]
    first = next((number for number, error in enumerate(kept) if error.frames), 0)
    # A paste may hold several runs: the last error that was seen counts, with what belongs to it.
    seen = [number for number, error in enumerate(kept) if error.relation == "seen" and error.frames]
    return kept[seen[-1] :] if seen else kept[first:]


def _normalise(path: str) -> str:
    """Normalise a path: forward slashes, without scheme, host, query, drive and bundler prefixes."""
    path = path.strip().replace("\\", "/")
    path = re.sub(r"^file:/{2,3}(?=[A-Za-z]:)|^file://", "", path)
    path = re.sub(r"^webpack(?:-internal)?:/{2,3}[^/]*/", "", path)
    path = re.sub(r"^(?:https?|capacitor|app)://[^/]+/", "", path)
    path = re.sub(r"[?#].*$", "", path)
    path = re.sub(r"^[A-Za-z]:(?=/)", "", path)
    return re.sub(r"/\./|^\./", "/", path).removeprefix("/") if not path.startswith("/") else path


def _is_library(path: str) -> bool:
    return bool(_LIBRARY.search(path))


def _last_name(kind: str) -> str:
    return re.split(r"\.|::|/", kind)[-1].replace("$", ".")
