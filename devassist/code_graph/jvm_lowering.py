"""Java and Kotlin as facts for the linker. Their declared types resolve most calls."""

from collections.abc import Iterable

from tree_sitter import Node

from devassist.code_graph.facts import UNNAMED_PACKAGE, ClassFact, FunctionFact, ImportFact, Op, SymbolFact
from devassist.code_graph.jvm_expressions import CLASSES, FUNCTIONS, JvmExpressions
from devassist.code_graph.lowering import FileLowering, Frame
from devassist.code_graph.values import EXTENSION, split_words
from devassist.syntax.imports import imports
from devassist.syntax.parse import Code, parts_of


class JvmLowering(JvmExpressions):
    """Lowers a Java or Kotlin file."""

    literals = split_words(
        """
    string_literal multiline_string_literal number_literal integer_literal decimal_integer_literal
    boolean_literal character_literal true false null null_literal float_literal hex_literal
    """
    )
    ignored = FileLowering.ignored | {
        "package_header", "package_declaration", "import", "import_declaration", "type_parameters", "type_arguments",
        "user_type", "nullable_type", "type_identifier",
    }  # fmt: skip

    def __init__(self, code: Code) -> None:
        super().__init__(code)
        self.is_kotlin = code.grammar.language == "kotlin"
        self.handlers = {
            "identifier": self._identifier,
            "this": self._read_this,
            "this_expression": self._read_this,
            "super": self._super,
            "super_expression": self._super,
            "field_access": self._field_access,
            "navigation_expression": self._navigation,
            "method_invocation": self._invocation,
            "object_creation_expression": self._creation,
            "call_expression": self._call,
            "infix_expression": self._infix,
            "assignment_expression": self._assignment,
            "assignment": self._assignment,
            "local_variable_declaration": self._java_variables,
            "field_declaration": self._java_variables,
            "property_declaration": self._property,
            "enhanced_for_statement": self._for,
            "for_statement": self._for,
            "return_statement": self._return,
            "return_expression": self._return,
            "jump_expression": self._return,
            "unary_expression": self.first_value,
            "lambda_expression": self._lambda,
            "lambda_literal": self._lambda,
            "anonymous_function": self._lambda,
            "method_reference": self._reference,
            "callable_reference": self._reference,
            "parenthesized_expression": self.first_value,
            "as_expression": self._cast,
            "cast_expression": self._cast,
            "ternary_expression": self._either,
            "elvis_expression": self._either,
            "binary_expression": self._either,
            "if_expression": self._either,
            "when_expression": self._either,
            "try_expression": self._either,
            "index_expression": self._element,
            "array_access": self._element,
            "object_literal": self._object_literal,
            "explicit_constructor_invocation": self._delegate,
            "constructor_delegation_call": self._delegate,
            "enum_constant": self._enum_constant,
            "resource": self._declare_inline,
            "instanceof_expression": self._declare_inline,
            "catch_formal_parameter": self._catch,
            "anonymous_initializer": self._block,
            "static_initializer": self._block,
            **dict.fromkeys(FUNCTIONS, self._function),
            **dict.fromkeys(CLASSES, self._class),
        }

    def declare(self, nodes: Iterable[Node]) -> None:
        """Record imports and the package at top level, and the names that a scope binds."""
        nodes = list(nodes)
        if self.frame is self.top:
            self._enter_file(nodes)
        for node in nodes:
            name = node.child_by_field_name("name")
            is_named = node.type in CLASSES | FUNCTIONS and "constructor" not in node.type
            if is_named and name is not None and not self._receiver(node):
                self.define(self.text(name))

    def _enter_file(self, nodes: list[Node]) -> None:
        self.facts.package = UNNAMED_PACKAGE
        for node in nodes:
            if node.type in ("package_header", "package_declaration"):
                self.facts.package = self.text(parts_of(node)[0]).strip(";") if parts_of(node) else UNNAMED_PACKAGE
        for one in imports(self.code):
            for name in one.names:
                shown = name.shown.split(" as ")[0]
                place = self.code.tree.root_node
                if shown == "*":
                    self.add(Op.EXPORT_ALL, one.module)
                    self.import_star(one.module)
                else:
                    self.import_name(one.module, name=shown, local=name.local, node=place)

    def import_star(self, module: str) -> None:
        """Record a wildcard import of a package."""
        self.facts.imports.append(ImportFact(1, module, "*", "*"))

    # types

    def _class(self, node: Node) -> int:
        scope = self.scope_of(node)
        if scope is None:
            self.walk(parts_of(node))
            return -1
        kind = "interface" if "interface" in node.type or any(c.type == "interface" for c in node.children) else "class"
        if not scope.is_named:  # an unnamed companion object: its members are the class's own
            return self._companion(node)
        symbol = self.symbol(scope, kind=kind)
        fact = ClassFact(
            symbol, self._bases(node), {}, kind == "interface", is_expected=self._has_modifier("expect", node)
        )
        self.facts.classes.append(fact)
        position = len(self.facts.classes) - 1
        before = self.enter(symbol=symbol)
        self.frame.class_fact = fact
        self._primary_constructor(node, fact=fact)
        for members in self._bodies(node):
            self.declare(members)
            self.walk(members)
        self.frame = before
        held = self.new()
        self.add(Op.CLASS, position, held)
        if node.type in ("object_declaration", "companion_object"):
            held = self._singleton(self.text(node.child_by_field_name("name")))
        self.copy(held, to=self.define(scope.name))
        return held

    def _singleton(self, name: str) -> int:
        held = self.new()
        self.add(Op.TYPE, held, [name])
        return held

    def _companion(self, node: Node) -> int:
        for members in self._bodies(node):
            self.walk(members)
        return -1

    def _bodies(self, node: Node) -> list[list[Node]]:
        """
        Return the members of a class.

        The grammar reads the body behind `: Map<String, Any> by map` as a lambda that `map` is called with.
        """
        found = [parts_of(child) for child in parts_of(node) if child.type.endswith("body")]
        for delegated in self._find_delegated(node):
            last = parts_of(delegated)[-1] if parts_of(delegated) else delegated
            if not found and delegated.type == "call_expression" and last.type == "annotated_lambda":
                self.skip(delegated)
                self.value(parts_of(delegated)[0])
                found.append(parts_of(parts_of(last)[-1]))
            else:
                self.value(delegated)
        return found

    def _find_delegated(self, node: Node) -> list[Node]:
        """Return what a class delegates supertypes to."""
        found, left = list[Node](), [one for one in parts_of(node) if one.type == "delegation_specifiers"]
        while left:
            one = left.pop()
            if one.type == "explicit_delegation":
                found.append(parts_of(one)[-1])
            elif one.type.startswith("delegation_specifier"):
                left += parts_of(one)
        return found

    def _bases(self, node: Node) -> list[str]:
        found: list[str] = []
        for child in parts_of(node):
            if child.type in ("superclass", "super_interfaces", "extends_interfaces", "delegation_specifiers"):
                left = list(parts_of(child))
                while left:
                    one = left.pop(0)
                    if one.type in ("type_identifier", "user_type", "scoped_type_identifier", "generic_type"):
                        found.append(self.text(one).partition("<")[0])
                    else:
                        if one.type == "constructor_invocation":
                            self._arguments(one)
                        left = [*parts_of(one), *left]
        return found

    def _primary_constructor(self, node: Node, *, fact: ClassFact) -> None:
        """Record the members that a class head declares: Kotlin's constructor properties, a record's components."""
        for child in parts_of(node):
            if child.type not in ("primary_constructor", "formal_parameters"):
                continue
            left = list(parts_of(child))
            while left:
                one = left.pop(0)
                if one.type in ("class_parameter", "formal_parameter"):
                    name = one.child_by_field_name("name") or next(c for c in parts_of(one) if c.type == "identifier")
                    held = self.define(self.text(name))
                    self.annotate(held, node=self._type_of(one))
                    if parts_of(one)[-1] not in (name, self._type_of(one)):
                        self.copy(self.value(parts_of(one)[-1]), to=held)
                else:
                    left = [*parts_of(one), *left]

    def _receiver(self, node: Node) -> Node | None:
        """Return the type that a Kotlin function extends."""
        name = node.child_by_field_name("name")
        if node.type != "function_declaration" or name is None:
            return None
        kinds = ("user_type", "nullable_type")
        return next((c for c in parts_of(node) if c.type in kinds and c.end_byte <= name.start_byte), None)

    def _function(self, node: Node) -> int:
        owner = self.frame.class_fact
        index = self.function(self.scope_of(node), kind="method" if owner is not None else "function")
        fact = self.facts.functions[index]
        name = self.text(node.child_by_field_name("name")) or "constructor"
        is_constructor = "constructor" in node.type
        receiver = self._receiver(node)
        is_static = self._has_modifier("static", node)
        fact.takes_self = owner is not None
        fact.binding = "class" if is_static else ""
        before = self.enter(symbol=fact.symbol, function=fact)
        if fact.takes_self or receiver is not None:
            this = self.define("this")
            if fact.takes_self:
                fact.parameters.append(("this", this))
            self.annotate(this, node=receiver)
        self._parameters(node, fact=fact)
        if (result := self._result_type(node)) is not None:
            self.annotate(fact.result, node=result)
        for child in parts_of(node):
            if child.type == "constructor_delegation_call":
                self.value(child)
            elif child.type in ("block", "function_body", "constructor_body"):
                self.declare(parts_of(child))
                if self.is_kotlin and not self.text(child).startswith("{"):
                    self.copy(self.first_value(child), to=fact.result)
                else:
                    self.walk(parts_of(child))
        self.frame = before
        held = self.function_value(index)
        key = (
            "constructor"
            if is_constructor
            else f"{self.text(receiver).partition('<')[0].strip('?')}<{name}"
            if receiver
            else name
        )
        self.copy(held, to=self.define(key))
        if receiver is not None:
            self.copy(held, to=self.define(f"{EXTENSION}{name}", frame=self.top))
        elif self.is_kotlin and self.frame is self.top:  # overloads, and what `expect` stands for, are in other files
            self.add(Op.IMPORT, self.facts.package, name, self.define(name))
        return held

    def _has_modifier(self, word: str, node: Node) -> bool:
        return any(child.type == "modifiers" and word in self.text(child).split() for child in parts_of(node))

    def _result_type(self, node: Node) -> Node | None:
        if not self.is_kotlin:
            return node.child_by_field_name("type")
        given = next((c for c in parts_of(node) if c.type == "function_value_parameters"), None)
        kinds = ("user_type", "nullable_type")
        after = (c for c in parts_of(node) if c.type in kinds and given is not None and c.start_byte > given.start_byte)
        return next(after, None)

    def _parameters(self, node: Node, *, fact: FunctionFact) -> None:
        count, least, is_open = 0, 0, False
        for child in parts_of(node):
            if child.type not in ("formal_parameters", "function_value_parameters"):
                continue
            for position, one in enumerate(parts_of(child)):
                if one.type not in ("formal_parameter", "spread_parameter", "parameter"):
                    continue
                name = one.child_by_field_name("name") or next(
                    (c for c in parts_of(one) if c.type == "identifier"), None
                )
                if name is None:
                    is_open = True
                    continue
                variable = self.define(self.text(name))
                fact.parameters.append((self.text(name), variable))
                self.annotate(variable, node=self._type_of(one))
                count += 1
                after = parts_of(child)[position + 1 :][:1]
                has_default = bool(after) and after[0].type not in (
                    "formal_parameter",
                    "parameter",
                    "parameter_modifiers",
                )
                least += not has_default
                if has_default:
                    self.copy(self.value(after[0]), to=variable)
                is_open = is_open or one.type == "spread_parameter" or "vararg" in self.text(child)
        fact.arity = (0, 1_000) if is_open else (0 if self.is_kotlin else least, count)

    def _java_variables(self, node: Node) -> int:
        kind = node.child_by_field_name("type")
        for child in parts_of(node):
            if child.type == "variable_declarator":
                variable = self.define(self.text(child.child_by_field_name("name")))
                self.annotate(variable, node=kind)
                with_this = self._begin_field()
                held = self.value(child.child_by_field_name("value"))
                self._end_field(with_this)
                self.copy(held, to=variable)
        return -1

    def _begin_field(self) -> object:
        """Start the initial value of a member with a `this` of its own."""
        owner = self.frame.class_fact
        if owner is None:
            return None
        before = self.enter(symbol=-1)
        fact = FunctionFact(-1, owner.symbol, [("this", self.define("this"))], self.new())
        fact.takes_self = True
        self.facts.functions.append(fact)
        self._begun[len(self.facts.functions) - 1] = (0, 0)
        return before

    def _end_field(self, before: object) -> None:
        if before is not None:
            self.frame = before  # type: ignore[assignment]

    def _property(self, node: Node) -> int:
        declared = [child for child in parts_of(node) if child.type == "variable_declaration"]
        name = next((c for one in declared for c in parts_of(one) if c.type == "identifier"), None)
        if name is None:
            self.walk(parts_of(node))
            return -1
        variable = self.define(self.text(name))
        self.annotate(variable, node=self._type_of(declared[0]))
        before = self._begin_field()
        for child in parts_of(node):
            if child not in declared and child.type != "modifiers":
                held = self.value(child)
                if child.type == "property_delegate":
                    held = self.value(parts_of(child)[0]) if parts_of(child) else -1
                self.copy(held, to=variable)
        self._end_field(before)
        return -1

    def _block(self, node: Node) -> int:
        before = self._begin_field()
        self.walk(parts_of(node))
        self._end_field(before)
        return -1

    def _lambda(self, node: Node) -> int:
        index = self.function(None)
        fact = self.facts.functions[index]
        before = self.enter(symbol=-1, function=fact)
        left = [
            c
            for c in parts_of(node)
            if c.type in ("lambda_parameters", "formal_parameters", "inferred_parameters", "identifier")
        ]
        for name in self._parameter_names(left[:1]):
            variable = self.define(self.text(name))
            fact.parameters.append((self.text(name), variable))
        if self.is_kotlin and not fact.parameters:
            fact.parameters.append(("it", self.define("it")))
        held = -1
        self.lambdas += self.is_kotlin
        for child in parts_of(node):
            if child not in left[:1]:
                held = self.value(child)
        self.lambdas -= self.is_kotlin
        self.copy(held, to=fact.result)
        self.frame = before
        return self.function_value(index)

    def _parameter_names(self, nodes: list[Node]) -> list[Node]:
        found, left = [], list(nodes)
        while left:
            one = left.pop(0)
            if one.type == "identifier":
                found.append(one)
            elif one.type not in ("user_type", "nullable_type", "type_identifier"):
                left = [*parts_of(one), *left]
        return found

    def _object_literal(self, node: Node) -> int:
        body = next((child for child in parts_of(node) if child.type == "class_body"), None)
        bases = self._bases(node)
        if body is None:
            return self.new()
        made = self.anonymous_class(node, bases=bases, body=body)
        return self.call(made, node=node, name=bases[0] if bases else "", is_new=True)

    def anonymous_class(self, node: Node, *, bases: list[str], body: Node) -> int:
        """Lower a class without a name, which is known by its first base, and return a variable that holds it."""
        line, character = self.code.place(node.start_byte)
        around = self.frame.symbol if self.frame.symbol >= 0 else self.caller
        name = f"<{bases[0].rpartition('.')[2] if bases else 'object'}>"
        owner = f"{self.facts.symbols[around].qualified_name}." if around >= 0 else ""
        ends = node.start_point.row + 1, node.end_point.row + 1
        self.facts.symbols.append(
            SymbolFact(name, f"{owner}{name}"[:1_000], "class", line + 1, character, *ends, around, "")
        )
        fact = ClassFact(len(self.facts.symbols) - 1, bases, {})
        self.facts.classes.append(fact)
        position = len(self.facts.classes) - 1
        before = self.enter(symbol=fact.symbol)
        self.frame.class_fact = fact
        self.declare(parts_of(body))
        self.walk(parts_of(body))
        self.frame = before
        held = self.new()
        self.add(Op.CLASS, position, held)
        return held

    def _delegate(self, node: Node) -> int:
        """Lower a constructor's call of another one: `this(...)` or `super(...)`."""
        said = node.child_by_field_name("constructor") or next(iter(node.children), None)
        frame: Frame | None = self.frame
        while frame is not None and frame.class_fact is None:
            frame = frame.parent
        if said is None or frame is None:
            self.walk(parts_of(node))
            return -1
        if said.type == "super":
            callee = self.load(self.value(said), name="constructor", node=said)
        else:
            callee = self.define("constructor", frame=frame)
        arguments, named = self._arguments(node if self.is_kotlin else node.child_by_field_name("arguments"))
        return self.call(callee, node=said, arguments=arguments, named=named, name=self.text(said))

    def _enum_constant(self, node: Node) -> int:
        """Lower a constant of an enum, which calls a constructor of it."""
        name, given = node.child_by_field_name("name"), node.child_by_field_name("arguments")
        owner, body = self.frame.class_fact, node.child_by_field_name("body")
        if name is None or owner is None:
            return -1
        held, own = self.define(self.text(name)), self.facts.symbols[owner.symbol].name
        self.add(Op.TYPE, held, [own])
        arguments, named = self._arguments(given)
        self.call(self.define("constructor"), node=name, arguments=arguments, named=named, name=own)
        if body is not None:
            self.anonymous_class(node, bases=[own], body=body)
        return -1

    def _catch(self, node: Node) -> int:
        name = node.child_by_field_name("name")
        kind = next((child for child in parts_of(node) if child.type == "catch_type"), None)
        if name is not None:
            self.annotate(self.define(self.text(name)), node=kind)
        return -1

    # statements

    def _for(self, node: Node) -> int:
        held = -1
        target = node.child_by_field_name("name")
        for child in parts_of(node):
            if child.type == "variable_declaration" and self.is_kotlin:
                target = parts_of(child)[0]
                continue
            if (
                target is not None
                and child != target
                and held < 0
                and "block" not in child.type
                and "body" not in child.type
            ):
                held = self.value(child)
                variable = self.define(self.text(target))
                self.annotate(variable, node=node.child_by_field_name("type"))
                self.copy(self.index(held, key=None), to=variable)
            elif child != target:
                self.value(child)
        return -1

    def _return(self, node: Node) -> int:
        held = self.first_value(node)
        frame = self.frame
        while frame is not None and (frame.function is None or frame.function.symbol < 0):
            frame = frame.parent  # type: ignore[assignment]
        if frame is not None and frame.function is not None:
            self.copy(held, to=frame.function.result)
        return -1
