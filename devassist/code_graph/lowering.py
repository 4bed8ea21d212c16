"""Shared lowering of syntax trees to facts: variables, scopes, symbols, traversal."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tree_sitter import Node

from devassist.code_graph.facts import (
    MAX_KEYED,
    PLACE_BITS,
    PLACE_MASK,
    CallFact,
    ClassFact,
    FileFacts,
    FunctionFact,
    ImportFact,
    Op,
    SymbolFact,
)
from devassist.syntax.functions import Kind, Scope, scopes
from devassist.syntax.grammars import call_query
from devassist.syntax.parse import Code, parts_of

MAX_NAME = 300
MAX_RECEIVER = 100
_NO_NAME = re.compile(r"\W")
SPREADS = frozenset({"list_splat", "spread_element"})


class Frame:
    """A lexical scope: names with their variables. Functions in a class body do not see its scope."""

    def __init__(self, parent: "Frame | None", *, symbol: int = -1, function: FunctionFact | None = None) -> None:
        self.parent = parent
        self.symbol = symbol
        self.function = function
        self.names: dict[str, int] = {}
        self.class_fact: ClassFact | None = None
        self.outer_names: set[str] = set()
        self.rebound: set[str] = set()
        self.containers: set[str] = set()
        self.latest: dict[str, int] = {}
        """The last value of a name, or of a container's element, if nothing since can have changed it."""

    def find(self, name: str) -> int | None:
        """Return the variable of a name that code in this scope means."""
        frame: Frame | None = self
        while frame is not None:
            if name in frame.names and (frame is self or frame.class_fact is None):
                return frame.names[name]
            frame = frame.parent
        return None


Handler = Callable[[Node], int]


class FileLowering:
    """Turns one file into facts. A language adds handlers for its nodes; each returns the variable of the value."""

    self_names: frozenset[str] = frozenset()
    list_kind = "list"
    literals: frozenset[str] = frozenset()
    ignored: frozenset[str] = frozenset({"comment", "line_comment", "block_comment", "ERROR"})
    loops: frozenset[str] = frozenset()
    calls: frozenset[str] = frozenset()
    """The nodes that are calls."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self.facts = FileFacts([], [], [], [], [], [], {}, 0)
        self.top = Frame(None)
        self.frame = self.top
        self.scopes = {(scope.match.node.start_byte, scope.match.node.end_byte): scope for scope in scopes(code)}
        self.symbols: dict[int, int] = {}
        self.handlers: dict[str, Handler] = {}
        self.globals: dict[str, int] = {}
        self._begun: dict[int, tuple[int, int]] = {}
        self._containers: set[int] = set()
        self.typed: set[int] = set()
        self.strings: set[str] = set()
        self._frames: dict[int, Frame] = {}
        self._read: set[int] = set()
        """The calls, by node, that were looked at."""

    def lower(self) -> FileFacts:
        """Walk the whole file."""
        self.declare(parts_of(self.code.tree.root_node))
        self.walk(parts_of(self.code.tree.root_node))
        self._read_rest()
        self.facts.exports.update(self.top.names)
        self.facts.strings = sorted(self.strings)
        return self.facts

    def declare(self, nodes: Iterable[Node]) -> None:
        """Make variables for the names that statements of a scope define; a language says which."""

    def walk(self, nodes: Iterable[Node]) -> None:
        """Lower statements in order."""
        for node in nodes:
            self.value(node)

    def _read_rest(self) -> None:
        """
        Lower the calls that no handler looked at, so that a part of the grammar that none knows loses no call.

        Each is lowered in the innermost function around it that was. Names in between are not known, so what is
        called there may be anything of the name.
        """
        captures = self.code.captures(
            call_query(self.code.grammar, kinds=self.calls), start=0, end=len(self.code.source)
        )
        for node in sorted(captures.get("call", ()), key=lambda one: (one.start_byte, -one.end_byte)):
            if node.id not in self._read:
                line, first = node.start_point.row + 1, len(self.facts.calls)
                around = [
                    number for number, symbol in enumerate(self.facts.symbols)
                    if number in self._frames and symbol.start_line <= line <= symbol.end_line
                ]  # fmt: skip
                self.frame = self._frames[around[-1]] if around else self.top
                self.frame.latest.clear()
                self.value(node)
                for call in self.facts.calls[first:]:
                    self.add(Op.UNKNOWN, call.base if call.base >= 0 else call.callee)
                self.frame = self.top

    def skip(self, node: Node) -> None:
        """Leave out a call on purpose: it is none of a function of the workspace."""
        self._read.add(node.id)

    def value(self, node: Node | None) -> int:
        """Lower a node and return the variable of its value, -1 if its value does not matter."""
        if node is None or node.type in self.ignored:
            return -1
        if node.type in self.loops:
            self.frame.latest.clear()
        if node.type in self.calls:
            self._read.add(node.id)
        if (handler := self.handlers.get(node.type)) is not None:
            return handler(node)
        if node.type in self.literals:
            self.walk(parts_of(node))
            return self.literal()
        self.walk(parts_of(node))
        return -1

    def text(self, node: Node | None) -> str:
        """Return a node's text, cut to the maximum length of a name."""
        return self.code.text(node, most=MAX_NAME)

    def new(self) -> int:
        """Create a variable."""
        self.facts.variables += 1
        return self.facts.variables - 1

    def add(self, *constraint: Any) -> None:
        """Add a constraint."""
        self.facts.constraints.append(constraint)

    def copy(self, source: int, *, to: int) -> None:
        """Let a variable hold what another holds."""
        if source >= 0 and to >= 0 and source != to:
            self.add(Op.COPY, source, to)

    def merge(self, sources: Iterable[int]) -> int:
        """Return a variable that holds the values of several."""
        held = [source for source in sources if source >= 0]
        if len(held) <= 1:
            return held[0] if held else -1
        joined = self.new()
        for source in held:
            self.copy(source, to=joined)
        return joined

    def literal(self) -> int:
        """Return a variable that holds a value of a built-in type."""
        variable = self.new()
        self.add(Op.LITERAL, variable)
        return variable

    def note_string(self, text: str) -> int:
        """Record the last part of a text that could be a name, and return a variable that holds it."""
        parts = text.split(".")
        if all(part.isidentifier() for part in parts):
            self.strings.add(parts[-1])
        return self.literal()

    def read_name(self, name: str) -> int:
        """Return the variable of a name: of an enclosing scope, else of the language or of star imports."""
        if (latest := self.frame.latest.get(name)) is not None:
            return latest
        known = self.frame.find(name)
        if known is not None:
            return known
        if name not in self.globals:
            self.globals[name] = self.new()
            self.add(Op.GLOBAL, name, self.globals[name])
        return self.globals[name]

    def define(self, name: str, *, frame: Frame | None = None) -> int:
        """Return the variable of a name in a scope, creating it if needed."""
        frame = frame or self.frame
        self._forget(name, frame=frame)
        if name not in frame.names:
            frame.names[name] = self.new()
            if frame.class_fact is not None:
                frame.class_fact.members[name] = frame.names[name]
        return frame.names[name]

    def assign(self, name: str, *, held: int, is_certain: bool) -> None:
        """
        Assign a value to a name of this scope.

        If that is certain, which a statement of the scope's own block is, then what follows in it reads this value
        alone. Scopes inside, loops and names with a declared type read all values that the name ever holds.
        """
        whole = self.define(name)
        if is_certain and held in self._containers:
            self.frame.containers.add(name)
        if not is_certain or name not in self.frame.rebound or self.frame.class_fact or whole in self.typed:
            self.copy(held, to=whole)
            return
        latest = self.new()
        self.copy(held, to=latest)
        self.copy(latest, to=whole)
        self.frame.latest[name] = latest

    def assign_element(self, target: Node, *, held: int, is_certain: bool) -> None:
        """Record the value of an element of a container made in this scope, and forget the other elements."""
        self._forget_elements(self.frame)
        text = self.text(target)
        if is_certain and held >= 0 and _NO_NAME.split(text, maxsplit=1)[0] in self.frame.containers:
            self.frame.latest[text] = held

    def _forget(self, name: str, *, frame: Frame) -> None:
        frame.containers.discard(name)
        if frame.latest:
            frame.latest.pop(name, None)
            self._forget_elements(frame)

    def _forget_elements(self, frame: Frame) -> None:
        if frame.latest:
            frame.latest = {key: held for key, held in frame.latest.items() if key.isidentifier()}

    def load(self, base: int, *, name: str, node: Node) -> int:
        """Read an attribute."""
        result = self.new()
        if base >= 0:
            self.add(Op.LOAD, base, name, result, self.place(node), self.caller)
        return result

    def place(self, node: Node) -> int:
        """Encode the start of a node as one number."""
        line, character = self.code.place(node.start_byte)
        return (line + 1) << PLACE_BITS | min(character, PLACE_MASK)

    def index(self, base: int, *, key: str | None) -> int:
        """Read an element."""
        result = self.new()
        if base >= 0:
            self.add(Op.INDEX, base, key, result)
        return result

    def slice(self, base: int, *, start: int) -> int:
        """Return a list of the elements from an index on."""
        result = self.new()
        if base >= 0:
            self.add(Op.SLICE, base, start, result)
        return result

    def container(self, kind: str) -> int:
        """Create a list, a dict or an object literal."""
        variable = self.new()
        self.add(Op.CONTAINER, kind, variable)
        self._containers.add(variable)
        return variable

    def first_value(self, node: Node) -> int:
        """Return the value of the first child."""
        return self.value(parts_of(node)[0] if parts_of(node) else None)

    def list_value(self, node: Node) -> int:
        """Return a container of the children: the first ones by index, a spread one by any index."""
        variable = self.container(self.list_kind)
        for number, child in enumerate(parts_of(node)):
            if child.type in SPREADS:
                self.add(Op.SET_INDEX, variable, None, self.index(self.first_value(child), key=None))
            elif (held := self.value(child)) >= 0:
                self.add(Op.SET_INDEX, variable, str(number) if number < MAX_KEYED else None, held)
        return variable

    @property
    def caller(self) -> int:
        """The symbol of the enclosing function, -1 at top level."""
        frame: Frame | None = self.frame
        while frame is not None:
            if frame.symbol >= 0 and frame.class_fact is None:
                return frame.symbol
            frame = frame.parent
        return -1

    def call(
        self, callee: int, *, node: Node, arguments: Sequence[int] = (), named: dict[str, int] | None = None,
        name: str = "", receiver: str = "", base: int = -1, constant: str | None = None, is_new: bool = False,
        is_decorator: bool = False, is_spread: bool = False,
    ) -> int:  # fmt: skip
        """Add a call whose name is at the node, and return the variable of its result."""
        self._forget_elements(self.frame)
        result = self.new()
        line, character = self.code.place(node.start_byte)
        self.facts.calls.append(
            CallFact(
                callee,
                list(arguments),
                named or {},
                result,
                line + 1,
                character,
                self.caller,
                name[:MAX_NAME],
                receiver[:MAX_RECEIVER],
                base,
                constant,
                is_new,
                is_decorator,
                is_spread,
            )
        )
        self.add(Op.CALL, len(self.facts.calls) - 1)
        return result

    def scope_of(self, node: Node) -> Scope | None:
        """Return the function or class that the node is."""
        return self.scopes.get((node.start_byte, node.end_byte))

    def symbol(self, scope: Scope, *, kind: str) -> int:
        """Add a symbol and return its index."""
        line, character = self.code.place(scope.name_start)
        container = self.frame.symbol if self.frame.symbol >= 0 else self.caller
        self.facts.symbols.append(
            SymbolFact(
                scope.name[:MAX_NAME],
                scope.qualified_name[:1_000],
                kind,
                line + 1,
                character,
                scope.start_line,
                scope.end_line,
                container,
                scope.signature if scope.kind is not Kind.CONTAINER else "",
            )
        )
        return len(self.facts.symbols) - 1

    def import_name(self, module: str, *, name: str, local: str, node: Node) -> int:
        """Bind an imported name in the scope."""
        self.facts.imports.append(ImportFact(node.start_point.row + 1, module[:1_000], name[:300], local[:300]))
        variable = self.define(local)
        self.add(Op.IMPORT, module, name, variable)
        return variable

    def function(self, scope: Scope | None, *, kind: str = "function") -> int:
        """Start a function and return its index. One without a name has no symbol and counts as what encloses it."""
        symbol = self.symbol(scope, kind=kind) if scope and scope.is_named else -1
        owner = self.frame.class_fact.symbol if self.frame.class_fact else -1
        self._begun[len(self.facts.functions)] = (len(self.facts.constraints), self.facts.variables)
        self.facts.functions.append(FunctionFact(symbol, owner, [], self.new()))
        return len(self.facts.functions) - 1

    def function_value(self, index: int) -> int:
        """End a function and return a variable that holds it."""
        fact = self.facts.functions[index]
        if index == len(self.facts.functions) - 1 and not fact.is_generator:
            first, start = self._begun[index]
            fact.extent = (first, len(self.facts.constraints), start, self.facts.variables)
        variable = self.new()
        self.add(Op.FUNCTION, index, variable)
        return variable

    def enter(self, *, symbol: int, function: FunctionFact | None = None) -> Frame:
        """Begin a scope. Returns the previous frame, which the caller restores."""
        before = self.frame
        self.frame = Frame(before, symbol=symbol, function=function)
        if symbol >= 0:
            self._frames[symbol] = self.frame
        return before
