"""The tool that looks for changes that no test notices."""

from pathlib import Path

from tests.mutation import find_mutations, find_tests


def test_each_kind_of_change_is_found_at_its_place() -> None:
    source = "def f(é, b):\n    return é + 1 if not b and é > 2 else None\n"
    path = Path("toolbox/x.py")

    changed = {
        (source.encode()[: one.start] + one.after.encode() + source.encode()[one.end :]).decode().split("\n")[1].strip()
        for one in find_mutations(source, path=path)
    }

    assert changed == {
        "return (é - 1) if not b and é > 2 else None",
        "return é + 2 if not b and é > 2 else None",
        "return é + 1 if (not b or é > 2) else None",
        "return é + 1 if (b) and é > 2 else None",
        "return é + 1 if not b and (é >= 2) else None",
        "return é + 1 if not b and é > 3 else None",
        "return None",
    }


def test_the_tests_of_a_module_are_those_of_the_nearest_folder() -> None:
    assert find_tests(Path("toolbox/access/keys.py")) == Path("tests/toolbox/access")
    assert find_tests(Path("manage.py")) == Path("tests")
