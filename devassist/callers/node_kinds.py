"""Node types of calls in each language. devassist/syntax/scopes defines what a function is."""

from dataclasses import dataclass
from pathlib import PurePosixPath


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeKinds:
    """
    Node types of one language.

    `fields` are members whose initialisers count as code of that name; `follows_closures` where a closure that a local
    name is given counts as a function of its own.
    """

    classes: frozenset[str]
    calls: frozenset[str]
    members: frozenset[str]
    imports: frozenset[str]
    fields: frozenset[str] = frozenset()
    follows_closures: bool = False


PYTHON = NodeKinds(
    classes=frozenset({"class_definition"}),
    calls=frozenset({"call", "decorator"}),
    members=frozenset({"attribute"}),
    imports=frozenset({"import_statement", "import_from_statement", "future_import_statement"}),
    follows_closures=True,
)

SCRIPT = NodeKinds(
    classes=frozenset(
        {"class_declaration", "class", "abstract_class_declaration", "interface_declaration", "internal_module"}
    ),
    calls=frozenset(
        {"call_expression", "new_expression", "decorator", "jsx_opening_element", "jsx_self_closing_element"}
    ),
    members=frozenset({"member_expression", "nested_identifier", "non_null_expression"}),
    imports=frozenset({"import_statement", "export_clause"}),
    fields=frozenset({"public_field_definition", "field_definition"}),
    follows_closures=True,
)

JAVA = NodeKinds(
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
)

KOTLIN = NodeKinds(
    classes=frozenset({"class_declaration", "object_declaration"}),
    calls=frozenset({"call_expression", "constructor_invocation", "infix_expression", "annotation"}),
    members=frozenset({"navigation_expression", "user_type"}),
    imports=frozenset({"import", "import_header"}),
    fields=frozenset({"property_declaration"}),
)

_BY_ENDING = {
    ".py": PYTHON, ".pyi": PYTHON, ".kt": KOTLIN, ".kts": KOTLIN, ".java": JAVA,
    **dict.fromkeys((".ts", ".mts", ".cts", ".tsx", ".js", ".jsx", ".mjs", ".cjs"), SCRIPT),
}  # fmt: skip


def kinds_of(path: str) -> NodeKinds | None:
    """Return the node kinds of the file's language, by its extension."""
    return _BY_ENDING.get(PurePosixPath(path).suffix.lower())
