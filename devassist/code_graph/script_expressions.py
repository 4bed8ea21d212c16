"""Expressions of JavaScript and TypeScript as facts for the linker."""

from tree_sitter import Node

from devassist.code_graph.annotations import has_holes, literal_text
from devassist.code_graph.facts import Op
from devassist.code_graph.lowering import FileLowering
from devassist.syntax.parse import parts_of


class ScriptExpressions(FileLowering):
    """Lowers expressions. Each method returns the variable of a value."""

    list_kind = "array"
    calls = frozenset({"call_expression", "new_expression"})

    def _require(self, given: Node | None) -> int:
        if given is None or not parts_of(given) or parts_of(given)[0].type != "string":
            return self.new()
        module, held = literal_text(self.text(parts_of(given)[0])), self.new()
        self.add(Op.IMPORT, module, "", held)
        self.add(Op.IMPORT, module, "module.exports", held)
        return held

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

    def _template(self, node: Node) -> int:
        self.walk(child for child in parts_of(node) if child.type == "template_substitution")
        return self.literal()

    def _last(self, node: Node) -> int:
        return [-1, *(self.value(child) for child in parts_of(node))][-1]

    def _either(self, node: Node) -> int:
        operator = self.text(node.child_by_field_name("operator"))
        held = [self.value(child) for child in parts_of(node)]
        return self.merge(held) if operator in ("||", "&&", "??") else self.literal()

    def _ternary(self, node: Node) -> int:
        self.value(node.child_by_field_name("condition"))
        parts = (node.child_by_field_name("consequence"), node.child_by_field_name("alternative"))
        return self.merge([self.value(part) for part in parts])

    def _member(self, node: Node) -> int:
        base, name = node.child_by_field_name("object"), node.child_by_field_name("property")
        if self.text(node) == "module.exports":
            return self.define("module.exports", frame=self.top)
        return self.load(self.value(base), name=self.text(name), node=name or node)

    def _subscript(self, node: Node) -> int:
        base, index = self.value(node.child_by_field_name("object")), node.child_by_field_name("index")
        held_name = self.value(index)
        if (latest := self.frame.latest.get(self.text(node))) is not None:
            return latest
        key = self._key(index)
        if key is not None or base < 0:
            return self.index(base, key=key)
        result = self.index(base, key=None)
        self.add(Op.GET_ATTRIBUTE, base, self._prefix(index), result, self.place(node), self.caller, held_name)
        return result

    def _prefix(self, node: Node | None) -> str:
        if node is None:
            return ""
        if node.type == "binary_expression":
            return self._prefix(node.child_by_field_name("left"))
        if node.type == "string":
            return literal_text(self.text(node))
        first = parts_of(node)[0] if node.type == "template_string" and parts_of(node) else None
        return self.text(first) if first is not None and first.type == "string_fragment" else ""

    def _key(self, node: Node | None) -> str | None:
        if node is None or has_holes(node):
            return None
        if node.type == "string":
            return literal_text(self.text(node))
        return self.text(node) if node.type == "number" else None

    def _return(self, node: Node) -> int:
        held = self.first_value(node)
        frame = self.frame
        while frame is not None and frame.function is None:
            frame = frame.parent  # type: ignore[assignment]
        if frame is not None and frame.function is not None:
            self.copy(held, to=frame.function.result)
        return -1

    def _yield(self, node: Node) -> int:
        held = self.first_value(node)
        frame = self.frame
        while frame is not None and frame.function is None:
            frame = frame.parent  # type: ignore[assignment]
        if frame is None or frame.function is None:
            return -1
        function = frame.function
        function.is_generator = True
        if function.elements < 0:
            function.elements = self.new()
        is_all = any(child.type == "*" for child in node.children)
        self.copy(self.index(held, key=None) if is_all else held, to=function.elements)
        return self.new()

    def _call(self, node: Node) -> int:
        function, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None or given is None:
            return -1
        if function.type == "import" or self.text(function) == "require":
            return self._require(given)
        if function.type == "super":
            held = self.load(self._super(function), name="constructor", node=function)
            arguments, named, is_spread = self._arguments(given)
            return self.call(
                held, node=function, arguments=arguments, named=named, name="constructor", is_spread=is_spread
            )
        return self._call_of(function, given=given)

    def _call_of(self, function: Node, *, given: Node | None, is_new: bool = False) -> int:
        base, place, receiver = -1, function, ""
        if function.type == "member_expression":
            holder = function.child_by_field_name("object")
            base = self.value(holder)
            receiver = self.code.text(holder, most=100)
            place = function.child_by_field_name("property") or function
            callee = self.load(base, name=self.text(place), node=place)
        else:
            callee = self.value(function)
        is_named = place.type in ("identifier", "property_identifier", "private_property_identifier")
        if self.text(place) in ("then", "catch", "finally") and base >= 0:
            callee = self.merge([callee, self.load(self.read_name("Promise"), name=self.text(place), node=place)])
        arguments, named, is_spread = self._arguments(given)
        if base >= 0 and self.text(place) in ("call", "apply") and arguments:
            arguments = arguments[1:] if self.text(place) == "call" else []
        constant = self._key(parts_of(given)[0]) if given and parts_of(given) else None
        return self.call(
            callee, node=place, arguments=arguments, named=named, name=self.text(place) if is_named else "",
            receiver=receiver, base=base, constant=constant, is_new=is_new, is_spread=is_spread,
        )  # fmt: skip

    def _new(self, node: Node) -> int:
        function = node.child_by_field_name("constructor")
        return self._call_of(function, given=node.child_by_field_name("arguments"), is_new=True) if function else -1

    def _arguments(self, given: Node | None) -> tuple[list[int], dict[str, int], bool]:
        arguments: list[int] = []
        named: dict[str, int] = {}
        is_spread = False
        for child in parts_of(given) if given else ():
            if child.type == "spread_element":
                is_spread = True
                named["*"] = self.merge([named.get("*", -1), self.first_value(child)])
            else:
                arguments.append(self.value(child))
        return arguments, named, is_spread

    def _jsx(self, node: Node) -> int:
        name = node.child_by_field_name("name")
        self.walk(child for child in parts_of(node) if child != name)
        if name is None or not self.text(name)[:1].isupper():
            return -1
        return self.call(self.value(name), node=name, name=self.text(name))
