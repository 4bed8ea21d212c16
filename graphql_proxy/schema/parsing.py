"""
Parsing of schema files: SDL or introspection JSON, optionally gzipped. Pure.

Only a file that cannot be parsed is refused, with the line of the error. Contradictions are repaired as far as needed
to build a schema, and are listed as warnings.
"""

import gzip
import hashlib
import io
import re
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from dataclasses import dataclass
from typing import Literal

from graphql import (
    FieldDefinitionNode,
    GraphQLError,
    GraphQLSchema,
    GraphQLSyntaxError,
    InputValueDefinitionNode,
    Lexer,
    Location,
    NamedTypeNode,
    NameNode,
    Source,
    Token,
    TokenKind,
    TypeDefinitionNode,
    build_ast_schema,
    lexicographic_sort_schema,
    parse,
    print_schema,
    validate_schema,
)
from graphql.language.parser import Parser

from graphql_proxy.schema.introspection_json import InvalidIntrospection, write_sdl
from graphql_proxy.schema.repair import repair_document
from graphql_proxy.schema.warnings import MAX_MESSAGE, SchemaWarning, WarningLog, flatten_text

MAX_SCHEMA_BYTES = 67_108_864
"""The maximum size of an unpacked file."""
MAX_SCHEMA_TOKENS = 3_000_000
"""Limits memory: a parsed token takes up to 800 bytes, and GitHub's schema has 60,000."""
_LIMIT_MESSAGE = "tokens. Parsing aborted."
"""How the parser's error for too many tokens ends. Its count does not tell: it leaves out comments just skipped."""
_GZIP_MAGIC = b"\x1f\x8b"
_DEFINITION_KEYWORDS = frozenset(
    {"directive", "enum", "extend", "fragment", "input", "interface", "mutation", "query", "scalar", "schema",
     "subscription", "type", "union"}
)  # fmt: skip

Form = Literal["sdl", "introspection"]


class InvalidSchema(ValueError):
    """The file is no GraphQL schema; the message says what is wrong with it, and on which line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedSchema:
    """A usable schema, the format of its file, and the warnings about it."""

    schema: GraphQLSchema
    form: Form
    warnings: list[SchemaWarning]


def decode_schema(raw: bytes) -> str:
    """Unpack and decode a file: optional gzip, UTF-8, or UTF-16 with a byte order mark. Raises InvalidSchema."""
    if raw.startswith(_GZIP_MAGIC):
        raw = _unpack(raw)
    _check_size(len(raw))
    encoding = "utf-16" if raw.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8-sig"
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as invalid:
        line = raw.count(b"\n", 0, invalid.start) + 1
        raise InvalidSchema(f"line {line:,}: byte {invalid.start:,} is no {encoding[:6].upper()}") from invalid


def parse_schema(text: str) -> ParsedSchema:
    """Parse a schema leniently. Raises InvalidSchema if it cannot be parsed."""
    text = text.removeprefix("\ufeff")
    _check_size(len(text))
    is_json = text.lstrip(" \t\r\n").startswith("{")
    log = WarningLog(None if is_json else text)
    try:
        schema = _build(write_sdl(text, log=log) if is_json else text, log=log)
    except InvalidIntrospection as invalid:
        raise InvalidSchema(f"this is no GraphQL schema: {invalid}") from invalid
    except GraphQLSyntaxError as invalid:
        raise InvalidSchema(f"this is no GraphQL schema: {_describe_syntax_error(invalid)}") from invalid
    except RecursionError as nested:
        raise InvalidSchema("this is no GraphQL schema: something in it is nested too deeply") from nested
    except (GraphQLError, TypeError, ValueError, LookupError, AttributeError) as unusable:
        raise InvalidSchema(f"this is no GraphQL schema: {flatten_text(str(unusable))[:MAX_MESSAGE]}") from unusable
    return ParsedSchema(schema=schema, form="introspection" if is_json else "sdl", warnings=log.list_all())


def read_stored(sdl: str) -> GraphQLSchema:
    """Parse stored SDL without validating it again."""
    return build_ast_schema(parse(sdl, no_location=True), assume_valid=True, assume_valid_sdl=True)


def print_sorted(schema: GraphQLSchema) -> str:
    """Print a schema in alphabetical order, since servers and files list the same types in different orders."""
    return print_schema(lexicographic_sort_schema(schema))


def digest(sdl: str) -> str:
    """Return the SHA-256 of a schema definition."""
    return hashlib.sha256(sdl.encode()).hexdigest()


def _build(sdl: str, *, log: WarningLog) -> GraphQLSchema:
    try:
        document = repair_document(_SchemaParser(Source(sdl)).parse_document(), log=log)
    except GraphQLSyntaxError as invalid:
        if not invalid.message.endswith(_LIMIT_MESSAGE):
            raise
        line = invalid.locations[0].line if invalid.locations else 0
        raise InvalidSchema(
            f"a schema has at most {MAX_SCHEMA_TOKENS:,} tokens (names, signs, texts); more stand from line {line:,} on"
        ) from invalid
    if not any(isinstance(one, TypeDefinitionNode) for one in document.definitions):
        raise ValueError("it defines no type")
    schema = build_ast_schema(document, assume_valid_sdl=True)
    for error in validate_schema(schema):
        node = error.nodes[0] if error.nodes else None
        log.add(error.message, path=_coordinate(error), node=node)
    return schema


class _SchemaParser(Parser):
    """
    A parser that takes two forms of old SDL, `implements A, B` and `type A {}`, and any place of a directive.

    Nodes know where they begin and nothing more: tokens are kept by nobody, so a large file takes less memory.
    """

    def __init__(self, source: Source) -> None:
        self._tokens = Lexer(source)
        super().__init__(source, lexer=self._tokens, max_tokens=MAX_SCHEMA_TOKENS)

    def loc(self, start_token: Token) -> Location | None:
        """Return the start of a node."""
        return _Start(start_token.start)

    def parse_implements_interfaces(self) -> tuple[NamedTypeNode, ...] | None:
        """Parse interfaces that are separated by `&`, commas or spaces."""
        if not self.expect_optional_keyword("implements"):
            return None
        self.expect_optional_token(TokenKind.AMP)
        names = [self.parse_named_type()]
        while self.expect_optional_token(TokenKind.AMP) or self._is_at_interface():
            names.append(self.parse_named_type())
        return tuple(names)

    def parse_directive_location(self) -> NameNode:
        """Parse the location of a directive. Unknown locations are accepted."""
        return self.parse_name()

    def parse_fields_definition(self) -> tuple[FieldDefinitionNode, ...] | None:
        """Parse fields, possibly none."""
        if not self.peek(TokenKind.BRACE_L):
            return None
        return tuple(self.any(TokenKind.BRACE_L, self.parse_field_definition, TokenKind.BRACE_R))

    def parse_input_fields_definition(self) -> tuple[InputValueDefinitionNode, ...] | None:
        """Parse input fields, possibly none."""
        if not self.peek(TokenKind.BRACE_L):
            return None
        return tuple(self.any(TokenKind.BRACE_L, self.parse_input_value_def, TokenKind.BRACE_R))

    def _is_at_interface(self) -> bool:
        return self.peek(TokenKind.NAME) and self._tokens.token.value not in _DEFINITION_KEYWORDS


class _Start(Location):
    """The start of a node. Errors that quote a node's source would take time for each line before it."""

    __slots__ = ()

    def __init__(self, start: int) -> None:
        self.start = self.end = start
        self.source = _NO_SOURCE


_NO_SOURCE = Source("")


def _unpack(packed: bytes) -> bytes:
    """Unpack a gzip file, up to the maximum length of a schema."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(packed)) as file:
            return file.read(MAX_SCHEMA_BYTES + 1)
    except (OSError, EOFError, zlib.error) as damaged:
        raise InvalidSchema(f"the gzip file is damaged: {damaged}") from damaged


def _check_size(size: int) -> None:
    if size > MAX_SCHEMA_BYTES:
        raise InvalidSchema(f"a schema has at most {MAX_SCHEMA_BYTES:,} bytes, unpacked; this has {size:,} or more")


def _describe_syntax_error(error: GraphQLSyntaxError) -> str:
    place = error.locations[0] if error.locations else None
    where = f"line {place.line:,}, column {place.column}: " if place else ""
    return f"{where}{flatten_text(error.message)[:MAX_MESSAGE]}"


def _coordinate(error: GraphQLError) -> str:
    """Return the last and so most specific schema coordinate in a message of the validator."""
    found = re.findall(r"\b[_A-Za-z]\w*\.\w+", error.message)
    return found[-1] if found else ""
