"""Documents with unbalanced braces: where they are unbalanced, and every balanced text."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, count, islice, repeat

from graphql import GraphQLError, Lexer, Source, Token, TokenKind, parse, print_ast

from graphql_proxy.fixes.drafts import Edit

MAX_TOKENS = 6_000
MAX_AMISS = 4
"""The maximum missing or surplus braces. With more, their places are unknown."""
MAX_TRIED, MAX_STEPS = 60, 100_000
_DEFINITIONS = frozenset({"query", "mutation", "subscription", "fragment"})
_BEFORE = (TokenKind.NAME, TokenKind.PAREN_R, TokenKind.BRACE_R)
_AFTER = (TokenKind.NAME, TokenKind.SPREAD, TokenKind.EOF)
_OPENING, _CLOSING = (TokenKind.PAREN_L, TokenKind.BRACKET_L), (TokenKind.PAREN_R, TokenKind.BRACKET_R)


@dataclass(frozen=True, slots=True, kw_only=True)
class BraceRepair:
    """The texts that parse with the fewest changed braces, and where braces are unbalanced."""

    texts: list[str]
    where: str


def balance_braces(text: str) -> BraceRepair | None:
    """
    Return every distinct document made by closing open braces or by removing surplus ones.

    None where braces match, or stand in a text that is not GraphQL anyway. Without texts, there are too many ways.
    """
    tokens = _read_tokens(text)
    where, amiss = _describe(tokens) if tokens else ("", 0)
    if not tokens or not where:
        return None
    if abs(amiss) > MAX_AMISS:
        return BraceRepair(texts=[], where=where)
    written = _closings(tokens, missing=amiss) if amiss > 0 else _removals(tokens, surplus=-amiss)
    ways = list(islice(written, MAX_TRIED + 1))
    if len(ways) > MAX_TRIED:
        return BraceRepair(texts=[], where=where)
    different: dict[str, str] = {}
    for edits in ways:
        changed = _apply(text, edits)
        if shape := _shape(changed):
            different.setdefault(shape, changed)
    return BraceRepair(texts=list(different.values()), where=where)


def _read_tokens(text: str) -> list[Token]:
    lexer, tokens = Lexer(Source(text)), list[Token]()
    try:
        while lexer.advance().kind is not TokenKind.EOF and len(tokens) < MAX_TOKENS:
            tokens.append(lexer.token)
    except GraphQLError:
        return []
    return [*tokens, lexer.token] if len(tokens) < MAX_TOKENS else []


def _describe(tokens: list[Token]) -> tuple[str, int]:
    """Say which braces are unmatched and how many are missing. A negative number means surplus closing braces."""
    opened, surplus = list[Token](), list[Token]()
    for token in tokens:
        if token.kind is TokenKind.BRACE_L:
            opened.append(token)
        elif token.kind is TokenKind.BRACE_R:
            if opened:
                opened.pop()
            else:
                surplus.append(token)
    if opened and surplus:
        return "", 0
    if alone := opened or surplus:
        listed = " and ".join(f"line {token.line}, column {token.column}" for token in alone[:MAX_AMISS])
        what = f"nothing closes the `{{` at {listed}" if opened else f"the `}}` at {listed} closes nothing"
        return f"Braces do not match, {what}: close every brace `{{` with one `}}`.", len(opened) - len(surplus)
    return "", 0


def _closings(tokens: list[Token], *, missing: int) -> Iterator[list[Edit]]:
    """Return the ways to insert the missing braces at the ends of selections, within 100,000 steps."""
    steps = count()

    def go(at: int, depth: int, nested: int, left: int, made: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        for index in range(at, len(tokens)):
            token, before = tokens[index], tokens[index - 1]
            may_close = index and left and not nested and index not in made
            if may_close and before.kind in _BEFORE and token.kind in _AFTER:
                is_end = token.kind is TokenKind.EOF or token.value in _DEFINITIONS
                for number in range(1, left + 1):
                    if depth - number > 0 or (depth == number and is_end):
                        yield from go(index, depth - number, nested, left - number, (*made, *[index] * number))
            depth += (token.kind is TokenKind.BRACE_L) - (token.kind is TokenKind.BRACE_R)
            nested += (token.kind in _OPENING) - (token.kind in _CLOSING)
            if depth < 0 or next(steps) > MAX_STEPS:
                return
        if depth == 0 and not left:
            yield made

    for made in go(0, 0, 0, missing, ()):
        yield [Edit(tokens[index - 1].end, tokens[index - 1].end, " }") for index in made]
    if next(steps) > MAX_STEPS:
        yield from repeat([], MAX_TRIED + 1)


def _removals(tokens: list[Token], *, surplus: int) -> Iterator[list[Edit]]:
    """Return every way to remove surplus closing braces. The first of several adjacent ones stands for all."""
    runs, last = list[list[Token]](), None
    for token in tokens:
        if token.kind is TokenKind.BRACE_R:
            if last is None or last.kind is not TokenKind.BRACE_R:
                runs.append([])
            runs[-1].append(token)
        last = token
    closing = [(number, at) for number, run in enumerate(runs) for at in range(len(run))]
    for chosen in combinations(closing, surplus):
        if all(at == 0 or (number, at - 1) in chosen for number, at in chosen):
            yield [Edit(runs[number][at].start, runs[number][at].end, "") for number, at in chosen]


def _apply(text: str, edits: list[Edit]) -> str:
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def _shape(text: str) -> str:
    """Print the parsed form of a text, or an empty string if it does not parse."""
    try:
        return print_ast(parse(text, no_location=True))
    except (GraphQLError, RecursionError):
        return ""
