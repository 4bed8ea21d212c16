"""
Repair of schema definitions that contradict each other, so that a schema can be built. Pure.

The first definition of a name is used and gains the members that only a later one has. Undefined names become scalars.
A member whose type is not allowed in its place is removed. Each repair is a warning.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast

from graphql import (
    ConstDirectiveNode,
    DefinitionNode,
    DirectiveDefinitionNode,
    DocumentNode,
    EnumTypeDefinitionNode,
    ExecutableDefinitionNode,
    FieldDefinitionNode,
    InputObjectTypeDefinitionNode,
    InputValueDefinitionNode,
    InterfaceTypeDefinitionNode,
    ListTypeNode,
    NamedTypeNode,
    NameNode,
    Node,
    NonNullTypeNode,
    ObjectTypeDefinitionNode,
    OperationTypeDefinitionNode,
    ScalarTypeDefinitionNode,
    SchemaDefinitionNode,
    SchemaExtensionNode,
    StringValueNode,
    TypeDefinitionNode,
    TypeExtensionNode,
    TypeNode,
    UnionTypeDefinitionNode,
    specified_directives,
    specified_scalar_types,
)

from graphql_proxy.schema.warnings import WarningLog

Member = TypeVar("Member", bound=Node)

_MEMBERS = {
    "object_type": ("fields", "interfaces"),
    "interface_type": ("fields", "interfaces"),
    "input_object_type": ("fields",),
    "enum_type": ("values",),
    "union_type": ("types",),
    "scalar_type": (),
}
"""The attribute with the members of each kind of type."""
_DEFINITIONS: dict[str, type[TypeDefinitionNode]] = {
    "object_type": ObjectTypeDefinitionNode,
    "interface_type": InterfaceTypeDefinitionNode,
    "input_object_type": InputObjectTypeDefinitionNode,
    "enum_type": EnumTypeDefinitionNode,
    "union_type": UnionTypeDefinitionNode,
    "scalar_type": ScalarTypeDefinitionNode,
}
_OUTPUTS = frozenset({"object_type", "interface_type", "union_type", "enum_type", "scalar_type"})
_INPUTS = frozenset({"input_object_type", "enum_type", "scalar_type"})
_STANDARD_SCALARS = frozenset(specified_scalar_types)
_STANDARD_DIRECTIVES = frozenset(directive.name for directive in specified_directives)


def repair_document(document: DocumentNode, *, log: WarningLog) -> DocumentNode:
    """Return a document of definitions with unique names, without extensions, with every name defined."""
    return _Repair(document, log=log).repair()


class _Repair:
    """Repairs one document: first duplicates, then undefined references."""

    def __init__(self, document: DocumentNode, *, log: WarningLog) -> None:
        self._document = document
        self._log = log
        self._types: dict[str, TypeDefinitionNode] = {}
        self._directives: dict[str, DirectiveDefinitionNode] = {}
        self._schemas: list[SchemaDefinitionNode | SchemaExtensionNode] = []
        self._uses: Counter[str] = Counter()
        self._unknown: dict[str, ScalarTypeDefinitionNode] = {}

    def repair(self) -> DocumentNode:
        extensions: list[TypeExtensionNode] = []
        for one in self._document.definitions:
            if isinstance(one, TypeExtensionNode):
                extensions.append(one)
            else:
                self._collect(one)
        for extension in extensions:
            self._extend(extension)
        definitions: list[DefinitionNode] = [self._check_type(one) for one in self._types.values()]
        definitions += [replace(one, arguments=self._check_inputs(one.arguments, within=f"@{name}"))
                        for name, one in self._directives.items()]  # fmt: skip
        definitions += self._merge_schemas()
        return replace(self._document, definitions=(*definitions, *self._unknown.values()))

    def _collect(self, one: DefinitionNode) -> None:
        if isinstance(one, TypeDefinitionNode):
            self._define(one)
        elif isinstance(one, DirectiveDefinitionNode):
            self._keep_first(one, known=self._directives, prefix="@")
        elif isinstance(one, SchemaDefinitionNode | SchemaExtensionNode):
            self._schemas.append(one)
        else:
            what = "an operation or fragment" if isinstance(one, ExecutableDefinitionNode) else f"a {one.kind}"
            self._log.add(f"It is {what}, which is not in the grammar of schemas; it is left out.", node=one)

    def _define(self, one: TypeDefinitionNode) -> None:
        name = one.name.value
        known = self._types.get(name)
        if known is None:
            self._types[name] = one
            return
        self._log.add(f"{name} is defined more than once; the first definition is used.", path=name, node=one)
        if known.kind == one.kind:
            self._types[name] = _add_members(known, more=one, log=None)

    def _extend(self, extension: TypeExtensionNode) -> None:
        name, kind = extension.name.value, extension.kind.removesuffix("_extension")
        known = self._types.get(name)
        if known is None:
            attributes = {key: getattr(extension, key) for key in extension.keys}
            self._types[name] = _DEFINITIONS[kind](**attributes)
            self._log.add(f"{name} is extended and never defined; the extension defines it.", path=name, node=extension)
        elif _kind_of(known) != kind:
            self._log.add(f"{name} is of another kind; the extension is left out.", path=name, node=extension)
        else:
            self._types[name] = _add_members(known, more=extension, log=self._log)

    def _keep_first(self, one: Any, *, known: dict[str, Any], prefix: str = "") -> None:
        name = one.name.value
        if name in known:
            path = f"{prefix}{name}"
            self._log.add(f"{path} is defined more than once; the first definition is used.", path=path, node=one)
        else:
            known[name] = one

    def _check_type(self, of: TypeDefinitionNode) -> TypeDefinitionNode:
        name = of.name.value
        changes: dict[str, Any] = {"directives": self._check_directives(of.directives, path=name)}
        if isinstance(of, ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode):
            changes["fields"] = self._check_fields(of.fields, within=name)
            changes["interfaces"] = self._check_names(of.interfaces, within=name, kinds=("interface_type",))
        elif isinstance(of, InputObjectTypeDefinitionNode):
            changes["fields"] = self._check_inputs(of.fields, within=name)
        elif isinstance(of, UnionTypeDefinitionNode):
            changes["types"] = self._check_names(of.types, within=name, kinds=("object_type",))
        elif isinstance(of, EnumTypeDefinitionNode):
            values = self._drop_duplicates(of.values, within=name)
            changes["values"] = tuple(
                replace(one, directives=self._check_directives(one.directives, path=f"{name}.{one.name.value}"))
                for one in values
            )
        return replace(of, **changes)

    def _check_fields(self, fields: Sequence[FieldDefinitionNode] | None, *, within: str) -> tuple[Node, ...]:
        checked = []
        for field in self._drop_duplicates(fields, within=within):
            path = f"{within}.{field.name.value}"
            if not self._can_be(field.type, kinds=_OUTPUTS):
                self._log.add("It returns an input type; the field is left out.", path=path, node=field)
                continue
            arguments = self._check_inputs(field.arguments, within=path)
            directives = self._check_directives(field.directives, path=path)
            checked.append(replace(field, arguments=arguments, directives=directives))
        return tuple(checked)

    def _check_inputs(
        self, inputs: Sequence[InputValueDefinitionNode] | None, *, within: str
    ) -> tuple[InputValueDefinitionNode, ...]:
        checked = []
        for one in self._drop_duplicates(inputs, within=within):
            path = f"{within}.{one.name.value}"
            if not self._can_be(one.type, kinds=_INPUTS):
                self._log.add("It takes a type that is no input type; it is left out.", path=path, node=one)
                continue
            checked.append(replace(one, directives=self._check_directives(one.directives, path=path)))
        return tuple(checked)

    def _check_names(
        self, names: Sequence[NamedTypeNode] | None, *, within: str, kinds: tuple[str, ...]
    ) -> tuple[NamedTypeNode, ...]:
        """Keep the interfaces or members that are types of the right kind."""
        kept = []
        for one in self._drop_duplicates(names, within=within):
            known = self._types.get(one.name.value)
            if known is None or _kind_of(known) not in kinds:
                wanted = kinds[0].replace("_type", "").replace("_", " ")
                self._log.add(f"{one.name.value} is no {wanted}; it is left out.", path=within, node=one)
            else:
                kept.append(one)
        return tuple(kept)

    def _drop_duplicates(self, members: Iterable[Member] | None, *, within: str) -> list[Member]:
        return _first_ones(members, within=within, log=self._log)

    def _can_be(self, reference: TypeNode, *, kinds: frozenset[str]) -> bool:
        """Return whether a type is allowed in a place. An undefined name becomes a scalar."""
        while isinstance(reference, ListTypeNode | NonNullTypeNode):
            reference = reference.type
        named = cast("NamedTypeNode", reference)
        name = named.name.value
        if name in self._types:
            return _kind_of(self._types[name]) in kinds
        if name not in _STANDARD_SCALARS and name not in self._unknown and not name.startswith("__"):
            self._unknown[name] = ScalarTypeDefinitionNode(name=NameNode(value=name))
            self._log.add(f"{name} is not defined; it is taken for a scalar.", path=name, node=named)
        return True

    def _check_directives(
        self, directives: Sequence[ConstDirectiveNode] | None, *, path: str
    ) -> tuple[ConstDirectiveNode, ...]:
        """Record each unknown directive once. A deprecation whose reason is not a string loses it."""
        checked = []
        for one in directives or ():
            name = one.name.value
            if name not in self._directives and name not in _STANDARD_DIRECTIVES and not self._uses[name]:
                self._log.add(f"The directive @{name} is not defined; it is passed over.", path=path, node=one)
            self._uses[name] += 1
            if name in _STANDARD_DIRECTIVES and not _has_only_strings(one):
                self._log.add(f"The arguments of @{name} are no strings; they are left out.", path=path, node=one)
                if name != "deprecated":
                    continue
                one = replace(one, arguments=())  # noqa: PLW2901 - the rest of the directive stays
            checked.append(one)
        return tuple(checked)

    def _merge_schemas(self) -> list[SchemaDefinitionNode]:
        """Return one schema definition with the root types that are object types."""
        if not self._schemas:
            return []
        roots: dict[str, OperationTypeDefinitionNode] = {}
        for schema in self._schemas:
            for root in schema.operation_types or ():
                operation, name = root.operation.value, root.type.name.value
                known = self._types.get(name)
                if known is None or _kind_of(known) != "object_type":
                    self._log.add(f"The {operation} root {name} is no object type.", path="schema", node=root)
                elif operation in roots and roots[operation].type.name.value != name:
                    self._log.add(f"The {operation} root is defined more than once.", path="schema", node=root)
                else:
                    roots[operation] = root
        first = self._schemas[0]
        described = getattr(first, "description", None)
        return [SchemaDefinitionNode(operation_types=tuple(roots.values()), description=described)] if roots else []


def _kind_of(definition: TypeDefinitionNode) -> str:
    return definition.kind.removesuffix("_definition")


def _add_members(known: TypeDefinitionNode, *, more: Node, log: WarningLog | None) -> TypeDefinitionNode:
    """Add the members of another definition or extension. With a log, duplicates are recorded."""
    changes: dict[str, Any] = {"directives": (*(known.directives or ()), *(getattr(more, "directives", None) or ()))}
    for attribute in _MEMBERS[_kind_of(known)]:
        members = (*(getattr(known, attribute) or ()), *(getattr(more, attribute) or ()))
        changes[attribute] = tuple(_first_ones(members, within=known.name.value, log=log))
    return replace(known, **changes)


def _first_ones(members: Iterable[Member] | None, *, within: str, log: WarningLog | None) -> list[Member]:
    """Return the first member of each name."""
    found: dict[str, Member] = {}
    for one in members or ():
        name = one.name.value  # type: ignore[attr-defined]  # every member has a name
        if name not in found:
            found[name] = one
        elif log:
            log.add(f"{within}.{name} is defined more than once; the first is used.", path=f"{within}.{name}", node=one)
    return list(found.values())


def _has_only_strings(directive: ConstDirectiveNode) -> bool:
    return all(isinstance(argument.value, StringValueNode) for argument in directive.arguments or ())
