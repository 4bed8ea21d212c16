"""What the nodes of each language are called, as far as callers go. Data only; parsing is devassist.syntax."""

from dataclasses import dataclass, field
from pathlib import PurePosixPath


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeKinds:
    """
    Node types of one language.

    `holders` are what gives a name to the closure that is its value; `fields` are members and properties whose
    initialisers count as code of that name; `starters` run when the class before them is made.
    """

    functions: frozenset[str]
    classes: frozenset[str]
    calls: frozenset[str]
    members: frozenset[str]
    imports: frozenset[str]
    closures: frozenset[str] = frozenset()
    holders: frozenset[str] = frozenset()
    fields: frozenset[str] = frozenset()
    starters: frozenset[str] = frozenset()
    references: frozenset[str] = field(default=frozenset({"method_reference", "callable_reference"}))


PYTHON = NodeKinds(
    functions=frozenset({"function_definition"}),
    classes=frozenset({"class_definition"}),
    calls=frozenset({"call", "decorator"}),
    members=frozenset({"attribute"}),
    imports=frozenset({"import_statement", "import_from_statement", "future_import_statement"}),
    closures=frozenset({"lambda"}),
    holders=frozenset({"assignment"}),
)

_SCRIPT = {
    "functions": frozenset(
        {
            "function_declaration",
            "generator_function_declaration",
            "function_signature",
            "method_definition",
            "method_signature",
            "abstract_method_signature",
            "function_expression",
            "generator_function",
        }
    ),
    "classes": frozenset(
        {"class_declaration", "class", "abstract_class_declaration", "interface_declaration", "internal_module"}
    ),
    "calls": frozenset(
        {"call_expression", "new_expression", "decorator", "jsx_opening_element", "jsx_self_closing_element"}
    ),
    "members": frozenset({"member_expression", "nested_identifier", "non_null_expression"}),
    "imports": frozenset({"import_statement", "export_clause"}),
    "closures": frozenset({"arrow_function", "function_expression", "generator_function"}),
    "holders": frozenset(
        {"variable_declarator", "public_field_definition", "field_definition", "pair", "assignment_expression"}
    ),
    "fields": frozenset({"public_field_definition", "field_definition"}),
}
SCRIPT = NodeKinds(**_SCRIPT)

JAVA = NodeKinds(
    functions=frozenset({"method_declaration", "constructor_declaration", "compact_constructor_declaration"}),
    classes=frozenset(
        {
            "class_declaration",
            "interface_declaration",
            "enum_declaration",
            "record_declaration",
            "annotation_type_declaration",
        }
    ),
    calls=frozenset({"method_invocation", "object_creation_expression"}),
    members=frozenset({"scoped_type_identifier", "generic_type"}),
    imports=frozenset({"import_declaration"}),
    fields=frozenset({"field_declaration"}),
    starters=frozenset({"static_initializer"}),
)

KOTLIN = NodeKinds(
    functions=frozenset({"function_declaration"}),
    classes=frozenset({"class_declaration", "object_declaration"}),
    calls=frozenset({"call_expression", "constructor_invocation", "infix_expression", "annotation"}),
    members=frozenset({"navigation_expression", "user_type"}),
    imports=frozenset({"import", "import_header"}),
    fields=frozenset({"property_declaration"}),
    starters=frozenset({"anonymous_initializer", "secondary_constructor"}),
)

_BY_ENDING = {
    ".py": PYTHON, ".pyi": PYTHON, ".kt": KOTLIN, ".kts": KOTLIN, ".java": JAVA,
    **dict.fromkeys((".ts", ".mts", ".cts", ".tsx", ".js", ".jsx", ".mjs", ".cjs"), SCRIPT),
}  # fmt: skip


def kinds_of(path: str) -> NodeKinds | None:
    """Give the node kinds of the file's language, by its ending."""
    return _BY_ENDING.get(PurePosixPath(path).suffix.lower())
