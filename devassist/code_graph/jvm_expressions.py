"""Expressions of Java and Kotlin as facts for the linker."""

from tree_sitter import Node

from devassist.code_graph.annotations import literal_text, split_types
from devassist.code_graph.facts import Op
from devassist.code_graph.lowering import FileLowering
from devassist.code_graph.values import EXTENSION, RECEIVER, split_words
from devassist.syntax.parse import parts_of

CLASSES = split_words(
    """
    class_declaration interface_declaration enum_declaration record_declaration annotation_type_declaration
    object_declaration companion_object
    """
)
FUNCTIONS = split_words(
    """
    method_declaration constructor_declaration compact_constructor_declaration function_declaration
    secondary_constructor
    """
)
_COLLECTIONS = (
    "List[", "MutableList[", "Set[", "MutableSet[", "Collection[", "Iterable[", "ArrayList[", "Flow[", "Sequence[",
    "Array[", "Stream[", "LinkedList[", "HashSet[", "Map[", "MutableMap[", "HashMap[", "Deque[", "Queue[",
)  # fmt: skip


def _skip_operators(node: Node) -> Node:
    """
    Return what is behind operators like `!` and before ones like `!!`.

    The grammar reads `!a.b()` as a call on `!a`. What is in brackets has a node of its own.
    """
    while node.type == "unary_expression" and parts_of(node):
        node = parts_of(node)[0]
    return node


class JvmExpressions(FileLowering):
    """Lowers expressions. Each method returns the variable of a value."""

    calls = split_words(
        """
        call_expression method_invocation object_creation_expression explicit_constructor_invocation
        constructor_delegation_call
        """
    )
    is_kotlin = False
    lambdas = 0
    """How many lambdas of Kotlin are around. In one, a bare name may be a member of an unknown receiver."""

    def anonymous_class(self, node: Node, *, bases: list[str], body: Node) -> int:
        """Lower a class without a name."""
        raise NotImplementedError

    def annotate(self, variable: int, *, node: Node | None) -> None:
        """Let a variable hold its declared type, and the elements of common collections."""
        if node is None:
            return
        text = (
            self.code.text(node, most=400)
            .lstrip(":")
            .strip()
            .rstrip("?")
            .replace("<", "[")
            .replace(">", "]")
            .replace("?", "")
        )
        if "->" in text or text == "var":
            return
        for name in _COLLECTIONS:
            if text.startswith(name):
                text = text.replace(name, "list[", 1)
        if text.endswith("[]"):
            text = f"list[{text[:-2]}]"
        names, elements = split_types(text.replace("out ", "").replace("in ", ""))
        self.add(Op.TYPE, variable, names)
        if elements:
            self.add(Op.ELEMENT_TYPE, variable, elements)

    def _type_of(self, node: Node) -> Node | None:
        if (found := node.child_by_field_name("type")) is not None:
            return found
        return next((child for child in parts_of(node) if child.type in ("user_type", "nullable_type")), None)

    def _identifier(self, node: Node) -> int:
        return self._name(self.text(node).strip("`"))

    def _name(self, name: str) -> int:
        """Resolve a bare name: a local, a member of the enclosing classes and their bases, or a global name."""
        known = self.frame.find(name)
        found = [known] if known is not None else []
        this = self.frame.find("this")
        if known is None and this is not None:
            member = self.new()
            self.add(Op.LOAD, this, name, member, 0, self.caller)
            found.append(member)
        frame = self.frame
        while frame is not None:
            if frame.class_fact is not None and name in frame.class_fact.members and known is None:
                found.append(frame.class_fact.members[name])
            frame = frame.parent  # type: ignore[assignment]
        if known is not None:
            return self.merge(found)
        return self.merge([*found, self.read_name(f"{RECEIVER}{name}" if self.lambdas else name)])

    def _read_this(self, node: Node) -> int:
        found = self.frame.find("this")
        return found if found is not None else self.new()

    def _super(self, node: Node) -> int:
        frame = self.frame
        while frame is not None and frame.class_fact is None:
            frame = frame.parent  # type: ignore[assignment]
        held = self.new()
        if frame is not None and frame.class_fact is not None:
            self.add(Op.SUPER, frame.class_fact.symbol, held)
        return held

    def _either(self, node: Node) -> int:
        return self.merge([self.value(child) for child in parts_of(node)])

    def _element(self, node: Node) -> int:
        held = [self.value(child) for child in parts_of(node)]
        return self.index(held[0] if held else -1, key=None)

    def _cast(self, node: Node) -> int:
        held = self.new()
        self.annotate(held, node=self._type_of(node))
        for child in parts_of(node):
            if child.type not in self.ignored:
                self.copy(self.value(child), to=held)
        return held

    def _field_access(self, node: Node) -> int:
        base = self.value(node.child_by_field_name("object"))
        name = node.child_by_field_name("field")
        return self.load(base, name=self.text(name), node=name or node)

    def _navigation(self, node: Node) -> int:
        base = self.value(_skip_operators(parts_of(node)[0])) if parts_of(node) else -1
        name = parts_of(node)[-1]
        return self._member(base, name=name)

    def _member(self, base: int, *, name: Node) -> int:
        """Read a member, including extension functions in Kotlin."""
        text = self.text(name).strip("`")
        held = self.load(base, name=text, node=name)
        return self.merge([held, self.read_name(f"{EXTENSION}{text}")]) if self.is_kotlin else held

    def _invocation(self, node: Node) -> int:
        name, holder = node.child_by_field_name("name"), node.child_by_field_name("object")
        if name is None:
            return -1
        base = self.value(holder)
        callee = self.load(base, name=self.text(name), node=name) if holder is not None else self._name(self.text(name))
        return self._add_call(callee, name=name, holder=holder, base=base, given=node.child_by_field_name("arguments"))

    def _creation(self, node: Node) -> int:
        kind = node.child_by_field_name("type")
        if kind is None:
            return -1
        plain = parts_of(kind)[0] if kind.type == "generic_type" and parts_of(kind) else kind
        last = parts_of(plain)[-1] if plain.type == "scoped_type_identifier" else plain
        held = self._name(self.text(last))
        for child in parts_of(node):
            if child.type == "class_body":
                held = self.anonymous_class(node, bases=[self.text(plain)], body=child)
        return self._add_call(
            held, name=last, holder=None, base=-1, given=node.child_by_field_name("arguments"), is_new=True
        )

    def _call(self, node: Node) -> int:
        function, base, holder = _skip_operators(parts_of(node)[0]), -1, None
        name = function
        if function.type == "navigation_expression" and len(parts_of(function)) > 1:
            holder, name = _skip_operators(parts_of(function)[0]), parts_of(function)[-1]
            base = self.value(holder)
            callee = self._member(base, name=name)
        elif function.type == "identifier":
            callee = self._name(self.text(function).strip("`"))
        else:
            callee = self.value(function)
        return self._add_call(callee, name=name, holder=holder, base=base, given=node)

    def _infix(self, node: Node) -> int:
        left, name, *right = parts_of(node)
        if not right:
            return self._either(node)
        base = self.value(left)
        return self.call(
            self._member(base, name=name), node=name, arguments=[self.value(right[0])], name=self.text(name),
            receiver=self.code.text(left, most=100), base=base,
        )  # fmt: skip

    def _reference(self, node: Node) -> int:
        if not parts_of(node):
            return -1
        name = parts_of(node)[-1]
        if len(parts_of(node)) == 1:
            return self._name(self.text(name))
        return self.load(self.value(parts_of(node)[0]), name=self.text(name), node=name)

    def _add_call(
        self, callee: int, *, name: Node, holder: Node | None, base: int, given: Node | None, is_new: bool = False
    ) -> int:  # fmt: skip
        arguments, named = self._arguments(given)
        first = self.text(parts_of(given)[0]) if given is not None and parts_of(given) else ""
        return self.call(
            callee, node=name, arguments=arguments, named=named, name=self.text(name).strip("`"),
            receiver=self.code.text(holder, most=100), base=base, is_new=is_new,
            constant=literal_text(first) if first.startswith('"') else None,
        )  # fmt: skip

    def _arguments(self, given: Node | None) -> tuple[list[int], dict[str, int]]:
        """Lower arguments, including those after the brackets."""
        arguments: list[int] = []
        named: dict[str, int] = {}
        if given is None:
            return arguments, named
        if given.type == "argument_list":
            return [self.value(child) for child in parts_of(given)], named
        for child in parts_of(given)[0 if given.type.startswith("constructor_") else 1 :]:
            if child.type == "value_arguments":
                for one in parts_of(child):
                    parts = parts_of(one)
                    if len(parts) > 1 and parts[0].type == "identifier":
                        named[self.text(parts[0])] = self.value(parts[1])
                    elif parts:
                        arguments.append(self.value(parts[-1]))
            elif child.type in ("annotated_lambda", "lambda_literal"):
                arguments.append(self.value(parts_of(child)[-1] if child.type == "annotated_lambda" else child))
        return arguments, named

    def _assignment(self, node: Node) -> int:
        target, value = (node.child_by_field_name(name) for name in ("left", "right"))
        if target is None or value is None:
            if len(parts_of(node)) <= 1:
                return -1
            target, value = parts_of(node)[0], parts_of(node)[-1]
        if target.type == "directly_assignable_expression" and parts_of(target):
            target = parts_of(target)[0]
        held = self.value(value)
        if target.type == "identifier":
            self.copy(held, to=self._name(self.text(target)))
        elif target.type in ("field_access", "navigation_expression") and held >= 0:
            base = self.value(parts_of(target)[0])
            if base >= 0:
                self.add(Op.STORE, base, self.text(parts_of(target)[-1]), held)
        return held

    def _declare_inline(self, node: Node) -> int:
        """Declare a variable inside a statement: a resource of `try`, a pattern of `instanceof`."""
        name, kind = node.child_by_field_name("name"), node.child_by_field_name("type")
        held = [self.value(child) for child in parts_of(node) if child not in (name, kind)]
        if name is not None:
            variable = self.define(self.text(name))
            self.annotate(variable, node=kind or node.child_by_field_name("right"))
            self.copy(held[-1] if held and node.type == "resource" else -1, to=variable)
        return -1
