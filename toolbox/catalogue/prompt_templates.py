"""A prompt's text: which arguments it names, what is wrong with it, and how it is filled in. Pure."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MAX_ARGUMENTS = 10
_ARGUMENT = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_OPTIONAL = re.compile(r"\[\[(.*?)\]\]", re.DOTALL)
_KEYS = {"name": str, "description": str, "required": bool, "completes": str}


@dataclass(frozen=True, slots=True, kw_only=True)
class Blank:
    """One argument: what it is, whether it must be given, and by which completer of the domain it is completed."""

    name: str
    description: str
    required: bool = True
    completes: str = ""


def blanks(arguments: Sequence[Mapping[str, Any]]) -> list[Blank]:
    """Read a row's arguments."""
    return [Blank(**argument) for argument in arguments]


def filled(text: str, *, values: Mapping[str, str]) -> str:
    """Put the values in their places; what they say is not read again."""
    kept = _OPTIONAL.sub(lambda part: part[1] if _named(part[1]) <= set(values) else "", text)
    return _ARGUMENT.sub(lambda place: values.get(place[1], ""), kept).strip()


def problems(text: str, *, arguments: object, completers: Collection[str]) -> dict[str, str]:
    """Say what keeps a prompt from being offered, by field."""
    if not isinstance(arguments, list) or len(arguments) > MAX_ARGUMENTS or not all(map(_is_blank, arguments)):
        return {"arguments": f'Up to {MAX_ARGUMENTS} of {{"name": "team", "description": "…", "completes": "team"}}.'}
    known = [argument["name"] for argument in arguments]
    optional = {argument["name"] for argument in arguments if not argument.get("required", True)}
    completed = {argument["completes"] for argument in arguments if argument.get("completes")}
    checks = (
        ("arguments", len(set(known)) < len(known), "Two arguments have one name."),
        ("arguments", completed - set(completers), f"What completes is one of: {', '.join(completers) or 'nothing'}."),
        ("text", _named(text) - set(known), f"The text names {_listed(_named(text) - set(known))}, no argument."),
        ("text", set(known) - _named(text), f"The text does not name {_listed(set(known) - _named(text))}."),
        ("text", _named(_OPTIONAL.sub("", text)) & optional,
         "An argument that may be left out stands in double brackets: [[ of {team}]]."),
    )  # fmt: skip
    return {field: said for field, is_wrong, said in reversed(checks) if is_wrong}


def _named(text: str) -> set[str]:
    return set(_ARGUMENT.findall(text))


def _is_blank(argument: object) -> bool:
    if not isinstance(argument, dict) or not {"name", "description"} <= argument.keys() <= _KEYS.keys():
        return False
    is_typed = all(isinstance(value, _KEYS[key]) for key, value in argument.items())
    return bool(is_typed and re.fullmatch(r"[a-z][a-z0-9_]{0,39}", argument["name"]) and argument["description"])


def _listed(names: set[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(names))
