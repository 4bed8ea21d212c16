"""
Rule 10 of the house: names are the field's standard terms, and functions are verbs.

`python -m tests.architecture.names [folder ...]` lists what it refuses.
"""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.sources import Function, in_packages, name_of, python, tree


def _split(words: str) -> frozenset[str]:
    return frozenset(words.split())


BANNED_WORDS = {
    "bell": "listener", "bells": "listeners", "desk": "search", "desks": "searches",
    "dear": "expensive",
    "dialect": "error envelope", "dialects": "error envelopes",
    "door": "endpoint", "doors": "endpoints", "face": "transport", "faces": "transports",
    "hung": "subscribed", "keeper": "watchdog", "lane": "middleware or pool", "lanes": "middleware or pools",
    "ledger": "pool or log", "ledgers": "pools or logs", "mend": "fix", "mends": "fixes", "mended": "fixed",
    "mending": "repair", "misshapen": "malformed", "nowhere": "not found", "offered": "resources",
    "telling": "a verb and its object", "tellings": "events", "wall": "lockdown", "walls": "lockdown",
    "walled": "locked down", "whoever": "caller",
}  # fmt: skip
# Banned as a function, class or module, or as a word of its name; allowed as a variable (a golf course, a home team).
BANNED_DEFINITIONS = {"course": "policy", "home": "event loop or folder", "move": "action"}
BANNED_PREFIXES = {
    "MOST": "MAX",
    "LONGEST": "MAX",
    "LARGEST": "MAX",
    "FEWEST": "MIN",
    "LEAST": "MIN",
    "SHORTEST": "MIN",
}
IRREGULAR = _split(
    """
    born beaten begun bound broken brought built bought caught chosen drawn driven fallen forgotten fought found
    frozen given gone grown had heard held hidden hung kept known laid learnt led left lent lost made meant met
    overrun paid proven said seen sent shown sold sought spent spoken spun stolen stood struck sung sunk swept sworn
    taken taught thought thrown told torn understood unseen won woken worn wound written withdrawn
    """
)
NOT_PARTICIPLES = _split(
    """
    anything bleed bring embed everything exceed feed heading heed meaning need nothing ping proceed ring seed sing
    something speed spring string succeed thing
    """
)
GERUNDS = _split(
    """
    acting asking collecting deciding describing drafting entering following holding listing mending saying sharing
    shortening showing speaking standing talking telling trying watching wording
    """
)
PARTICLES = _split(
    """
    about across after again aside at away back before beside between by down exactly for freely from in into of off
    on once out over so through to together under up with within without
    """
)
SHOWN = {"asked", "kept", "laid", "said", "shown", "taken", "told", "wanted"}
STATEMENTS = {
    "are",
    "as",
    "can",
    "do",
    "does",
    "has",
    "have",
    "if",
    "is",
    "may",
    "must",
    "not",
    "should",
    "was",
    "were",
}
FUNCTION_WORDS = _split(
    """
    about after again alone also always at away before beside by else ever from here how in later mine next not
    nothing now of off on once only other others out over own so some soon still such than that then there these this
    those through to together too under what when where which who whole whose why with within without yet yours
    """
)
PUBLIC = {
    "ADDED": "what quickstart reads of each report",
    "DEVASSIST_MOST_SERVERS": "a setting",
    "NEXT": "what engines call on strategies",
    "NOT_OFFERED": "an error code, and the field notOffered of answers",
    "OFFERED": "a column of graphql_proxy_upstreamrefusal",
    "SKIPPED": "what quickstart reads of each report",
    "SPRINTS_ACCEPTED_WALLS": "a setting",
    "SPRINTS_MOST_COST": "a setting",
    "SPRINTS_WALLS": "a command",
    "TOOLROOM_FAST_LANE": "a setting",
}
EXCEPTIONS_OF = ("Error", "Exception", "Failure", "Interrupt", "Warning")
_NO_VERB = "is no verb: a function is a verb and a noun"
Offence = tuple[int, str, str]


def words_of(name: str) -> list[str]:
    """Split a name into its words, in lower case."""
    spread = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return [word.lower() for word in spread.split("_") if word]


def is_participle(word: str) -> bool:
    """Return whether a word is a participle and not only a word that ends like one."""
    if word in NOT_PARTICIPLES:
        return False
    return word in IRREGULAR or (len(word) > 4 and word.endswith(("ed", "ing")))  # shed, king


def check_source(source: str, *, module: str = "") -> list[Offence]:
    """List the line, the name and the fault of every name in a source file that the rule refuses."""
    return [*_check_module(module), *_check_tree(ast.parse(source))]


def check_file(path: Path) -> list[Offence]:
    """List the faults of a file of the repository."""
    found = [*_check_module(path.stem), *_check_tree(tree(path))]
    is_test = name_of(path).startswith("tests/")
    return [offence for offence in found if not (is_test and offence[2] == _NO_VERB)]  # mocks read `when`, `about`


def _check_module(name: str) -> Iterator[Offence]:
    words = words_of(name) if name.upper() not in PUBLIC else []
    if name.startswith("test_"):
        words = words[1:]
    yield from ((0, f"{name}.py", fault) for fault in _find_banned(words, is_definition=True))
    if len(words) == 1 and (words[0] in GERUNDS or (is_participle(words[0]) and not words[0].endswith("ing"))):
        yield 0, f"{name}.py", "is a bare participle: name what the module holds"


def _check_tree(module: ast.Module) -> Iterator[Offence]:
    for node in ast.walk(module):
        if isinstance(node, Function):
            yield from ((node.lineno, node.name, fault) for fault in _check_function(node))
        elif isinstance(node, ast.ClassDef):
            yield from ((node.lineno, node.name, fault) for fault in _check_class(node))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield from ((node.lineno, node.id, fault) for fault in _check_variable(node.id))
        elif isinstance(node, ast.arg):
            yield from ((node.lineno, node.arg, fault) for fault in _check_variable(node.arg))
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield from ((node.lineno, node.attr, fault) for fault in _check_variable(node.attr))


def _check_function(node: Function) -> Iterator[str]:
    words = words_of(node.name)
    if node.name.startswith("test_") or node.name.startswith("__") or node.name.upper() in PUBLIC or not words:
        return
    yield from _find_banned(words, is_definition=True)
    if any(ast.unparse(each).rpartition(".")[2] in ("setter", "override") for each in node.decorator_list):
        return
    first, rest = words[0], words[1:]
    if is_participle(first) and all(word in PARTICLES for word in rest):
        yield "is a bare participle: a function is a verb and a noun"
    elif first in FUNCTION_WORDS and not rest:
        yield _NO_VERB
    elif rest and words[-1] in SHOWN and not STATEMENTS & set(words):
        yield "ends in a participle: a function is a verb and a noun"


def _check_class(node: ast.ClassDef) -> Iterator[str]:
    words = words_of(node.name)
    yield from _find_banned(words, is_definition=True)
    is_exception = any(ast.unparse(base).endswith(EXCEPTIONS_OF) for base in node.bases)
    if len(words) == 1 and is_participle(words[0]) and not is_exception:
        yield "is a bare participle: a class is a noun"


def _check_variable(name: str) -> Iterator[str]:
    if name.upper() in PUBLIC:
        return
    words = words_of(name)
    yield from _find_banned(words, is_definition=False)
    if name.isupper() and len(words) > 1 and words[0].upper() in BANNED_PREFIXES:
        yield f"begins with {words[0].upper()}_: {BANNED_PREFIXES[words[0].upper()]}_"


def _find_banned(words: list[str], *, is_definition: bool) -> Iterator[str]:
    banned = BANNED_WORDS | BANNED_DEFINITIONS if is_definition else BANNED_WORDS
    yield from (f"says {word!r}: {banned[word]}" for word in words if word in banned)


def main(folders: list[str]) -> int:
    """Print every offence of the given folders, or of the packages where the rule is on."""
    counts: Counter[str] = Counter()
    for path in python():
        if name_of(path).startswith(tuple(folders)) if folders else in_packages(path):
            for line, name, fault in check_file(path):
                counts["/".join(name_of(path).split("/")[:2])] += 1
                print(f"{name_of(path)}:{line}: {name} {fault}")
    print(*(f"{count:5} {folder}" for folder, count in sorted(counts.items())), sep="\n")
    return 1 if counts else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
