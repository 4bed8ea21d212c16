"""
Parse arguments into an input model; turn pydantic's errors into messages that a model can act on.

A JSON object with a duplicate key is refused. Parsers differ in which of the two values they keep, so a proxy that
checked the message before us may have read the other one.
"""

import json
import re
from collections import Counter
from difflib import SequenceMatcher, get_close_matches
from typing import Any, NoReturn, Protocol

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails, from_json

from toolbox.contract.encoding import encode, read_fraction, read_whole
from toolbox.contract.errors import ErrorCode, ErrorEnvelope, Schema, ToolError
from toolbox.contract.models import KeepsDigits, ToolInput

MAX_ECHO = 80
MAX_KEY = 256
MAX_PROBLEMS = 10
MAX_COMPARED = 50  # of thousands of unknown parameters, how many are compared with the missing ones
MAX_FIXES = 3
SURELY_ALIKE = 0.85
SURELY_A_CHOICE = 0.6
LARGE = 8_192
"""From this size on the shape is checked first: explaining 50,000 unknown parameters takes seconds."""
MAX_PARAMETERS = 200
MAX_DIGITS = 20
"""Longer whole numbers are read as 0: Python refuses thousands of digits, and the shape ignores values."""
_FRACTION = re.compile(rb"[0-9](?:\.[0-9]|[eE])|[0-9]{309}")


class InputModel(Protocol):
    """Anything with an input model: a tool, or an address that is none (toolbox.dispatch.request_body.Form)."""

    @property
    def question(self) -> type[ToolInput]:
        """Return the input model."""
        ...

    @property
    def envelope(self) -> ErrorEnvelope:
        """Return the envelope whose `bad_input` a refusal uses."""
        ...

    @property
    def input_schema(self) -> Schema:
        """Return the published schema, for its descriptions."""
        ...

    @property
    def example_arguments(self) -> bytes:
        """Return a valid input as JSON."""
        ...


def parse_arguments(tool: InputModel, arguments: bytes) -> ToolInput:
    """
    Validate JSON arguments against the tool's input model.

    Raises ToolError: the envelope's `bad_input` with the field, its value and what is allowed; or the ToolError that a
    validator of the model raised. Where there is exactly one valid fix, the error has a merge patch. The patch fixes
    every mistake, not only the first: the patched arguments are valid.
    """
    try:
        return _read(tool, arguments)
    except ToolError as refusal:
        if refusal.retry_with:
            refusal.retry_with = _make_patch(tool, arguments, patch=refusal.retry_with)
        raise


def _read(tool: InputModel, arguments: bytes) -> ToolInput:
    if len(arguments) > LARGE:
        _check_shape(tool, arguments)
    try:
        question = tool.question.from_json(arguments or b"{}")
    except ValidationError as invalid:
        _check_shape(tool, arguments)
        _refuse(tool, invalid, arguments=arguments)
    if may_have_duplicate_keys(arguments, names=len(question.model_fields_set)):
        _check_shape(tool, arguments)
    if _FRACTION.search(arguments):
        question = _keep_digits(question, arguments=arguments)
    if b"\\u0000" in arguments or b"\x00" in arguments:
        _refuse_nul(tool, question)
    return question


def _keep_digits(question: ToolInput, *, arguments: bytes) -> ToolInput:
    """Parse parameters marked KeepsDigits again: pydantic turns all fractions into doubles."""
    marked = {
        str(field.alias): name
        for name, field in type(question).model_fields.items()
        if any(isinstance(part, KeepsDigits) for part in field.metadata)
    }
    if not marked:
        return question
    written = json.loads(arguments, parse_float=read_fraction, parse_int=read_whole)
    return question.model_copy(update={marked[alias]: written[alias] for alias in marked.keys() & written.keys()})


def _check_shape(tool: InputModel, arguments: bytes) -> None:
    check_json_shape(arguments, code=tool.envelope.bad_input, known=list(tool.input_schema.get("properties", {})))


def _make_patch(tool: InputModel, arguments: bytes, *, patch: dict[str, Any]) -> dict[str, Any]:
    """Extend a patch until the patched arguments are valid; {} if a mistake has no single valid fix."""
    for _ in range(MAX_FIXES):
        merged = {**from_json(arguments or b"{}"), **patch}
        fixed = {name: value for name, value in merged.items() if value is not None or name not in patch}
        try:
            _read(tool, json.dumps(fixed).encode())  # orjson cannot write everything that callers can send
        except ToolError as refusal:
            if not refusal.retry_with:
                return {}
            patch = {**patch, **refusal.retry_with}
        else:
            return patch
    return {}


def _refuse(tool: InputModel, invalid: ValidationError, *, arguments: bytes) -> NoReturn:
    problems = invalid.errors(include_url=False)
    first = problems[0]
    explained = [_explain(tool, problem, beside=problems[:MAX_COMPARED]) for problem in problems[:MAX_PROBLEMS]]
    message, suggestion, _ = explained[0]
    patches = [patch for _, _, patch in explained]
    patch = {name: value for patch in patches for name, value in patch.items()} if all(patches) else {}
    if _overwrites(patch, problems, arguments=arguments):
        patch = {}
    others = [said for said, _, _ in explained[1:]]
    raise ToolError(
        tool.envelope.bad_input,
        message,
        suggestion=suggestion,
        field=_path(first),
        details={"otherProblems": others} if others else {},
        retry_with=patch if len(problems) <= MAX_PROBLEMS else {},
    ) from invalid


def _overwrites(patch: dict[str, Any], problems: list[ErrorDetails], *, arguments: bytes) -> bool:
    """Return whether the patch would replace a valid parameter with a renamed one's value."""
    at_fault = {str(problem["loc"][0]) for problem in problems if problem["loc"]}
    written = {name for name, value in patch.items() if value is not None} - at_fault
    return bool(written) and not written.isdisjoint(from_json(arguments))


def _explain(tool: InputModel, problem: ErrorDetails, *, beside: list[ErrorDetails]) -> tuple[str, str, dict[str, Any]]:
    """Return message, suggestion and merge patch for one problem among others."""
    match problem["type"]:
        case "json_invalid":
            reason = str(problem.get("ctx", {}).get("error", "invalid JSON"))
            return f"The arguments are not JSON: {reason}.", _shape(tool), {}
        case "model_type" | "model_attributes_type" if not problem["loc"]:
            return "The arguments must be a JSON object.", _shape(tool), {}
        case "value_error":
            return _explain_rule(tool, problem)
        case "extra_forbidden":
            return _unknown(tool, problem)
        case "missing":
            return _suggest_missing(tool, problem, beside=beside)
    return _wrong(tool, problem)


def _wrong(tool: InputModel, problem: ErrorDetails) -> tuple[str, str, dict[str, Any]]:
    """Explain an invalid value."""
    field, got, plain = _path(problem), _echo(problem["input"]), _unquote(problem)
    if plain is not None:
        return f"{field} cannot be {got}.", f"Send {_echo(plain)}, without quotes.", {field: plain}
    choices = _choices(problem)
    if choices:
        nearest = _nearest(problem["input"], choices)
        patch = {field: nearest[0]} if len(problem["loc"]) == 1 and _sure(problem["input"], nearest[0]) else {}
        return f"{field} cannot be {got}.", f"Use one of: {', '.join(nearest)}.", patch
    wanted = f"Give {field}{_describe_bound(problem)}: {_describe_value(tool, problem)}"
    return f"{field} cannot be {got}: {problem['msg']}.", wanted, {}


def _explain_rule(tool: InputModel, problem: ErrorDetails) -> tuple[str, str, dict[str, Any]]:
    """Repeat the message of a model's validator, for one parameter or the whole input."""
    rule = f"{problem['ctx']['error']}".rstrip(".")
    if not problem["loc"]:
        return f"{rule[:1].upper()}{rule[1:]}.", _shape(tool), {}
    field = _path(problem)
    return (
        f"{field} cannot be {_echo(problem['input'])}: {rule}.",
        f"Give {field}: {_describe_value(tool, problem)}",
        {},
    )


def _describe_bound(problem: ErrorDetails) -> str:
    """Name the bound that a number exceeds."""
    bounds = {"less_than_equal": ("at most", "le"), "greater_than_equal": ("at least", "ge")}
    words, name = bounds.get(problem["type"], ("", ""))
    return f", {words} {problem['ctx'][name]}" if name in problem.get("ctx", {}) else ""


def _suggest_missing(
    tool: InputModel, problem: ErrorDetails, *, beside: list[ErrorDetails]
) -> tuple[str, str, dict[str, Any]]:
    """Name the missing parameter, and the unknown one that was probably meant."""
    field = _path(problem)
    for other in beside:
        if other["type"] == "extra_forbidden" and field in (patch := _unknown(tool, other)[2]):
            return f"{field} is missing.", f"Use {field} in place of {_echo(str(other['loc'][-1]))}.", patch
    return f"{field} is missing.", f"Give {field}: {_describe_value(tool, problem)}", {}


def _unquote(problem: ErrorDetails) -> int | bool | None:
    """Return the number or boolean that was sent as text; None if it is neither."""
    given = problem["input"]
    if not isinstance(given, str) or len(problem["loc"]) != 1:
        return None
    if problem["type"] == "bool_type":
        return {"true": True, "false": False}.get(given.strip().lower())
    is_whole = problem["type"] in ("int_type", "float_type") and re.fullmatch(r"\s*-?[0-9]{1,15}\s*", given)
    return int(given) if is_whole else None


def _unknown(tool: InputModel, problem: ErrorDetails) -> tuple[str, str, dict[str, Any]]:
    """Name the nearest known parameter."""
    field = str(problem["loc"][-1])
    known = list(_schema_at(tool, problem["loc"][:-1]).get("properties", {}))
    of = f" of {_echo_text('.'.join(str(part) for part in problem['loc'][:-1]))}" if len(problem["loc"]) > 1 else ""
    listed = f"The parameters{of} are: {', '.join(known)}." if known else "This tool takes no parameters."
    near = [name for name in known if _plain(name) == _plain(field)] or get_close_matches(field[:MAX_KEY], known, n=1)
    if near and len(problem["loc"]) == 1:
        return f"There is no parameter {_echo(field)}.", f"Use {near[0]}. {listed}", _suggest_rename(problem, near[0])
    return (
        f"There is no parameter {_echo(field)}.",
        f"Leave it out. {listed}",
        {field: None} if _can_be_sent_back(field) else {},
    )


def _suggest_rename(problem: ErrorDetails, name: str) -> dict[str, Any]:
    """Return the merge patch that renames a parameter, if the names are similar enough."""
    field, value = str(problem["loc"][-1]), problem["input"]
    is_sure = _plain(name).startswith(_plain(field)) or _likeness(field, name) >= SURELY_ALIKE
    return {field: None, name: value} if is_sure and _can_be_sent_back(field, value) else {}


def _refuse_nul(tool: InputModel, question: ToolInput) -> None:
    """Refuse U+0000 anywhere in the input: no text column can store it."""
    for name, field in type(question).model_fields.items():
        if _holds_nul(getattr(question, name)):
            raise ToolError(
                tool.envelope.bad_input,
                f"{field.alias} holds the character U+0000.",
                suggestion=f"Send {field.alias} without U+0000.",
                field=field.alias,
            )


def _holds_nul(value: object) -> bool:
    if isinstance(value, str):
        return "\x00" in value
    if isinstance(value, BaseModel):
        return any(_holds_nul(getattr(value, name)) for name in type(value).model_fields)
    if isinstance(value, dict):
        return any(_holds_nul(part) for pair in value.items() for part in pair)
    return isinstance(value, list | tuple | set) and any(_holds_nul(part) for part in value)


def _shape(tool: InputModel) -> str:
    return f"Send a JSON object such as {tool.example_arguments.decode()}"


def _describe_value(tool: InputModel, problem: ErrorDetails) -> str:
    """Return the published description of the problem's parameter; of an object also what it is made of."""
    part = _schema_at(tool, problem["loc"]) or _schema_at(tool, problem["loc"][:1])
    described = str(part.get("description", "see the tool's schema"))
    parameters = ", ".join(part.get("properties", {}))
    return f"{described.rstrip('.')}: an object with {parameters}." if parameters else described


def _schema_at(tool: InputModel, location: tuple[int | str, ...]) -> dict[str, Any]:
    """Return the published schema of a place in the input. Empty where it is one of several kinds."""
    part: dict[str, Any] = tool.input_schema
    for step in location:
        part = part.get("items", {}) if isinstance(step, int) else part.get("properties", {}).get(step, {})
    return part


def _choices(problem: ErrorDetails) -> list[str]:
    if problem["type"] not in ("enum", "literal_error"):
        return []
    return re.findall(r"'([^']*)'", str(problem.get("ctx", {}).get("expected", "")))


def _nearest(given: object, choices: list[str]) -> list[str]:
    """Put the choice most similar to the given value first."""
    plain = {choice: _plain(choice) for choice in choices}
    near = get_close_matches(_plain(str(given)), plain.values(), n=1, cutoff=0.5)
    return sorted(choices, key=lambda choice: (not near or plain[choice] != near[0], choices.index(choice)))


def _sure(given: object, choice: str) -> bool:
    return _likeness(str(given), choice) >= SURELY_A_CHOICE


def _likeness(given: str, name: str) -> float:
    return SequenceMatcher(None, _plain(given), _plain(name)).ratio()


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name[:MAX_KEY].lower())


def _path(problem: ErrorDetails) -> str:
    return _echo_text(".".join(str(part) for part in problem["loc"])) or "body"


def _can_be_sent_back(*values: object) -> bool:
    """Return whether the values fit into a merge patch uncut; a truncated value would fix nothing."""
    try:
        return all(len(encode(value)) <= MAX_KEY for value in values)
    except TypeError:  # an integer past 64 bits, a lone surrogate
        return False


def _echo(value: object) -> str:
    """Show a value, shortened and without control characters."""
    shown = {True: "true", False: "false"}.get(value, "") if isinstance(value, bool) else ""
    if value is None:
        shown = "null"
    return shown or (f'"{_echo_text(value)}"' if isinstance(value, str) else _echo_text(str(value)))


def _echo_text(text: str) -> str:
    clean = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)
    return clean if len(clean) <= MAX_ECHO else f"{clean[:MAX_ECHO]}…"


def check_json_shape(arguments: bytes, *, code: ErrorCode, known: list[str]) -> None:
    """Raise ToolError with the code for duplicate keys or too many parameters; ignores invalid JSON."""
    try:
        given = parse_json_strictly(arguments)
    except DuplicateKey as twice:
        name = _echo_text(str(twice))
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


class DuplicateKey(ValueError):
    """An object has a key twice; the text is the key."""


def parse_json_strictly(text: bytes) -> Any:
    """
    Parse JSON without duplicate keys; whole numbers of twenty digits and more become 0.

    Raises DuplicateKey, or another ValueError or RecursionError if the text cannot be parsed.
    """
    return _decoder.decode(text.decode())


def find_duplicate_key(text: bytes) -> str | None:
    """Return a key that an object has twice; None if there is none or the text cannot be parsed."""
    try:
        parse_json_strictly(text)
    except DuplicateKey as twice:
        return str(twice)
    except (ValueError, RecursionError):
        pass
    return None


def may_have_duplicate_keys(text: bytes, *, names: int) -> bool:
    """Return whether an object with `names` different keys may hold one twice; fast, it only counts colons."""
    return text.count(b":") > names


def _refuse_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        times = Counter(name for name, _ in pairs)
        raise DuplicateKey(times.most_common(1)[0][0])
    return found


def _bounded_int(digits: str) -> int:
    return int(digits) if len(digits) < MAX_DIGITS else 0


_decoder = json.JSONDecoder(object_pairs_hook=_refuse_duplicates, parse_int=_bounded_int)
