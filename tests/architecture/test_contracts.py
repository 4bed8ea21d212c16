"""The import contracts of pyproject.toml cover what the house rules ask for."""

import tomllib
from collections import Counter
from typing import Any

import pytest

from tests.architecture.sources import PACKAGES, ROOT, code, name_of

MAX_MODULES = 15


@pytest.fixture(scope="module")
def containers() -> dict[str, dict[str, Any]]:
    """Return the contract of each package that has layers of its own."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = config["tool"]["importlinter"]["contracts"]
    return {container: contract for contract in contracts for container in contract.get("containers", [])}


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_names_the_layer_of_every_module(package: str, containers: dict[str, dict[str, Any]]) -> None:
    assert containers[package.replace("/", ".")]["exhaustive"]


def test_a_package_with_many_modules_has_layers_of_its_own(containers: dict[str, dict[str, Any]]) -> None:
    counts = Counter(name_of(path.parent).replace("/", ".") for path in code() if path.name != "__init__.py")
    large = {package for package, count in counts.items() if count > MAX_MODULES and package.startswith(PACKAGES)}

    assert large - containers.keys() == set()
