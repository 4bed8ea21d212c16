"""Reading of source files as facts. A file that cannot be read has a `problem`."""

from devassist.code_graph.facts import FileFacts
from devassist.code_graph.jvm_lowering import JvmLowering
from devassist.code_graph.lowering import FileLowering
from devassist.code_graph.python_lowering import PythonLowering
from devassist.code_graph.script_lowering import ScriptLowering
from devassist.syntax.grammars import grammar_of
from devassist.syntax.parse import MAX_BYTES, ParseOverdue, parse

TOO_LARGE = "is larger than 2 MB"
NOT_TEXT = "is no text in UTF-8"
TOO_COMPLEX = "takes too long to parse: it is very large, deeply nested or broken in many places"
HAS_ERRORS = "has syntax errors: calls in them are not seen"
PARSE_SECONDS = 3.0

_LOWERINGS: dict[str, type[FileLowering]] = {
    "python": PythonLowering,
    "javascript": ScriptLowering,
    "typescript": ScriptLowering,
    "java": JvmLowering,
    "kotlin": JvmLowering,
}


def read_facts(data: bytes, *, path: str) -> FileFacts:
    """Read the facts of a source file. If that fails, `problem` says why and the rest is empty."""
    if len(data) > MAX_BYTES:
        return _empty(TOO_LARGE)
    if b"\0" in data[:8_192]:
        return _empty(NOT_TEXT)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return _empty(NOT_TEXT)
    try:
        code = parse(text.replace("\r\n", "\n").replace("\r", "\n"), path=path, seconds=PARSE_SECONDS)
        if code is None:
            return _empty("")
        facts = _LOWERINGS[code.grammar.language](code).lower()
    except (ParseOverdue, RecursionError):
        return _empty(TOO_COMPLEX)
    if not code.is_whole:
        facts.problem = HAS_ERRORS
    return facts


def language_of(path: str) -> str:
    """Return the language of a supported file by its extension. Empty for others."""
    grammar = grammar_of(path)
    return grammar.language if grammar else ""


def _empty(problem: str) -> FileFacts:
    return FileFacts([], [], [], [], [], [], {}, 0, "", problem)
