"""The lock files hold what the `.in` files ask for. `.ci/lock` makes them."""

import re

import pytest

from tests.architecture.sources import ROOT

NAMES = ("requirements", "requirements-parquet", "requirements-traces", "requirements-dev")
PIN = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[\w,-]+\])?==([^\s;\\]+)", re.MULTILINE)


def read_pins(file_name: str) -> dict[str, set[str]]:
    """Return the versions of each package of a requirements file; more than one where they differ by Python version."""
    pins: dict[str, set[str]] = {}
    for name, version in PIN.findall((ROOT / file_name).read_text(encoding="utf-8")):
        pins.setdefault(name.lower().replace("_", "-"), set()).add(version)
    return pins


@pytest.mark.parametrize("name", NAMES)
def test_every_direct_requirement_is_locked_at_its_version(name: str) -> None:
    asked, locked = read_pins(f"{name}.in"), read_pins(f"{name}.txt")

    assert asked
    assert {package for package, versions in asked.items() if not versions <= locked.get(package, set())} == set()


@pytest.mark.parametrize("name", NAMES)
def test_every_direct_requirement_names_one_version(name: str) -> None:
    lines = (ROOT / f"{name}.in").read_text(encoding="utf-8").splitlines()

    assert [line for line in lines if line and not line.startswith(("#", "-r ")) and not PIN.match(line)] == []


@pytest.mark.parametrize("name", NAMES)
def test_every_locked_package_has_hashes(name: str) -> None:
    blocks = re.split(r"\n(?=\S)", (ROOT / f"{name}.txt").read_text(encoding="utf-8"))

    assert [block for block in blocks if not block.startswith("#") and "--hash=sha256:" not in block] == []


@pytest.mark.parametrize("name", NAMES[1:])
def test_all_locks_agree(name: str) -> None:
    base, other = read_pins("requirements.txt"), read_pins(f"{name}.txt")

    assert {package for package, versions in base.items() if other.get(package) != versions} == set()
