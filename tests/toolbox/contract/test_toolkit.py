"""Each way of declaring a tool wrongly ends the start with a sentence; declared rightly, nothing changes hands."""

import re
import sys
from collections.abc import Callable
from importlib import import_module, reload
from typing import Any

import pytest
from pydantic import BaseModel, Field

from linescore.tools import toolkit as linescore
from toolbox.catalogue.registry import Registry, registry
from toolbox.contract.caller import Caller
from toolbox.contract.models import ToolInput, ToolOutput
from toolbox.contract.slots import Slot
from toolbox.contract.tool import InvalidTool, Toolkit, find_schema_mistakes


class Ask(ToolInput):
    """A question."""

    word: str = Field(description="Any word.")


class Answer(ToolOutput):
    """An answer."""

    word: str = Field(description="The word.")


def _toolkit(domain: str = "words") -> Toolkit:
    return Toolkit(domain=domain, summary="Words.")


async def say_it(ask: Ask) -> Answer:
    """Say the word again."""
    return Answer(word=ask.word)


EXAMPLE = Ask(word="hello")


def test_a_declared_function_is_handed_back_unchanged() -> None:
    before = dict(vars(say_it))

    returned = _toolkit().tool(example=EXAMPLE)(say_it)

    assert returned is say_it
    assert dict(vars(say_it)) == before


def test_a_tool_says_once_what_the_function_says() -> None:
    toolkit = _toolkit()

    toolkit.tool(example=EXAMPLE)(say_it)

    (tool,) = toolkit.tools
    assert (tool.name, tool.scope, tool.description) == ("say_it", "words:read", "Say the word again.")
    assert tool.input_schema["required"] == ["word"]
    assert tool.example_arguments == b'{"word":"hello"}'


def test_live_figures_follow_the_description_of_the_moment_and_stay_out_of_the_documentation() -> None:
    toolkit, figures = _toolkit(), ["", "7 words are known.", "8 words are known."]

    toolkit.tool(example=EXAMPLE, live=lambda: figures.pop(0))(say_it)

    (tool,) = toolkit.tools
    assert [tool.description for _ in range(3)] == [
        "Say the word again.",
        "Say the word again.\n\n7 words are known.",
        "Say the word again.\n\n8 words are known.",
    ]
    assert tool.documentation == "Say the word again."


def _no_docstring() -> Any:
    async def say_it(ask: Ask) -> Answer:
        raise NotImplementedError

    return say_it


def _synchronous() -> Any:
    def say_it(ask: Ask) -> Answer:
        """Say it."""
        raise NotImplementedError

    return say_it


def _two_parameters() -> Any:
    async def say_it(ask: Ask, more: int) -> Answer:
        """Say it."""
        raise NotImplementedError

    return say_it


def _no_answer() -> Any:
    async def say_it(ask: Ask):  # type: ignore[no-untyped-def]
        """Say it."""
        raise NotImplementedError

    return say_it


def _plain_model() -> Any:
    class Plain(BaseModel):
        word: str = Field(description="Any word.")

    async def say_it(ask: Plain) -> Answer:
        """Say it."""
        raise NotImplementedError

    say_it.__annotations__["ask"] = Plain
    return say_it


def _bare_field() -> Any:
    class Bare(ToolInput):
        word: str

    async def say_it(ask: Bare) -> Answer:
        """Say it."""
        raise NotImplementedError

    say_it.__annotations__["ask"] = Bare
    return say_it, Bare(word="x")


def _bare_nested_field() -> Any:
    class Inner(ToolOutput):
        deep: int

    class Outer(ToolOutput):
        inner: list[Inner] = Field(description="Parts.")

    async def say_it(ask: Ask) -> Outer:
        """Say it."""
        raise NotImplementedError

    say_it.__annotations__["return"] = Outer
    return say_it


def _recursive() -> Any:
    async def say_it(ask: Ask) -> Tree:
        """Say it."""
        raise NotImplementedError

    return say_it


class Tree(ToolOutput):
    """An answer without end."""

    branches: list["Tree"] = Field(description="More of it.")


def _make_loud_tool() -> Any:
    async def SayIt(ask: Ask) -> Answer:  # noqa: N802
        """Say it."""
        raise NotImplementedError

    return SayIt


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (_no_docstring, "docstring"),
        (_synchronous, "async def"),
        (_two_parameters, "async def"),
        (_no_answer, "async def"),
        (_plain_model, "ToolInput"),
        (_make_loud_tool, "snake_case"),
    ],
)
def test_a_function_that_cannot_be_offered_is_refused_with_a_sentence(make: Callable[[], Any], sentence: str) -> None:
    made = make()
    function, example = made if isinstance(made, tuple) else (made, EXAMPLE)

    with pytest.raises((InvalidTool, ValueError), match=sentence):
        _toolkit().tool(example=example)(function)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (_bare_field, "the field word needs a description"),
        (_bare_nested_field, "the field inner[].deep needs a description"),
        (_recursive, "Tree contains itself; a tool's schema must be finite"),
    ],
)
def test_schemas_that_no_model_can_read_are_named(make: Callable[[], Any], sentence: str) -> None:
    made = make()
    function, example = made if isinstance(made, tuple) else (made, EXAMPLE)
    toolkit = _toolkit()

    toolkit.tool(example=example)(function)

    assert find_schema_mistakes(toolkit.tools[0]) == [sentence]
    with pytest.raises(InvalidTool, match=re.escape(sentence)):
        _toolkit().make_tool(function, example=example)


def test_an_example_of_another_model_is_refused() -> None:
    class Other(ToolInput):
        number: int = Field(description="A number.")

    with pytest.raises(InvalidTool, match="example must be a Ask"):
        _toolkit().tool(example=Other(number=1))(say_it)


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
def test_an_example_that_does_not_survive_the_wire_is_refused() -> None:
    impossible: Any = {"word": 7}

    with pytest.raises(InvalidTool, match="survive the wire"):
        _toolkit().tool(example=Ask.model_construct(_fields_set={"word"}, **impossible))(say_it)


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(TypeError, match="colour"):
        _toolkit().tool(example=EXAMPLE, colour="red")


def _declare(domain: str) -> Toolkit:
    toolkit = _toolkit(domain)
    toolkit.tool(example=EXAMPLE)(say_it)
    return toolkit


def test_two_domains_cannot_have_a_tool_of_one_name() -> None:
    catalogue = Registry()
    catalogue.register(_declare("words"))

    with pytest.raises(InvalidTool, match=r"phrases\.say_it: another tool has that name"):
        catalogue.register(_declare("phrases"))

    assert [tool.domain for tool in catalogue.tools()] == ["words"]
    assert [toolkit.domain for toolkit in catalogue.toolkits()] == ["words"]


def test_one_domain_cannot_have_two_tools_of_one_name() -> None:
    toolkit = _declare("words")
    toolkit.tool(example=EXAMPLE)(say_it)

    with pytest.raises(InvalidTool, match="another tool has that name"):
        Registry().register(toolkit)


def test_a_domain_comes_once() -> None:
    catalogue = Registry()
    catalogue.register(_declare("words"))

    with pytest.raises(InvalidTool, match="two toolkits call themselves words"):
        catalogue.register(_toolkit("words"))


def test_a_toolkit_that_comes_after_the_start_is_refused() -> None:
    with pytest.raises(InvalidTool, match="words came too late"):
        registry.register(_declare("words"))


def test_a_tool_declared_after_the_start_is_refused_or_at_least_not_offered() -> None:
    catalogue, toolkit = Registry(), _toolkit()
    catalogue.register(toolkit)
    catalogue.close()

    toolkit.tool(example=EXAMPLE)(say_it)

    assert list(catalogue.tools()) == []


def test_importing_a_domain_s_tools_again_changes_nothing() -> None:
    before = list(registry.tools())

    assert import_module("linescore.tools").toolkit is linescore
    copy = reload(import_module("linescore.tools")).toolkit
    sys.modules["linescore.tools"].toolkit = linescore  # type: ignore[attr-defined]

    assert copy is not linescore
    assert list(registry.tools()) == before


def test_a_caller_sees_the_tools_of_its_scopes() -> None:
    catalogue = Registry()
    catalogue.register(_declare("words"))

    def count_visible(*scopes: str) -> int:
        return len(catalogue.visible_to(Caller(name="c", scopes=frozenset(scopes))))

    assert count_visible("words:read") == count_visible("*:read") == 1
    assert (
        count_visible() == count_visible("words:write") == count_visible("word:read") == count_visible("words:*") == 0
    )


@pytest.mark.parametrize("names", [("team", "team"), ("Team",), ("team code",)])
def test_slots_have_names_of_their_own(names: tuple[str, ...]) -> None:
    async def samples() -> list[str]:
        return []

    slots = tuple(Slot(name=name, noun="team", samples=samples) for name in names)

    with pytest.raises(InvalidTool, match="slots have names of their own"):
        Registry().register(Toolkit(domain="words", summary="Words.", slots=slots))
