"""The project's metadata agrees with itself."""

import json
import tomllib

from tests.architecture.sources import ROOT
from toolbox import VERSION


def test_the_editor_extension_has_the_version_of_the_server() -> None:
    manifest = json.loads((ROOT / "editors/vscode/package.json").read_text(encoding="utf-8"))

    assert manifest["version"] == VERSION


def test_the_workflow_runs_every_python_version_that_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    prefix = "Programming Language :: Python :: "
    versions = [entry.removeprefix(prefix) for entry in project["classifiers"] if entry.startswith(prefix)]
    workflow = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")

    assert f"python: {json.dumps(versions)}" in workflow
    assert project["license"] == "Apache-2.0"
