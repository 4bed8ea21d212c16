"""Documents parsed once and kept, after a look at their size that no parser has to survive."""

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
"""Brackets inside each other; the parser and everything after it go one call deeper for each."""
MAX_FRAGMENTS = 100

_OPENING = frozenset({TokenKind.BRACE_L, TokenKind.PAREN_L, TokenKind.BRACKET_L})
_CLOSING = frozenset({TokenKind.BRACE_R, TokenKind.PAREN_R, TokenKind.BRACKET_R})


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """How large a text is, before it is parsed. Counting ends at the first limit that is passed."""

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
        """Tell whether every operation is a query, so that sending it twice changes nothing."""
        return all(one.operation is OperationType.QUERY for one in self.operations)


def measure_text(text: str, *, most_tokens: int) -> Measure:
    """
    Count words, signs and nesting without parsing; no further than the limits.

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
    """Parse a text that was measured and found small enough; raises GraphQLSyntaxError with the parser's own words."""
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
