"""Shorten long answers for the model, with a note of what was cut; the whole answer is stored elsewhere."""

from typing import Any

import orjson

MAX_NOTE = 400
_MIN_ITEMS = 1


def truncate_json(answer: bytes, *, most_bytes: int) -> str:
    """
    Shorten a JSON answer to at most `most_bytes`; first lists lose their ends, then texts.

    What is still too long, or not JSON, is cut as text. Returns an answer that fits unchanged.
    """
    if len(answer) <= most_bytes:
        return answer.decode("utf-8", "replace")
    room = max(0, most_bytes - MAX_NOTE)
    try:
        value = orjson.loads(answer)
    except ValueError:
        return _cut_text(answer, room=room)
    notes: list[str] = []
    for most_items, most_characters in _measures():
        notes = []
        tried = orjson.dumps(_cut(value, items=most_items, characters=most_characters, notes=notes, path=""))
        if len(tried) <= room:
            return f"{tried.decode()}\n{_note(notes, whole=len(answer))}"
    return _cut_text(answer, room=room)


def _measures() -> list[tuple[int, int]]:
    """Return decreasing limits: the longest list and the longest text."""
    items = [500, 200, 100, 50, 20, 10, 5, 3, 2, _MIN_ITEMS]
    return [(most, 20_000) for most in items] + [(most, 500) for most in (50, 20, 10, 3, 1)] + [(1, 100)]


def _cut(value: Any, *, items: int, characters: int, notes: list[str], path: str) -> Any:
    if isinstance(value, str) and len(value) > characters:
        notes.append(f"{path or 'the text'}: {characters:,} of {len(value):,} characters")
        return f"{value[:characters]}…"
    if isinstance(value, list):
        if len(value) > items:
            notes.append(f"{path or 'the list'}: the first {items} of {len(value):,}")
        return [_cut(part, items=items, characters=characters, notes=notes, path=f"{path}[]") for part in value[:items]]
    if isinstance(value, dict):
        return {
            name: _cut(part, items=items, characters=characters, notes=notes, path=f"{path}.{name}".lstrip("."))
            for name, part in value.items()
        }
    return value


def _note(notes: list[str], *, whole: int) -> str:
    seen = list(dict.fromkeys(notes))
    said = f"[Shortened from {whole:,} bytes: {'; '.join(seen)}. Ask for less to see the rest.]"
    return said if len(said) <= MAX_NOTE else f"{said[: MAX_NOTE - 2]}…]"


def _cut_text(answer: bytes, *, room: int) -> str:
    note = f"[Shortened: the first {room:,} of {len(answer):,} bytes. Ask for less to see the rest.]"
    return f"{answer[:room].decode('utf-8', 'ignore')}\n{note}"
