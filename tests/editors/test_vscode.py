"""The VS Code extension: its logic under Node, and its rule about secrets beside the server's."""

import json
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from django.conf import settings

from devassist.files.secrets import looks_secret
from toolbox.text.redaction import mask_secrets

FOLDER = Path(settings.BASE_DIR) / "editors" / "vscode"
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="no Node here: the extension's logic is not tested")
NAMES = [
    ".env", "a/.env.local", "prod.env", ".env.example", "local.properties", "LOCAL.PROPERTIES.", "gradle.properties",
    "signing.properties", "app/google-services.json", "id_rsa", "id_ed25519_sk", "id_rsa.pub", "server.pem", "a.key",
    "my.p12", ".netrc", ".npmrc", "credentials", "credentials.json", "client_secret.json", "secrets.yaml", "secret.txt",
    "secret_key", ".envrc", ".env~", "prod.env.bak", "id_rsa.bak", "server.key.old", ".id_rsa.swp", "hosts.yml",
    "application_default_credentials.json", "settings.xml", "kubeconfig", "a/dev.kubeconfig", ".vault-token",
    ".yarnrc.yml", ".git/config.worktree", ".git/config.bak", "service_account.json", "settings.gradle", "hosts.ts",
    "a-service-account-1.json", "terraform.tfvars", "x.tfstate.backup", ".ssh/config", "a/.AWS/x", ".git/config",
    ".git/HEAD", "src/keyboard.ts", "src/secrets.ts", "config.template", "secrets.json.dist", "README.md",
]  # fmt: skip


def _node(*arguments: str, folder: Path = FOLDER) -> str:
    done = subprocess.run([str(NODE), *arguments], cwd=folder, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@needs_node
def test_its_logic_keeps_what_it_says() -> None:
    assert "# fail 0" in _node("--test", "--test-reporter=tap")


@needs_node
def test_it_takes_the_same_files_for_secrets_as_the_server() -> None:
    script = f"console.log(JSON.stringify({json.dumps(NAMES)}.filter(require('./state.js').looksSecret)))"

    assert json.loads(_node("-e", script)) == [name for name in NAMES if looks_secret(name.split("/"))]


def test_the_rules_about_secrets_are_the_server_s() -> None:
    ours = Path(settings.BASE_DIR) / "devassist" / "files" / "secret_files.json"

    assert (FOLDER / "secret_files.json").read_text() == ours.read_text()


NOT_SECRET = {".env.example", "id_rsa.pub", ".git/HEAD", "src/keyboard.ts", "src/secrets.ts", "config.template",
              "secrets.json.dist", "README.md", "settings.gradle", "hosts.ts"}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_files_of_secrets_are_known_by_their_names(name: str) -> None:
    assert looks_secret(name.split("/")) == (name not in NOT_SECRET)


@needs_node
def test_the_extension_itself_parses() -> None:
    _node("--check", "extension.js")


def test_its_manifest_names_what_is_there() -> None:
    manifest = json.loads((FOLDER / "package.json").read_text())
    code = (FOLDER / "extension.js").read_text()

    assert (FOLDER / manifest["main"]).is_file()
    assert all(f'"{command["command"]}"' in code for command in manifest["contributes"]["commands"])
    assert "dependencies" not in manifest


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("npm") is None, reason="no npm here: the extension is not packaged")
def test_its_package_holds_what_it_needs_and_no_tests(tmp_path: Path) -> None:
    copied = shutil.copytree(FOLDER, tmp_path / "vscode")
    done = subprocess.run(
        ["npm", "run", "package"], cwd=copied, capture_output=True, text=True, check=False, timeout=300
    )  # fmt: skip
    if done.returncode and "npm error" in done.stderr and "network" in done.stderr:
        pytest.skip("the packager cannot be fetched")

    assert done.returncode == 0, done.stdout + done.stderr
    names = set(zipfile.ZipFile(copied / "toolroom-editor-context.vsix").namelist())
    inside = {name.removeprefix("extension/") for name in names if name.startswith("extension/")}
    assert inside == {
        "LICENSE.txt", "extension.js", "icon.png", "package.json", "readme.md", "secret_files.json", "state.js",
    }  # fmt: skip
    unpacked = tmp_path / "unpacked" / "extension"
    zipfile.ZipFile(copied / "toolroom-editor-context.vsix").extractall(unpacked.parent)
    texts = {file.name: file.read_text() for file in unpacked.iterdir() if file.suffix in {".js", ".json", ".md"}}
    assert {name for name, text in texts.items() if mask_secrets(text, is_code=True) != text} == set()
    assert {name: texts[name] for name in ("extension.js", "state.js")} == {
        name: (FOLDER / name).read_text() for name in ("extension.js", "state.js")
    }
    shutil.copytree(FOLDER / "test", unpacked / "test")
    assert "# fail 0" in _node("--test", "--test-reporter=tap", folder=unpacked)


def test_its_licence_is_the_projects() -> None:
    assert (FOLDER / "LICENSE").read_text() == (Path(settings.BASE_DIR) / "LICENSE").read_text()
    assert json.loads((FOLDER / "package.json").read_text())["license"] == "Apache-2.0"
