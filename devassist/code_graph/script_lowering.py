"""JavaScript and TypeScript as facts for the linker."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from tree_sitter import Node

from devassist.code_graph.annotations import literal_text, split_types
from devassist.code_graph.facts import ClassFact, FunctionFact, Op
from devassist.code_graph.lowering import FileLowering
from devassist.code_graph.script_expressions import ScriptExpressions
from devassist.code_graph.values import split_words
from devassist.syntax.parse import Code, parts_of

FUNCTIONS = split_words(
    """
    function_declaration generator_function_declaration function_expression generator_function arrow_function
    method_definition function_signature method_signature abstract_method_signature
    """
)
CLASSES = split_words(
    """
    class_declaration class abstract_class_declaration interface_declaration
    """
)
_NAMED_TYPES = split_words("type_identifier generic_type nested_type_identifier")
_BINDING = split_words("variable_declarator for_in_statement")
_ASSIGNING = split_words("assignment_expression augmented_assignment_expression")


class ScriptLowering(ScriptExpressions):
    """Lowers a JavaScript or TypeScript file."""

    literals = split_words(
        """
    number true false null undefined regex
    """
    )
    ignored = FileLowering.ignored | {"type_annotation", "type_arguments", "type_alias_declaration", "type_parameters"}

    def __init__(self, code: Code) -> None:
        super().__init__(code)
        self._is_certain = False
        self._shared_names = _find_shared_names(code)
        name = lambda node: self.read_name(self.text(node))  # noqa: E731
        self.handlers = {
            "identifier": name,
            "shorthand_property_identifier": name,
            "this": self._read_this,
            "super": self._super,
            "string": lambda node: self.note_string(literal_text(self.text(node))),
            "template_string": self._template,
            "member_expression": self._member,
            "subscript_expression": self._subscript,
            "call_expression": self._call,
            "new_expression": self._new,
            "assignment_expression": self._assignment,
            "augmented_assignment_expression": self._assignment,
            "variable_declarator": self._declarator,
            "for_in_statement": self._for_in,
            "object": self._object,
            "array": self.list_value,
            "return_statement": self._return,
            "yield_expression": self._yield,
            "await_expression": self.first_value,
            "parenthesized_expression": self.first_value,
            "as_expression": self.first_value,
            "satisfies_expression": self.first_value,
            "non_null_expression": self.first_value,
            "binary_expression": self._either,
            "ternary_expression": self._ternary,
            "sequence_expression": self._last,
            "import_statement": self._import,
            "export_statement": self._export,
            "jsx_opening_element": self._jsx,
            "jsx_self_closing_element": self._jsx,
            "internal_module": self._namespace,
            **dict.fromkeys(FUNCTIONS, self._function),
            **dict.fromkeys(CLASSES, self._class),
        }

    # names of scopes

    loops = split_words("for_statement for_in_statement while_statement do_statement")

    def declare(self, nodes: Iterable[Node]) -> None:
        """Create variables for what the scope binds."""
        left, counts = list(nodes), Counter(list(self.frame.names))
        while left:
            node = left.pop()
            if node.type in ("function_declaration", "generator_function_declaration", *CLASSES):
                if (name := node.child_by_field_name("name")) is not None and node.type != "class":
                    self.define(self.text(name))
                continue
            if node.type in FUNCTIONS:
                continue
            if node.type in _BINDING:
                names = self._names(node.child_by_field_name("name") or node.child_by_field_name("left"))
                counts.update(names)
                for bound in names:
                    self.define(bound)
            elif node.type in _ASSIGNING:
                counts.update(self._names(node.child_by_field_name("left")))
            left.extend(parts_of(node))
        self.frame.rebound = {name for name, count in counts.items() if count > 1} - self._shared_names

    def _names(self, node: Node | None) -> set[str]:
        if node is None:
            return set()
        if node.type in ("identifier", "shorthand_property_identifier_pattern"):
            return {self.text(node)}
        if node.type == "pair_pattern":
            return self._names(node.child_by_field_name("value"))
        if node.type in ("member_expression", "subscript_expression"):
            return set()
        if node.type in ("assignment_pattern", "object_assignment_pattern"):
            return self._names(node.child_by_field_name("left"))
        return {name for child in parts_of(node) for name in self._names(child)}

    def _bind(self, target: Node | None, held: int) -> None:
        if target is None:
            return
        kind = target.type
        if kind in ("identifier", "shorthand_property_identifier_pattern", "undefined"):
            name = self.text(target)
            if name in self.frame.names:
                self.assign(name, held=held, is_certain=self._is_certain)
            else:
                known = self.frame.find(name)
                self.copy(held, to=known if known is not None else self.define(name, frame=self.top))
        elif kind == "member_expression":
            self._store(target, held)
        elif kind == "subscript_expression":
            self._set_element(target, held)
        elif kind in ("assignment_pattern", "object_assignment_pattern"):
            default = self.value(target.child_by_field_name("right"))
            self._bind(target.child_by_field_name("left"), self.merge([held, default]))
        elif kind == "object_pattern":
            self._bind_object(target, held)
        else:
            is_array = kind == "array_pattern"
            for number, child in enumerate(parts_of(target)):
                if is_array and child.type == "rest_pattern":
                    self._bind(child, self.slice(held, start=number))
                else:
                    self._bind(child, self.index(held, key=str(number)) if is_array else held)

    def _set_element(self, target: Node, held: int) -> None:
        base = self.value(target.child_by_field_name("object"))
        index = target.child_by_field_name("index")
        self.value(index)
        key = self._key(index)
        if base >= 0 and held >= 0:
            self.add(Op.SET_INDEX, base, key, held)
        self.assign_element(target, held=held, is_certain=self._is_certain and key is not None)

    def _bind_object(self, target: Node, held: int) -> None:
        for child in parts_of(target):
            if child.type == "pair_pattern":
                key = child.child_by_field_name("key")
                self._bind(
                    child.child_by_field_name("value"), self.load(held, name=self.text(key).strip("'\""), node=child)
                )
            elif child.type == "rest_pattern":
                self._bind(child, held)
            else:
                inner = child.child_by_field_name("left") or child
                self._bind(child, self.load(held, name=self.text(inner), node=child))

    def _store(self, target: Node, held: int) -> None:
        whole, name = self.text(target), self.text(target.child_by_field_name("property"))
        if held < 0:
            return
        if whole == "module.exports":
            self.copy(held, to=self.define("module.exports", frame=self.top))
            return
        if whole == f"exports.{name}" and self.frame.find("exports") is None:
            self.copy(held, to=self.define(name, frame=self.top))
            return
        base = self.value(target.child_by_field_name("object"))
        if base >= 0:
            self.add(Op.STORE, base, name, held)

    # modules

    def _import(self, node: Node) -> int:
        source = node.child_by_field_name("source")
        module = literal_text(self.text(source))
        for clause in parts_of(node):
            if clause.type != "import_clause":
                continue
            for part in parts_of(clause):
                if part.type == "identifier":
                    self.import_name(module, name="default", local=self.text(part), node=node)
                elif part.type == "namespace_import":
                    self.import_name(module, name="", local=self.text(parts_of(part)[-1]), node=node)
                for one in parts_of(part) if part.type == "named_imports" else ():
                    name, alias = one.child_by_field_name("name"), one.child_by_field_name("alias")
                    self.import_name(module, name=self.text(name), local=self.text(alias or name), node=node)
        return -1

    def _export(self, node: Node) -> int:
        source, value = node.child_by_field_name("source"), node.child_by_field_name("value")
        declaration = node.child_by_field_name("declaration")
        is_default = any(child.type == "default" for child in node.children)
        if declaration is not None or value is not None:
            held = self.value(declaration or value)
            if is_default:
                self.copy(held, to=self.define("default", frame=self.top))
            return -1
        module = literal_text(self.text(source)) if source is not None else ""
        clauses = [child for child in parts_of(node) if child.type == "export_clause"]
        if module and not clauses:
            self._export_all(node, module=module)
        for one in (one for clause in clauses for one in parts_of(clause)):
            name, alias = one.child_by_field_name("name"), one.child_by_field_name("alias")
            shown = self.text(alias or name)
            if module:
                self.import_name(module, name=self.text(name), local=shown, node=node)
            elif (held := self.read_name(self.text(name))) >= 0 and shown != self.text(name):
                self.copy(held, to=self.define(shown, frame=self.top))
        return -1

    def _export_all(self, node: Node, *, module: str) -> None:
        spaces = [child for child in parts_of(node) if child.type == "namespace_export"]
        if spaces:
            self.import_name(module, name="", local=self.text(parts_of(spaces[0])[-1]), node=node)
        else:
            self.add(Op.EXPORT_ALL, module)

    def _declarator(self, node: Node) -> int:
        target, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        held = self.value(value)
        kind = node.child_by_field_name("type")
        if target is not None and target.type == "identifier" and kind is not None:
            self.annotate(self.define(self.text(target)), text=self.code.text(kind, most=500))
        self._bind_at(node, target=target, held=held)
        return held

    def _bind_at(self, node: Node, *, target: Node | None, held: int) -> None:
        """Bind a target. In a statement of the scope's own block the binding is certain."""
        block = node.parent.parent if node.parent is not None else None
        self._is_certain = block is not None and (
            block.type == "program" or (block.parent is not None and block.parent.type in FUNCTIONS)
        )
        self._bind(target, held)
        self._is_certain = False

    def annotate(self, variable: int, *, text: str) -> None:
        """Let a variable hold its declared type. Arrays are containers."""
        self.typed.add(variable)
        plain = text.lstrip(":?").strip().replace("<", "[").replace(">", "]")
        while plain.endswith("[]"):
            plain = f"list[{plain[:-2]}]"
        names, elements = split_types(plain.replace("Promise[", "Awaitable[").replace("Array[", "list["))
        if names and "=" not in plain and not plain.startswith(("(", "{")):
            self.add(Op.TYPE, variable, names)
        if elements:
            self.add(Op.ELEMENT_TYPE, variable, elements)

    def _function(self, node: Node) -> int:
        is_member = self.frame.class_fact is not None and "method" in node.type
        modifiers = {child.type for child in node.children}
        is_property = is_member and bool(modifiers & {"get", "set"})
        kind = "property" if is_property else "method" if is_member else "function"
        index = self.function(self.scope_of(node), kind=kind)
        fact = self.facts.functions[index]
        name = self.text(node.child_by_field_name("name"))
        fact.takes_self = node.type != "arrow_function"
        fact.binding = "property" if "get" in modifiers else ""
        if is_member and "static" in modifiers:
            fact.binding = "class"
        before = self.enter(symbol=fact.symbol, function=fact)
        if fact.takes_self:
            fact.parameters.append(("this", self.define("this")))
        if node.type in ("function_expression", "generator_function") and name:
            self.copy(self._self_value(index), to=self.define(name))
        self._parameters(node, fact=fact)
        if (result := node.child_by_field_name("return_type")) is not None:
            self.annotate(fact.result, text=self.code.text(result, most=500))
        body = node.child_by_field_name("body")
        if body is not None and body.type == "statement_block":
            self.declare(parts_of(body))
            self.walk(parts_of(body))
        elif body is not None:
            self.copy(self.value(body), to=fact.result)
        self.frame = before
        held = self.function_value(index)
        if is_member or node.type.endswith(("declaration", "signature")):
            self.copy(held, to=self.define(name.strip("'\"[]#") if not is_member else name.strip("'\"[]")))
        return held

    def _self_value(self, index: int) -> int:
        held = self.new()
        self.add(Op.FUNCTION, index, held)
        return held

    def _parameters(self, node: Node, *, fact: FunctionFact) -> None:
        single = node.child_by_field_name("parameter")
        given = node.child_by_field_name("parameters")
        for child in [single] if single is not None else (parts_of(given) if given else ()):
            pattern = child.child_by_field_name("pattern") or child
            kind = child.child_by_field_name("type")
            if pattern.type == "assignment_pattern":
                self.value(pattern.child_by_field_name("right"))
            if pattern.type == "rest_pattern":
                fact.rest = self.define(self.text(pattern).lstrip("."))
                self.copy(self.container("list"), to=fact.rest)
                continue
            variable = self.define(self.text(pattern)) if pattern.type == "identifier" else self.new()
            fact.parameters.append((self.text(pattern), variable))
            if kind is not None:
                self.annotate(variable, text=self.code.text(kind, most=500))
            if (value := child.child_by_field_name("value")) is not None:
                self.copy(self.value(value), to=variable)
            if pattern.type != "identifier":
                for name in sorted(self._names(pattern)):
                    self.define(name)
                self._bind(pattern, variable)
            elif any(part.type == "accessibility_modifier" for part in child.children):
                self._store_parameter(self.text(pattern), variable)

    def _store_parameter(self, name: str, variable: int) -> None:
        """Store a constructor's parameter that is declared as a property."""
        this = self.frame.find("this")
        if this is not None:
            self.add(Op.STORE, this, name, variable)

    def _class(self, node: Node) -> int:
        scope = self.scope_of(node)
        if scope is None or not scope.is_named:
            scope = scope or None
        heritage = self._heritage(node)
        bases = [self.text(child).partition("<")[0] for child in heritage if child.type != "call_expression"]
        is_interface = node.type == "interface_declaration"
        symbol = self.symbol(scope, kind="interface" if is_interface else "class") if scope and scope.is_named else -1
        if symbol < 0:
            self.walk(parts_of(node))
            return -1
        values = [self.value(child) for child in heritage if child.type not in _NAMED_TYPES]
        fact = ClassFact(symbol, bases, {}, is_interface, values)
        self.facts.classes.append(fact)
        position = len(self.facts.classes) - 1
        before = self.enter(symbol=symbol)
        self.frame.class_fact = fact
        body = node.child_by_field_name("body")
        for child in parts_of(body) if body else ():
            if child.type in ("field_definition", "public_field_definition", "property_signature"):
                self._field(child)
            else:
                self.value(child)
        self.frame = before
        held = self.new()
        self.add(Op.CLASS, position, held)
        if (name := node.child_by_field_name("name")) is not None:
            self.copy(held, to=self.define(self.text(name)))
        return held

    def _heritage(self, node: Node) -> list[Node]:
        found = []
        for child in parts_of(node):
            if child.type in ("class_heritage", "extends_type_clause"):
                parts = list(parts_of(child))
                for part in parts:
                    found += parts_of(part) if part.type in ("extends_clause", "implements_clause") else [part]
        return [one for one in found if one.type != "type_arguments"]

    def _field(self, node: Node) -> None:
        name = node.child_by_field_name("name") or node.child_by_field_name("property")
        variable = self.define(self.text(name).strip("'\"[]"))
        if (kind := node.child_by_field_name("type")) is not None:
            self.annotate(variable, text=self.code.text(kind, most=500))
        # `this` in a field's value is the instance: arrow functions are given it by a method of their own.
        before = self.enter(symbol=-1)
        fact = FunctionFact(
            -1, before.class_fact.symbol if before.class_fact else -1, [("this", self.define("this"))], self.new()
        )
        fact.takes_self = True
        self.facts.functions.append(fact)
        self._begun[len(self.facts.functions) - 1] = (0, 0)
        held = self.value(node.child_by_field_name("value"))
        self.frame = before
        self.copy(held, to=variable)

    def _namespace(self, node: Node) -> int:
        body = node.child_by_field_name("body")
        self.declare(parts_of(body) if body else ())
        self.walk(parts_of(body) if body else ())
        return -1

    def _assignment(self, node: Node) -> int:
        held = self.value(node.child_by_field_name("right"))
        target = node.child_by_field_name("left")
        if node.type == "augmented_assignment_expression":
            self._bind(target, held)
        else:
            self._bind_at(node, target=target, held=held)
        return held

    def _for_in(self, node: Node) -> int:
        held = self.index(self.value(node.child_by_field_name("right")), key=None)
        self._bind(node.child_by_field_name("left"), held)
        self.value(node.child_by_field_name("body"))
        return -1

    def _object(self, node: Node) -> int:
        variable = self.container("object")
        for child in parts_of(node):
            first = len(self.facts.functions)
            if child.type == "pair":
                value = child.child_by_field_name("value")
                held = self.value(value)
                self._set(variable, key=child.child_by_field_name("key"), held=held)
                if value is not None and value.type == "function_expression":
                    self.copy(variable, to=self.facts.functions[first].parameters[0][1])
            elif child.type == "shorthand_property_identifier":
                self._set(variable, key=child, held=self.value(child))
            elif child.type == "method_definition":
                held = self._function(child)
                self._set(variable, key=child.child_by_field_name("name"), held=held)
                self.copy(variable, to=self.facts.functions[first].parameters[0][1])
            elif child.type == "spread_element":
                self.copy(self.first_value(child), to=variable)
        return variable

    def _set(self, variable: int, *, key: Node | None, held: int) -> None:
        if held < 0 or key is None:
            return
        is_computed = key.type == "computed_property_name"
        inner = self._key(parts_of(key)[0]) if is_computed and parts_of(key) else self.text(key).strip("'\"")
        self.add(Op.SET_INDEX, variable, inner, held)


def _find_shared_names(code: Code) -> frozenset[str]:
    """Return the names that more than one function of a file assigns."""
    assigned: dict[str, set[int]] = defaultdict(set)
    left = [(code.tree.root_node, -1)]
    while left:
        node, function = left.pop()
        if node.type in _ASSIGNING and (target := node.child_by_field_name("left")) is not None:
            assigned[code.text(target)].add(function)
            for part in parts_of(target) if target.type.endswith("_pattern") else ():
                assigned[code.text(part)].add(function)
        elif node.type == "variable_declarator":
            assigned[code.text(node.child_by_field_name("name"))].add(function)
        inner = node.start_byte if node.type in FUNCTIONS else function
        left += [(child, inner) for child in parts_of(node)]
    return frozenset(name for name, functions in assigned.items() if len(functions) > 1)
