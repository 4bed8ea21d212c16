"""Expressions of Python as facts for the linker."""

from tree_sitter import Node

from devassist.code_graph.annotations import has_holes, literal_text
from devassist.code_graph.facts import Op, read_place
from devassist.code_graph.lowering import FileLowering
from devassist.syntax.parse import parts_of

_READERS_BY_NAME = frozenset({"getattr", "__getattribute__", "getattr_static"})


class PythonExpressions(FileLowering):
    """Lowers expressions. Each method returns the variable of a value."""

    calls = frozenset({"call"})

    def _string(self, node: Node) -> int:
        self.walk(child for child in parts_of(node) if child.type == "interpolation")
        return self.note_string(literal_text(self.text(node)))

    def _either(self, node: Node) -> int:
        return self.merge([self.value(child) for child in parts_of(node)])

    def _operator(self, node: Node) -> int:
        """Lower an operator with two operands. `%` on a string literal gives a string."""
        held = self._either(node)
        left, operator = node.child_by_field_name("left"), node.child_by_field_name("operator")
        is_text = left is not None and left.type in ("string", "concatenated_string")
        return self.literal() if is_text and operator is not None and operator.type == "%" else held

    def _conditional(self, node: Node) -> int:
        held = [self.value(child) for child in parts_of(node)]
        return self.merge([*held[:1], *held[2:]])

    def _attribute(self, node: Node) -> int:
        name = node.child_by_field_name("attribute")
        base = self.value(node.child_by_field_name("object"))
        return self.load(base, name=self.text(name), node=name or node)

    def _subscript(self, node: Node) -> int:
        value, subscript = node.child_by_field_name("value"), node.child_by_field_name("subscript")
        holder = value.child_by_field_name("object") if value is not None and value.type == "attribute" else None
        if holder is not None and self.text(value).endswith(".__dict__") and (name := self._key(subscript)) is not None:
            return self.load(self.value(holder), name=name, node=subscript or node)
        base = self.value(value)
        self.value(subscript)
        if (latest := self.frame.latest.get(self.text(node))) is not None:
            return latest
        if subscript is None or subscript.type != "slice":
            return self.index(base, key=self._key(subscript))
        parts = parts_of(subscript)
        start = parts[0] if parts and subscript.children[0] == parts[0] else None
        if start is None:
            return self.slice(base, start=0)
        if (place := read_place(self.text(start))) is not None:
            return self.slice(base, start=place)
        result = self.index(base, key=None)
        self.copy(base, to=result)
        return result

    def _key(self, node: Node | None) -> str | None:
        """Return a literal key as text. A string of digits differs from the number."""
        if node is None:
            return None
        if node.type == "string":
            text = literal_text(self.text(node))
            return repr(text) if text.isdigit() else text
        return self.text(node) if node.type == "integer" else None

    def _dictionary(self, node: Node) -> int:
        variable = self.container("dict")
        for child in parts_of(node):
            if child.type == "pair":
                key = child.child_by_field_name("key")
                held_key, held = self.value(key), self.value(child.child_by_field_name("value"))
                if held_key >= 0:
                    self.add(Op.STORE, variable, "<keys>", held_key)
                if held >= 0:
                    self.add(Op.SET_INDEX, variable, self._key(key), held)
            elif child.type == "dictionary_splat":
                self.add(Op.SET_INDEX, variable, None, self.index(self.first_value(child), key=None))
        return variable

    def _call(self, node: Node) -> int:
        function = node.child_by_field_name("function")
        given = node.child_by_field_name("arguments")
        if function is None:
            return -1
        name = self.text(function)
        if name == "super" and given is not None:
            return self._super()
        if name.rpartition(".")[2] in _READERS_BY_NAME and given is not None and len(parts_of(given)) > 1:
            return self._get_attribute(given)
        base, place, receiver = -1, function, ""
        if function.type == "attribute":
            base = self.value(function.child_by_field_name("object"))
            receiver = self.code.text(function.child_by_field_name("object"), most=100)
            place = function.child_by_field_name("attribute") or function
            callee = self.load(base, name=self.text(place), node=place)
        else:
            callee = self.value(function)
        is_named = place.type == "identifier"
        arguments, named, is_spread = self._arguments(given)
        constant = self._key(parts_of(given)[0]) if given and parts_of(given) else None
        return self.call(
            callee, node=place, arguments=arguments, named=named, name=self.text(place) if is_named else "",
            receiver=receiver, base=base, constant=constant, is_spread=is_spread,
        )  # fmt: skip

    def _arguments(self, given: Node | None) -> tuple[list[int], dict[str, int], bool]:
        arguments: list[int] = []
        named: dict[str, int] = {}
        is_spread = False
        if given is not None and given.type == "generator_expression":
            return [self.value(given)], named, False
        for child in parts_of(given) if given else ():
            if child.type == "keyword_argument":
                named[self.text(child.child_by_field_name("name"))] = self.value(child.child_by_field_name("value"))
            elif child.type in ("list_splat", "dictionary_splat"):
                is_spread = True
                held = self.first_value(child)
                if child.type == "list_splat":
                    named["*"] = self.merge([named.get("*", -1), held])
                else:
                    named["**"] = self.merge([named.get("**", -1), held])
            else:
                arguments.append(self.value(child))
        return arguments, named, is_spread

    def _raise(self, node: Node) -> int:
        """Call a raised class."""
        for child in parts_of(node):
            held = self.value(child)
            if child.type in ("identifier", "attribute"):
                last = child.child_by_field_name("attribute") or child
                name = self.text(last)
                self.call(held, node=last, name=name if name[:1].isupper() else "", is_new=True)
        return -1

    def _super(self) -> int:
        frame = self.frame
        while frame is not None and frame.class_fact is None:
            frame = frame.parent  # type: ignore[assignment]
        held = self.new()
        if frame is not None and frame.class_fact is not None:
            self.add(Op.SUPER, frame.class_fact.symbol, held)
        return held

    def _get_attribute(self, given: Node) -> int:
        base_node, name_node, *default = parts_of(given)
        base = self.value(base_node)
        held_name = self.value(name_node)
        other = self.value(default[0]) if default else -1
        name = self._key(name_node)
        if name is not None and name_node.type == "string" and not has_holes(name_node):
            return self.merge([self.load(base, name=name, node=name_node), other])
        if name_node.type == "conditional_expression":
            keys = [self._key(part) for part in (parts_of(name_node)[0], parts_of(name_node)[-1])]
            if all(keys):
                return self.merge([*(self.load(base, name=str(key), node=name_node) for key in keys), other])
        result = self.new()
        self.add(Op.GET_ATTRIBUTE, base, self._prefix(name_node), result, self.place(given), self.caller, held_name)
        return self.merge([result, other])

    def _prefix(self, node: Node) -> str:
        """Return the prefix of a computed name: what is before the first part that `+`, `%` or braces put in."""
        if node.type == "binary_operator":
            operator = self.text(node.child_by_field_name("operator"))
            left = self._prefix(parts_of(node)[0]) if operator in ("+", "%") else ""
            return left.partition("%")[0] if operator == "%" else left
        if node.type != "string":
            return ""
        parts = [child for child in node.children if child.type in ("string_content", "interpolation")]
        return self.text(parts[0]) if parts and parts[0].type == "string_content" else ""
