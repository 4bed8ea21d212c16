"""Arguments refused for their shape, before anybody asks what they mean: a name that comes twice, or far too many."""

from toolbox.contract.errors import ErrorCode, ToolError
from toolbox.dispatch.duplicate_keys import DuplicateKey, parse_json_strictly

LARGE = 8_192
"""From so many bytes on the shape is looked at first: to explain each of 50,000 unknown parameters takes seconds."""
MAX_PARAMETERS = 200
_SHOWN = 80


def check_json_shape(arguments: bytes, *, code: ErrorCode, known: list[str]) -> None:
    """Raise ToolError with the code where the shape is wrong; what is no JSON is left to whoever reads it."""
    try:
        given = parse_json_strictly(arguments)
    except DuplicateKey as twice:
        name = _shown(str(twice))
        raise ToolError(
            code, f"{name} comes twice in one object.", suggestion=f"Give {name} once.", field=name
        ) from None
    except (ValueError, RecursionError):
        return
    if isinstance(given, dict) and len(given) > MAX_PARAMETERS:
        raise ToolError(
            code,
            f"There are {len(given):,} parameters.",
            suggestion=f"Give only what the tool takes: {', '.join(known)}.",
        )


def _shown(name: str) -> str:
    clean = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in name)
    return clean if len(clean) <= _SHOWN else f"{clean[:_SHOWN]}…"
