"""Parsed GraphQL documents with a cache. Size is checked before parsing."""

from dataclasses import dataclass
from functools import lru_cache

from graphql import (
    DocumentNode,
    FragmentDefinitionNode,
    Lexer,
    OperationDefinitionNode,
    OperationType,
    Source,
    TokenKind,
    parse,
)

MAX_NESTING = 100
"""The maximum nesting of brackets. The parser and everything after it recurse once for each."""
MAX_FRAGMENTS = 100

_OPENING = frozenset({TokenKind.BRACE_L, TokenKind.PAREN_L, TokenKind.BRACKET_L})
_CLOSING = frozenset({TokenKind.BRACE_R, TokenKind.PAREN_R, TokenKind.BRACKET_R})


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """The size of a text, measured before parsing. Counting stops at the first limit that is exceeded."""

    tokens: int
    nesting: int
    directives: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Document:
    """A parsed document."""

    text: str
    node: DocumentNode
    measure: Measure
    operations: tuple[OperationDefinitionNode, ...]
    fragments: dict[str, FragmentDefinitionNode]

    @property
    def only_reads(self) -> bool:
        """Return whether every operation is a query, so that it is safe to send twice."""
        return all(one.operation is OperationType.QUERY for one in self.operations)


def measure_text(text: str, *, most_tokens: int) -> Measure:
    """
    Count tokens, punctuators and nesting without parsing. Counting stops at the limits.

    Raises GraphQLSyntaxError at a character that begins no token.
    """
    lexer = Lexer(Source(text))
    tokens = nesting = deepest = directives = 0
    while tokens <= most_tokens and deepest <= MAX_NESTING:
        kind = lexer.advance().kind
        if kind is TokenKind.EOF:
            break
        tokens += 1
        nesting += (kind in _OPENING) - (kind in _CLOSING)
        deepest = max(deepest, nesting)
        directives += kind is TokenKind.AT
    return Measure(tokens=tokens, nesting=deepest, directives=directives)


@lru_cache(maxsize=256)
def parse_document(text: str, *, measure: Measure) -> Document:
    """Parse a text whose size was checked. Raises GraphQLSyntaxError with the parser's own message."""
    node = parse(text)
    operations = tuple(one for one in node.definitions if isinstance(one, OperationDefinitionNode))
    fragments = [one for one in node.definitions if isinstance(one, FragmentDefinitionNode)]
    return Document(
        text=text,
        node=node,
        measure=measure,
        operations=operations,
        fragments={one.name.value: one for one in fragments},
    )
