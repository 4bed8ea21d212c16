"""Every path and dotted module that a document names exists."""

import re
from collections.abc import Iterator

import pytest

from tests.architecture.sources import CODE, PACKAGES, ROOT, files, name_of, python

_FOLDERS = (*CODE, "tests", "benchmarks", "docs", "editors")
NAMES_OLD_PATHS = {"CHANGELOG.md"}  # it tells what was


def find_missing_paths(text: str, *, folder: str = "") -> Iterator[str]:
    """
    Yield the paths and dotted names of this repository in a text that do not exist.

    Checked are the targets of links, paths that begin with one of our folders, Python files by their name alone, and
    dotted names, which may end in an attribute.
    """
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        if not (ROOT / folder / target).exists():
            yield target
    for path in re.findall(rf"(?<![\w./<])(?:{'|'.join(_FOLDERS)})/[\w./*-]*\w", text):
        if not _path_exists(path):
            yield path
    for name in re.findall(r"`((?!manage\.py)\w+\.py)`", text):
        if not any(path.name == name and name_of(path).startswith(folder.removeprefix("docs")) for path in python()):
            yield name
    for dotted in re.findall(rf"(?<![\w./-])(?:{'|'.join(_FOLDERS)})(?:\.\w+)+", text):
        if not dotted.endswith((".css", ".html", ".md")) and not _module_exists(dotted):
            yield dotted


def test_a_path_that_is_gone_is_found() -> None:
    text = "See [it](gone.md), `gone.py`, `toolbox/gone.py`, `python -m tests.gone` and `toolbox.gone.what`."

    assert list(find_missing_paths(text)) == [
        "gone.md",
        "toolbox/gone.py",
        "gone.py",
        "tests.gone",
        "toolbox.gone.what",
    ]


def test_a_path_that_is_there_passes() -> None:
    text = "See [it](README.md#start), `urls.py`, `config/urls.py`, `tests/*/`, `toolbox.models.ApiKey`, `e.g.`"

    assert list(find_missing_paths(text)) == []


@pytest.mark.parametrize(
    "name",
    sorted(
        {name_of(path) for path in files() if path.suffix == ".md" and "samples" not in path.parts} - NAMES_OLD_PATHS
    ),
)
def test_a_document_names_paths_that_exist(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")

    assert sorted(set(find_missing_paths(text, folder=name.rpartition("/")[0]))) == []


def test_the_page_of_the_architecture_names_every_package_of_the_kernel() -> None:
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    packages = {
        f"{package}/{path.parent.name}"
        for package in PACKAGES
        for path in (ROOT / package).glob("*/__init__.py")
        if package == "toolbox" or path.parent.name not in {"management", "migrations", "templatetags"}
    }

    assert {package for package in packages if f"`{package}`" not in text} == set()


def _path_exists(path: str) -> bool:
    return any(ROOT.glob(path)) or any(ROOT.glob(f"*/templates/{path}"))


def _module_exists(dotted: str) -> bool:
    parts = dotted.split(".")
    ends = (parts, parts[:-1])
    return any((ROOT / "/".join(end)).with_suffix(".py").exists() for end in ends) or (ROOT / "/".join(parts)).is_dir()
