"""The README's commands run as they are printed: what they use is defined before, and needs no other program."""

import re

from tests.architecture.sources import ROOT

PROGRAMS = {".venv/bin/python", ".venv/bin/pip", "python3", "curl"}
_ASSIGNED, _USED = re.compile(r"^(\w+)=", re.MULTILINE), re.compile(r"\$([A-Z]+)\b")


def list_blocks() -> list[str]:
    """Return the README's blocks of commands, in order."""
    return re.findall(r"^```sh\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def find_undefined(blocks: list[str]) -> list[str]:
    """Return the variables that a block uses before any block gives them a value."""
    known: set[str] = set()
    missing = []
    for line in "\n".join(blocks).splitlines():
        missing += [name for name in _USED.findall(line) if name not in known]
        known.update(_ASSIGNED.findall(line))
    return missing


def find_foreign(blocks: list[str]) -> list[str]:
    """Return the programs that a pipe leads to and no block defines."""
    text = "\n".join(blocks)
    defined = set(re.findall(r"^(\w+)\(\) \{", text, re.MULTILINE))
    return [name for name in re.findall(r"\| ([\w./]+)", text) if name not in defined | PROGRAMS]


def test_every_variable_is_defined_before_it_is_used() -> None:
    assert find_undefined(list_blocks()) == []
    assert find_undefined(["curl $URL/x\n", "URL=http://a\ncurl $URL\n"]) == ["URL"]


def test_no_other_program_is_needed() -> None:
    assert find_foreign(list_blocks()) == []
    assert find_foreign(["curl a | jq -r .id\n"]) == ["jq"]
