"""Limits of a search for callers: the answer says so where one is reached."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from devassist.bounds import Bounds
from devassist.callers.code import Function
from devassist.callers.server_finder import MAX_ITEMS, MAX_SHOWN, ServerFinder
from devassist.callers.traversal import FoundBy, Place, Site, Walk


def _function(name: str) -> Function:
    return Function(name=name, qualified=name, line=0, character=0, callable=True)


class _Callers:
    """Four functions that each have one caller, at the top."""

    async def sites(self, place: Place) -> list[Site]:
        names = [f"f{number}" for number in range(4)] if place.function.name == "target" else []
        return [
            Site(path=f"{name}.py", line=1, character=0, caller=_function(name), found_by=FoundBy.SYNTAX)
            for name in names
        ]


class _Session(SimpleNamespace):
    """A language server that gives as many declarations of a place as it is told to."""

    async def place(self, path: str, **_: int) -> dict[str, Any]:
        return {"path": path}

    async def show(self, paths: Sequence[str]) -> None:
        self.shown = list(paths)

    async def ask(self, method: str, **_: Any) -> list[dict[str, Any]]:
        return [{}] * self.items if method == "textDocument/prepareCallHierarchy" else []


class _Reader(SimpleNamespace):
    def find_mentioning(self, _: object, *, files: object) -> list[str]:
        return list(self.naming)


async def test_a_cut_is_said_though_the_next_level_is_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("devassist.callers.traversal.MAX_FOLLOWED", 2)
    walk = Walk(_Callers())

    await walk.follow([(Place(path="a.py", function=_function("target")), "target")], depth=3)

    assert walk.is_cut


@pytest.mark.parametrize(("items", "count"), [(MAX_ITEMS, 0), (MAX_ITEMS + 1, 1)])
async def test_declarations_that_are_not_asked_about_are_said(items: int, count: int) -> None:
    session: Any = _Session(items=items, has_call_hierarchy=True, server=SimpleNamespace(opens="all"))
    finder = ServerFinder(session, reading=_Reader(naming=[]), files={})  # type: ignore[arg-type]  # a stand-in
    finder.refers_to = ()

    await finder.sites(Place(path="a.py", function=_function("target")))

    assert len(finder.bounds.reasons) == count


async def test_files_that_are_not_shown_to_a_server_are_said() -> None:
    session: Any = _Session(items=0, has_call_hierarchy=True, server=SimpleNamespace(opens="project"))
    naming = [f"{number}.ts" for number in range(MAX_SHOWN + 1)]
    reading: Any = _Reader(naming=naming, mentions=lambda *_, **__: ())
    finder = ServerFinder(session, reading=reading, files=dict.fromkeys(naming, (0, 0)))
    finder.refers_to = ()

    await finder.sites(Place(path="a.ts", function=_function("target")))

    assert len(session.shown) == MAX_SHOWN
    assert finder.bounds.reasons == ["There are 101 files that mention 'target'; 100 were looked at."]


def test_a_limit_that_is_not_reached_is_not_said() -> None:
    bounds = Bounds()

    assert bounds.take("ab", most=2, what="letters") == ["a", "b"]
    assert bounds.reasons == []
