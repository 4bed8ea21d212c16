"""Arguments into a question, and pydantic's complaints into sentences that a model can act on."""

import re
from difflib import get_close_matches
from typing import Any, NoReturn

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from toolbox.contract import Question
from toolbox.errors import ToolError
from toolbox.tool import Tool

LONGEST_ECHO = 80
LONGEST_KEY = 256
MOST_PROBLEMS = 10


def read_question(tool: Tool, arguments: bytes) -> Question:
    """
    Validate JSON arguments against the tool's input model.

    Raises ToolError: the dialect's `bad_input`, naming the field, what came and what would do, with a merge patch
    where the mend is certain; or whatever ToolError a validator of the model raised.
    """
    try:
        question = tool.question.model_validate_json(arguments or b"{}", by_alias=True, by_name=False)
    except ValidationError as invalid:
        _refuse(tool, invalid)
    _refuse_nul(tool, question)
    return question


def _refuse(tool: Tool, invalid: ValidationError) -> NoReturn:
    problems = invalid.errors(include_url=False)
    first = problems[0]
    explained = [_explained(tool, problem) for problem in problems[:MOST_PROBLEMS]]
    message, suggestion, _ = explained[0]
    patches = [patch for _, _, patch in explained]
    patch = {name: value for patch in patches for name, value in patch.items()} if all(patches) else {}
    others = [said for said, _, _ in explained[1:]]
    raise ToolError(
        tool.dialect.bad_input,
        message,
        suggestion=suggestion,
        field=_path(first),
        details={"otherProblems": others} if others else {},
        retry_with=patch if len(problems) <= MOST_PROBLEMS else {},
    ) from invalid


def _explained(tool: Tool, problem: ErrorDetails) -> tuple[str, str, dict[str, Any]]:
    """Give message, suggestion and merge patch for one problem."""
    field = _path(problem)
    match problem["type"]:
        case "json_invalid":
            reason = str(problem.get("ctx", {}).get("error", "invalid JSON"))
            return f"The arguments are not JSON: {reason}.", _shape(tool), {}
        case "model_type" | "model_attributes_type" if not problem["loc"]:
            return "The arguments must be a JSON object.", _shape(tool), {}
        case "extra_forbidden":
            return _unknown(tool, problem)
        case "missing":
            return f"{field} is missing.", f"Give {field}: {_said_of(tool, problem)}", {}
    got = _echo(problem["input"])
    choices = _choices(problem)
    if choices:
        nearest = _nearest(problem["input"], choices)
        patch = {field: nearest[0]} if len(problem["loc"]) == 1 and _sure(problem["input"], nearest[0]) else {}
        return f"{field} cannot be {got}.", f"Use one of: {', '.join(nearest)}.", patch
    return f"{field} cannot be {got}: {problem['msg']}.", f"Give {field}: {_said_of(tool, problem)}", {}


def _unknown(tool: Tool, problem: ErrorDetails) -> tuple[str, str, dict[str, Any]]:
    """Name the nearest known parameter."""
    field = str(problem["loc"][-1])
    known = list(tool.input_schema.get("properties", {}))
    listed = f"The parameters are: {', '.join(known)}." if known else "This tool takes no parameters."
    near = [name for name in known if _plain(name) == _plain(field)] or get_close_matches(field, known, n=1)
    if near and len(problem["loc"]) == 1:
        patch = {field: None, near[0]: problem["input"]} if _can_be_sent_back(field, problem["input"]) else {}
        return f"There is no parameter {_echo(field)}.", f"Use {near[0]}. {listed}", patch
    return (
        f"There is no parameter {_echo(field)}.",
        f"Leave it out. {listed}",
        {field: None} if _can_be_sent_back(field) else {},
    )


def _refuse_nul(tool: Tool, question: Question) -> None:
    """Refuse U+0000, which no text column can hold, wherever it stands."""
    for name, field in type(question).model_fields.items():
        if _holds_nul(getattr(question, name)):
            raise ToolError(
                tool.dialect.bad_input,
                f"{field.alias} holds the character U+0000.",
                suggestion=f"Send {field.alias} without U+0000.",
                field=field.alias,
            )


def _holds_nul(value: object) -> bool:
    if isinstance(value, str):
        return "\x00" in value
    if isinstance(value, dict):
        return any(_holds_nul(part) for pair in value.items() for part in pair)
    return isinstance(value, list | tuple | set) and any(_holds_nul(part) for part in value)


def _shape(tool: Tool) -> str:
    return f"Send a JSON object such as {tool.example_arguments.decode()}"


def _said_of(tool: Tool, problem: ErrorDetails) -> str:
    """Repeat the published description of the problem's parameter."""
    name = str(problem["loc"][0]) if problem["loc"] else ""
    part = tool.input_schema.get("properties", {}).get(name, {})
    return str(part.get("description", "see the tool's schema"))


def _choices(problem: ErrorDetails) -> list[str]:
    if problem["type"] not in ("enum", "literal_error"):
        return []
    return re.findall(r"'([^']*)'", str(problem.get("ctx", {}).get("expected", "")))


def _nearest(given: object, choices: list[str]) -> list[str]:
    """Put the choice most like what was given first."""
    plain = {choice: _plain(choice) for choice in choices}
    near = get_close_matches(_plain(str(given)), plain.values(), n=1, cutoff=0.5)
    return sorted(choices, key=lambda choice: (not near or plain[choice] != near[0], choices.index(choice)))


def _sure(given: object, choice: str) -> bool:
    return bool(get_close_matches(_plain(str(given)), [_plain(choice)], cutoff=0.6))


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _path(problem: ErrorDetails) -> str:
    return _echo_text(".".join(str(part) for part in problem["loc"])) or "body"


def _can_be_sent_back(*values: object) -> bool:
    """Tell whether a merge patch may hold these, whole: cut, they would not mend anything."""
    return all(len(str(value)) <= LONGEST_KEY for value in values)


def _echo(value: object) -> str:
    """Show what came, cut, without control characters."""
    shown = {True: "true", False: "false"}.get(value, "") if isinstance(value, bool) else ""
    if value is None:
        shown = "null"
    return shown or (f'"{_echo_text(value)}"' if isinstance(value, str) else _echo_text(str(value)))


def _echo_text(text: str) -> str:
    clean = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)
    return clean if len(clean) <= LONGEST_ECHO else f"{clean[:LONGEST_ECHO]}…"
