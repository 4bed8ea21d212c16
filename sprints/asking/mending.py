"""Mends of a failed statement that the schema and the data prove: a name that can only have meant one other. Pure."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import regex
from rapidfuzz import fuzz, process

from sprints.asking.pieces import Piece, pieces, replaced, sources
from sprints.contracts import SchemaInfo
from sprints.linking.folding import fold
from sprints.linking.names import NameIndex
from sprints.verified.slots import quoted

_COLUMN = regex.compile(r'column (?:(?P<owner>\w+)\.)?"?(?P<name>[^"]+?)"? does not exist')
_RELATION = regex.compile(r'relation "(?:[^".]+\.)?(?P<name>[^"]+)" does not exist')
_MISSING = regex.compile(r'(?:missing|invalid reference to) FROM-clause entry for table "(?P<name>[^"]+)"')
_SYNTAX = regex.compile(r"syntax error at or near")
SURELY_ALIKE = 80
CLEARLY_NEARER = 8


@dataclass(frozen=True, slots=True)
class Mend:
    """A mended statement, and the sentence that says what was changed."""

    sql: str
    said: str


def mend(sql: str, *, error: str, schema: SchemaInfo, index: NameIndex) -> Mend | None:
    """Mend what the error names, where schema or data leave one choice; None where they do not."""
    columns = {table.name: [column.name for column in table.columns] for table in schema.tables}
    statement = _Statement(cut=pieces(sql), columns=columns, index=index)
    for pattern, mending in _MENDS:
        if found := pattern.search(error):
            return mending(statement, found)
    return None


@dataclass(slots=True)
class _Statement:
    cut: list[Piece]
    columns: dict[str, list[str]]
    index: NameIndex

    @property
    def in_scope(self) -> dict[str, list[str]]:
        """The columns of each relation that the statement reads, by alias."""
        return {alias: self.columns[view] for alias, view in sources(self.cut).items() if view in self.columns}

    def view(self, alias: str) -> str:
        """Give the view behind an alias."""
        return sources(self.cut).get(alias, alias)


def _column(statement: _Statement, found: regex.Match[str]) -> Mend | None:
    owner, name = found["owner"], found["name"]
    scope = statement.in_scope
    if owner is None and (literal := _value(name, statement.index)):
        sql = replaced(statement.cut, name=name, by=quoted(literal), where=_is_compared(statement.cut))
        return Mend(sql, f"Put quotes around the value: changed {name} to {quoted(literal)}.")
    if owner in scope:
        if (near := _near_column(name, scope[owner], view=statement.view(owner))) is not None:
            view = statement.view(owner)
            said = (
                f"Fixed column name: changed '{owner}.{name}' to '{owner}.{near}' "
                f"({view} table uses {near}, not {name})"
            )
            return Mend(replaced(statement.cut, name=name, by=near, before=owner), said)
        elsewhere = [alias for alias, its in scope.items() if name in its]
        if len(elsewhere) == 1:
            return _moved(statement, owner=str(owner), name=name, to=elsewhere[0])
        return None
    if owner is None:
        return _unqualified(statement, name=name)
    return None


def _unqualified(statement: _Statement, *, name: str) -> Mend | None:
    near = {
        near
        for alias, its in statement.in_scope.items()
        if (near := _near_column(name, its, view=statement.view(alias)))
    }
    if len(near) != 1:
        return None
    [column] = near
    said = f"Fixed column name: changed '{name}' to '{column}'"
    return Mend(replaced(statement.cut, name=name, by=column), said)


def _moved(statement: _Statement, *, owner: str, name: str, to: str) -> Mend:
    cut = statement.cut
    text = "".join(
        to if piece.is_name and piece.name == owner and _is_owner_of(cut, place, name) else piece.text
        for place, piece in enumerate(cut)
    )
    return Mend(text, f"Fixed the view: changed '{owner}.{name}' to '{to}.{name}' ({name} is in {statement.view(to)})")


def _relation(statement: _Statement, found: regex.Match[str]) -> Mend | None:
    name = found["name"]
    near = _near(name, statement.columns, plain=_singular)
    if near is None:
        return None
    cut, said = statement.cut, f"Fixed view name: changed '{name}' to '{near}'"
    schemas = {place: 2 for place, piece in enumerate(cut) if piece.is_name and piece.name == name and
               place > 1 and cut[place - 1].text == "."}  # fmt: skip
    dropped = {place - back for place, size in schemas.items() for back in range(1, size + 1)}
    kept = [piece for place, piece in enumerate(cut) if place not in dropped]
    return Mend(replaced(kept, name=name, by=near, where=_is_source(kept)), said)


def _missing(statement: _Statement, found: regex.Match[str]) -> Mend | None:
    """Mend a view called by its name though it has an alias, or by an alias that nobody has."""
    name = found["name"]
    known = sources(statement.cut)
    aliases = [alias for alias, view in known.items() if view == name] or (list(known) if len(known) == 1 else [])
    if len(aliases) != 1:
        return None
    cut = statement.cut
    text = "".join(
        aliases[0] if piece.is_name and piece.name == name and _is_owner_of(cut, place, None) else piece.text
        for place, piece in enumerate(cut)
    )
    return Mend(text, f"Fixed the alias: changed '{name}.' to '{aliases[0]}.'")


def _unquoted(statement: _Statement, _found: regex.Match[str]) -> Mend | None:
    """Mend a value of several words that stands without quotes."""
    text = "".join(piece.text for piece in statement.cut)
    for name in sorted(statement.index.everything, key=lambda name: -len(name.text)):
        if " " not in name.text or name.kind not in ("status", "priority", "type", "person", "sprint", "team"):
            continue
        place = regex.search(rf"(=|<>|\blike|\(|,)(\s*)({regex.escape(name.text)})(?![\w'])", text, regex.IGNORECASE)
        if place and not text[: place.start(3)].count("'") % 2:
            mended = text[: place.start(3)] + quoted(name.text) + text[place.end(3) :]
            return Mend(mended, f"Put quotes around the value {quoted(name.text)}.")
    return None


_MENDS: tuple[tuple[regex.Pattern[str], Callable[[_Statement, regex.Match[str]], Mend | None]], ...] = (
    (_COLUMN, _column), (_RELATION, _relation), (_MISSING, _missing), (_SYNTAX, _unquoted),
)  # fmt: skip


def _near_column(name: str, columns: Iterable[str], *, view: str) -> str | None:
    """Give the column that was meant: the name with the view's own word before it, else the one most alike."""
    known = list(columns)
    noun = _singular(view)
    for candidate in (f"{noun}_{name}", f"{name}_id", f"full_{name}", f"{name}_at", name.removeprefix(f"{noun}_")):
        if candidate in known and candidate != name:
            return candidate
    return _near(name, known, plain=str.lower)


def _near(name: str, known: Iterable[str], *, plain: Callable[[str], str]) -> str | None:
    choices = list(known)
    if name in choices:
        return None
    same = [choice for choice in choices if plain(choice) == plain(name.lower())]
    if len(same) == 1:
        return same[0]
    found = process.extract(name.lower(), choices, scorer=fuzz.ratio, score_cutoff=SURELY_ALIKE, limit=2)
    if not found or (len(found) > 1 and found[0][1] - found[1][1] < CLEARLY_NEARER):
        return None
    return str(found[0][0])


def _singular(word: str) -> str:
    return word.lower().removesuffix("s")


def _value(name: str, index: NameIndex) -> str | None:
    """Give the status, priority or type that is written so."""
    known = {fold(one.text): one.text for one in index.everything if one.kind in ("status", "priority", "type")}
    return known.get(fold(name))


def _is_compared(cut: list[Piece]) -> Callable[[int], bool]:
    """Tell, of a place, whether a comparison or a list stands before it."""

    def where(place: int) -> bool:
        before = next((piece.text.lower() for piece in reversed(cut[:place]) if piece.text.strip()), "")
        return before in ("=", ">", "<", "(", ",", "like", "ilike")

    return where


def _is_source(cut: list[Piece]) -> Callable[[int], bool]:
    def where(place: int) -> bool:
        before = next((piece.text.lower() for piece in reversed(cut[:place]) if piece.text.strip()), "")
        return before in ("from", "join", ",")

    return where


def _is_owner_of(cut: list[Piece], place: int, name: str | None) -> bool:
    after = cut[place + 1 : place + 3]
    return len(after) == 2 and after[0].text == "." and (name is None or after[1].name == name)  # noqa: PLR2004
