"""Python as facts for the linker."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from tree_sitter import Node

from devassist.code_graph.annotations import is_transparent, split_types
from devassist.code_graph.facts import MAX_KEYED, ClassFact, FunctionFact, Op
from devassist.code_graph.lowering import FileLowering
from devassist.code_graph.python_expressions import PythonExpressions
from devassist.code_graph.values import split_words
from devassist.syntax.imports import imports
from devassist.syntax.parse import Code, parts_of


class PythonLowering(PythonExpressions):
    """Lowers a Python file."""

    self_names = frozenset({"self", "cls"})
    literals = frozenset(
        {"integer", "float", "true", "false", "none", "concatenated_string", "comparison_operator", "not_operator"}
    )

    ignored = FileLowering.ignored | {
        "import_statement", "import_from_statement", "future_import_statement", "global_statement",
        "nonlocal_statement", "type", "delete_statement",
    }  # fmt: skip

    def __init__(self, code: Code) -> None:
        super().__init__(code)
        self._is_certain = False
        self._imports = imports(code)
        self._shared_names = {name for line in _SHARING.findall(self.code.source) for name in line.decode().split(", ")}
        self.handlers = {
            "identifier": lambda node: self.read_name(self.text(node)),
            "string": self._string,
            "attribute": self._attribute,
            "call": self._call,
            "subscript": self._subscript,
            "assignment": self._assignment,
            "augmented_assignment": self._assign_augmented,
            "named_expression": self._named_expression,
            "function_definition": self._function,
            "lambda": self._lambda,
            "class_definition": self._class,
            "decorated_definition": self._decorate,
            "list": self.list_value,
            "tuple": self.list_value,
            "set": self.list_value,
            "expression_list": self.list_value,
            "dictionary": self._dictionary,
            "list_comprehension": self._comprehension,
            "set_comprehension": self._comprehension,
            "generator_expression": self._comprehension,
            "dictionary_comprehension": self._comprehension,
            "for_statement": self._for,
            "with_item": self._with_item,
            "except_clause": self._except,
            "return_statement": self._return,
            "raise_statement": self._raise,
            "yield": self._yield,
            "await": lambda node: self.value(parts_of(node)[0] if parts_of(node) else None),
            "parenthesized_expression": self.first_value,
            "boolean_operator": self._either,
            "conditional_expression": self._conditional,
            "binary_operator": self._operator,
            "unary_operator": self.first_value,
            "as_pattern": self._as_pattern,
        }

    # names of scopes

    loops = frozenset({"for_statement", "while_statement"})

    def declare(self, nodes: Iterable[Node]) -> None:
        """Create variables for everything that the scope binds, without its functions and classes."""
        left, found = list(nodes), Counter(list(self.frame.names))
        while left:
            node = left.pop()
            found.update(self._find_bound_names(node))
            if node.type not in _CLOSED and not node.type.endswith(("_comprehension", "generator_expression")):
                left.extend(parts_of(node))
        for name in sorted(found.keys() - self.frame.outer_names):
            self.define(name)
        self.frame.rebound = {name for name, count in found.items() if count > 1} - self._shared_names
        for name in sorted(self.frame.outer_names):
            if self.frame.parent and self.frame.find(name) is None:
                self.define(name, frame=self.top)

    def _find_bound_names(self, node: Node) -> set[str]:
        """Return the names that a statement binds. Imports are recorded at once."""
        kind = node.type
        if kind in ("function_definition", "class_definition"):
            return {self.text(node.child_by_field_name("name"))}
        if kind in ("import_statement", "import_from_statement"):
            self._import(node)
        elif kind in ("global_statement", "nonlocal_statement"):
            self.frame.outer_names |= {self.text(child) for child in parts_of(node)}
        elif kind in ("assignment", "for_statement", "for_in_clause", "augmented_assignment"):
            return self._targets(node.child_by_field_name("left"))
        elif kind in ("as_pattern_target", "named_expression"):
            return self._targets(node.child_by_field_name("name") or node)
        return set()

    def _targets(self, node: Node | None) -> set[str]:
        if node is None:
            return set()
        if node.type == "identifier":
            return {self.text(node)}
        if node.type in ("attribute", "subscript"):
            return set()
        return {name for child in parts_of(node) for name in self._targets(child)}

    def _import(self, node: Node) -> None:
        line = node.start_point.row + 1
        for one in self._imports:
            if one.line != line:
                continue
            for name in one.names:
                shown = name.shown.split(" as ")[0]
                if node.type == "import_statement":
                    is_alias = " as " in name.shown
                    self.import_name(shown if is_alias else name.local, name="", local=name.local, node=node)
                    if not is_alias and "." in shown:
                        self.add(Op.IMPORT, shown, "", self.new())
                elif shown == "*":
                    self.import_star(one.module, node=node)
                else:
                    self.import_name(one.module, name=shown, local=name.local, node=node)

    def import_star(self, module: str, *, node: Node) -> None:
        """Import all of a module's names."""
        self.add(Op.EXPORT_ALL, module)

    # statements

    def _assignment(self, node: Node) -> int:
        target, value, kind = (node.child_by_field_name(name) for name in ("left", "right", "type"))
        if self.text(target) == "__all__":  # names that are exported are no texts that something is called by
            return -1
        held = self.value(value)
        if kind is not None:
            self._annotate_target(target, kind)
        block = node.parent.parent if node.parent is not None else None
        self._is_certain = block is not None and (
            block.type == "module" or (block.parent is not None and block.parent.type == "function_definition")
        )
        self._bind_values(target, value, held)
        self._is_certain = False
        return held

    def _bind_values(self, target: Node | None, value: Node | None, held: int) -> None:
        """Bind a target. If both sides are lists, bind each part to the element at its index."""
        are_lists = target is not None and value is not None and {target.type, value.type} <= _LISTS
        if target is None or value is None or not are_lists or not self._fits(target, value):
            self._bind(target, held)
            return
        targets, count = parts_of(target), len(parts_of(value))
        star = next((at for at, one in enumerate(targets) if one.type == "list_splat_pattern"), len(targets))
        parts = [self.index(held, key=str(number)) for number in range(count)]
        shift = count - len(targets)
        for at, one in enumerate(targets):
            if at == star:
                rest = self.container("list")
                for number, part in enumerate(parts[star : star + shift + 1]):
                    self.add(Op.SET_INDEX, rest, str(number), part)
                self._bind(one, rest)
            else:
                self._bind(one, parts[at if at < star else at + shift])

    def _fits(self, target: Node, value: Node) -> bool:
        count, kinds = len(parts_of(value)), {child.type for child in parts_of(value)}
        return len(parts_of(target)) - 1 <= count <= MAX_KEYED and "list_splat" not in kinds

    def _annotate_target(self, target: Node | None, kind: Node) -> None:
        if target is None:
            return
        if target.type == "identifier":
            self.annotate(self.define(self.text(target)), text=self.code.text(kind, most=1_000))
        elif target.type == "attribute":
            typed = self.new()
            self.annotate(typed, text=self.code.text(kind, most=1_000))
            self._bind(target, typed)

    def annotate(self, variable: int, *, text: str) -> None:
        """Let a variable hold its annotated type."""
        names, elements = split_types(text)
        self.typed.add(variable)
        if names:
            self.add(Op.TYPE, variable, names)
        if elements:
            self.add(Op.ELEMENT_TYPE, variable, elements)

    def _assign_augmented(self, node: Node) -> int:
        held = self.value(node.child_by_field_name("right"))
        self._bind(node.child_by_field_name("left"), held)
        return held

    def _named_expression(self, node: Node) -> int:
        held = self.value(node.child_by_field_name("value"))
        self._bind(node.child_by_field_name("name"), held)
        return held

    def _bind(self, target: Node | None, held: int) -> None:
        """Assign a value to a target: a name, an attribute, an element, or several."""
        if target is None:
            return
        if target.type == "identifier":
            name = self.text(target)
            known = self.frame.find(name) if name in self.frame.outer_names else None
            if known is not None:
                self.copy(held, to=known)
            else:
                self.assign(name, held=held, is_certain=self._is_certain)
        elif target.type == "attribute":
            base = self.value(target.child_by_field_name("object"))
            if base >= 0 and held >= 0:
                self.add(Op.STORE, base, self.text(target.child_by_field_name("attribute")), held)
        elif target.type == "subscript":
            base = self.value(target.child_by_field_name("value"))
            key = self._key(target.child_by_field_name("subscript"))
            if base >= 0 and held >= 0:
                self.add(Op.SET_INDEX, base, key, held)
            self.assign_element(target, held=held, is_certain=self._is_certain and key is not None)
        elif target.type in ("list_splat_pattern", "as_pattern_target", "parenthesized_expression"):
            for child in parts_of(target):
                self._bind(child, held)
        else:
            self._bind_parts(target, held)

    def _bind_parts(self, target: Node, held: int) -> None:
        """Bind each part of a list of targets. A part after a starred one may be any element."""
        is_behind = False
        for number, child in enumerate(parts_of(target)):
            if child.type == "list_splat_pattern":
                is_behind = True
                self._bind(child, self.slice(held, start=number))
            else:
                self._bind(child, self.index(held, key=None if is_behind else str(number)))

    def _for(self, node: Node) -> int:
        self._bind(node.child_by_field_name("left"), self._iterate(node.child_by_field_name("right")))
        self.value(node.child_by_field_name("body"))
        self.value(node.child_by_field_name("alternative"))
        return -1

    def _iterate(self, node: Node | None) -> int:
        held = self.value(node)
        if node is None or held < 0:
            return -1
        element = self.index(held, key=None)
        for name in ("__iter__", "__aiter__"):
            iterator = self.call(self.load(held, name=name, node=node), node=node, name=name)
            self.copy(self.index(iterator, key=None), to=element)
            step = "__next__" if name == "__iter__" else "__anext__"
            self.copy(self.call(self.load(iterator, name=step, node=node), node=node, name=step), to=element)
        return element

    def _with_item(self, node: Node) -> int:
        inner = node.child_by_field_name("value") or node
        target = None
        if inner.type == "as_pattern":
            target = inner.child_by_field_name("alias")
            inner = parts_of(inner)[0]
        held = self.value(inner)
        entered = [held, self.index(held, key=None)]
        for name in ("__enter__", "__aenter__", "__exit__", "__aexit__"):
            result = self.call(self.load(held, name=name, node=inner), node=inner, name=name)
            entered += [result] if "enter" in name else []
        self._bind(target, self.merge(entered))
        return -1

    def _as_pattern(self, node: Node) -> int:
        held = self.value(parts_of(node)[0])
        self._bind(node.child_by_field_name("alias"), held)
        return held

    def _except(self, node: Node) -> int:
        for child in parts_of(node):
            if child.type == "as_pattern":
                caught = parts_of(child)[0]
                target = child.child_by_field_name("alias")
                if target is not None and parts_of(target):
                    variable = self.define(self.text(parts_of(target)[0]))
                    self.annotate(variable, text=self.code.text(caught, most=500).strip("()").replace(",", "|"))
            else:
                self.value(child)
        return -1

    def _return(self, node: Node) -> int:
        held = self.value(parts_of(node)[0] if parts_of(node) else None)
        if (function := self._around()) is not None:
            self.copy(held, to=function.result)
        return -1

    def _yield(self, node: Node) -> int:
        function = self._around()
        held = self.value(parts_of(node)[0] if parts_of(node) else None)
        if function is None:
            return -1
        function.is_generator = True
        if function.elements < 0:
            function.elements = self.new()
        if any(child.type == "from" for child in node.children):
            self.copy(self.index(held, key=None), to=function.elements)
            return self.index(held, key="return")
        self.copy(held, to=function.elements)
        return self.new()

    def _around(self) -> FunctionFact | None:
        frame = self.frame
        while frame is not None:
            if frame.function is not None:
                return frame.function
            if frame.class_fact is not None:
                return None
            frame = frame.parent  # type: ignore[assignment]
        return None

    # definitions

    def _decorate(self, node: Node) -> int:
        definition = node.child_by_field_name("definition")
        decorators = [parts_of(child)[0] for child in parts_of(node) if child.type == "decorator"]
        names = [self.text(one) for one in decorators]
        if definition is None:
            return -1
        if definition.type == "class_definition":
            held = self._class(definition, binds=False)
        else:
            held = self._function(definition, decorators=names, binds=False)
        for decorator, name in reversed(list(zip(decorators, names, strict=True))):
            if is_transparent(name, imported=self._imports) or name.endswith((".setter", ".deleter", ".getter")):
                self.skip(decorator)
                continue
            callee = self.value(decorator)
            place = decorator
            if decorator.type == "call":
                place = decorator.child_by_field_name("function") or decorator
            last = place.child_by_field_name("attribute") or place
            named = self.text(last) if decorator.type != "call" else ""
            held = self.call(callee, node=last, arguments=[held], name=named, is_decorator=True)
        self.copy(held, to=self.define(self.text(definition.child_by_field_name("name"))))
        return held

    def _function(self, node: Node, *, decorators: Sequence[str] = (), binds: bool = True) -> int:
        is_method = self.frame.class_fact is not None
        is_property = any(name in _PROPERTIES or name.endswith((".setter", ".deleter")) for name in decorators)
        kind = "property" if is_property and is_method else "method" if is_method else "function"
        index = self.function(self.scope_of(node), kind=kind)
        fact = self.facts.functions[index]
        fact.binding = next((_BINDINGS[name] for name in decorators if name in _BINDINGS), "")
        if any(name.partition("(")[0].endswith("fixture") for name in decorators):
            fact.binding = "fixture"
        fact.takes_self = is_method and fact.binding != "static"
        if is_method and self.text(node.child_by_field_name("name")) in (
            "__new__",
            "__init_subclass__",
            "__class_getitem__",
        ):
            fact.binding = "class"
        defaults = self._defaults(node.child_by_field_name("parameters"))
        owner = self.frame.class_fact
        before = self.enter(symbol=fact.symbol, function=fact)
        self._parameters(node.child_by_field_name("parameters"), fact=fact, defaults=defaults)
        if fact.takes_self and fact.parameters and owner is not None:
            self._names_self(fact)
        if (result := node.child_by_field_name("return_type")) is not None:
            self.annotate(fact.result, text=self.code.text(result, most=1_000))
        body = node.child_by_field_name("body")
        if body is not None:
            self.declare(parts_of(body))
            self.walk(parts_of(body))
        self.frame = before
        held = self.function_value(index)
        if binds:
            self.copy(held, to=self.define(self.text(node.child_by_field_name("name"))))
        return held

    def _names_self(self, fact: FunctionFact) -> None:
        self.frame.names["__class_of_self__"] = fact.owner

    def _defaults(self, parameters: Node | None) -> dict[str, int]:
        found = {}
        for child in parts_of(parameters) if parameters else ():
            if (value := child.child_by_field_name("value")) is not None:
                found[self.text(child.child_by_field_name("name"))] = self.value(value)
        return found

    def _parameters(self, node: Node | None, *, fact: FunctionFact, defaults: dict[str, int]) -> None:
        for child in parts_of(node) if node else ():
            kind = child.child_by_field_name("type")
            name = child.child_by_field_name("name") or child
            if child.type == "typed_parameter":
                name = parts_of(child)[0]
            if name.type in ("list_splat_pattern", "dictionary_splat_pattern"):
                self._rest(name, kind=kind, fact=fact)
                continue
            if name.type != "identifier":
                continue
            variable = self.define(self.text(name))
            fact.parameters.append((self.text(name), variable))
            self.copy(defaults.get(self.text(name), -1), to=variable)
            if kind is not None:
                self.annotate(variable, text=self.code.text(kind, most=1_000))

    def _rest(self, name: Node, *, kind: Node | None, fact: FunctionFact) -> None:
        variable = self.define(self.text(name).lstrip("*"))
        held = self.container("list")
        self.copy(held, to=variable)
        if kind is not None and (types := split_types(self.code.text(kind, most=500))[0]):
            self.add(Op.ELEMENT_TYPE, variable, types)
        if name.type == "list_splat_pattern":
            fact.rest = variable
        else:
            fact.rest_named = variable

    def _lambda(self, node: Node) -> int:
        index = self.function(self.scope_of(node))
        fact = self.facts.functions[index]
        defaults = self._defaults(node.child_by_field_name("parameters"))
        before = self.enter(symbol=fact.symbol, function=fact)
        self._parameters(node.child_by_field_name("parameters"), fact=fact, defaults=defaults)
        self.copy(self.value(node.child_by_field_name("body")), to=fact.result)
        self.frame = before
        return self.function_value(index)

    def _class(self, node: Node, *, binds: bool = True) -> int:
        scope = self.scope_of(node)
        if scope is None:
            return -1
        bases, base_values, is_interface = [], list[int](), False
        for base in parts_of(node.child_by_field_name("superclasses") or node):
            if node.child_by_field_name("superclasses") is None:
                break
            if base.type == "subscript":
                base = base.child_by_field_name("value") or base  # noqa: PLW2901
            if base.type == "keyword_argument":
                continue
            base_values.append(self.value(base))
            if base.type in ("identifier", "attribute"):
                bases.append(self.text(base))
            is_interface = is_interface or self.text(base).endswith("Protocol")
        symbol = self.symbol(scope, kind="interface" if is_interface else "class")
        fact = ClassFact(symbol, bases, {}, is_interface, base_values)
        self.facts.classes.append(fact)
        position = len(self.facts.classes) - 1
        before = self.enter(symbol=symbol)
        self.frame.class_fact = fact
        body = node.child_by_field_name("body")
        self.declare(parts_of(body) if body else ())
        self.walk(parts_of(body) if body else ())
        self.frame = before
        held = self.new()
        self.add(Op.CLASS, position, held)
        if binds:
            self.copy(held, to=self.define(self.text(node.child_by_field_name("name"))))
        return held

    def _comprehension(self, node: Node) -> int:
        variable = self.container("list")
        before = self.enter(symbol=-1)
        for child in parts_of(node):
            if child.type == "for_in_clause":
                self._bind(child.child_by_field_name("left"), self._iterate(child.child_by_field_name("right")))
            elif child.type == "if_clause":
                self.walk(parts_of(child))
        body = node.child_by_field_name("body")
        if body is not None and body.type == "pair":
            self.value(body.child_by_field_name("key"))
            body = body.child_by_field_name("value")
        held = self.value(body)
        self.frame = before
        if held >= 0:
            self.add(Op.SET_INDEX, variable, None, held)
        return variable


_SHARING = re.compile(rb"^\s*(?:global|nonlocal)\s+(.+?)\s*(?:#.*)?$", re.MULTILINE)
_LISTS = split_words("expression_list pattern_list list tuple tuple_pattern list_pattern")
_CLOSED = split_words(
    """
    function_definition class_definition import_statement import_from_statement global_statement nonlocal_statement
    lambda
    """
)
_PROPERTIES = split_words("property cached_property functools.cached_property abc.abstractproperty")
_BINDINGS = {
    "staticmethod": "static", "classmethod": "class", "property": "property", "cached_property": "property",
    "functools.cached_property": "property", "abc.abstractproperty": "property",
}  # fmt: skip
