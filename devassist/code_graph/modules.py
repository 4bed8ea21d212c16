"""
Which file an import means, by the files of the workspace and its build files; nothing is run.

Python: every folder that holds packages counts as a source root, `src` layouts and monorepos too. JavaScript: relative
paths, tsconfig's `paths`, `baseUrl`, `references` with `outDir` (built `.d.ts` are mapped back to their sources), and
packages of the same repository by the name in their package.json. Kotlin and Java need no paths: packages are named in
the files.
"""

import json
import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

BUILD_FILES = frozenset(
    {"tsconfig.json", "jsconfig.json", "package.json", "pyproject.toml", "setup.py", "setup.cfg"}
)  # fmt: skip
SCRIPT_ENDINGS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
_COMMENTS = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/|,(?=\s*[\]}])', re.DOTALL)

Read = Callable[[str], str | None]

_TEST = re.compile(r"(^|/)(tests?|__tests__|spec|androidTest|testing)/|(^|/)(test_[^/]*|conftest)\.py$|"
                   r"(_test|\.test|\.spec|Test|Tests|Spec)\.\w+$")  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _Project:
    """A tsconfig: paths from the workspace's root."""

    folder: str
    base: str | None
    paths: dict[str, list[str]]
    out: str | None
    source: str


@dataclass(slots=True)
class Modules:
    """The module names of one workspace."""

    files: frozenset[str]
    projects: list[_Project] = field(default_factory=list)
    packages: dict[str, tuple[str, Any]] = field(default_factory=dict)
    python: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    own_names: set[str] = field(default_factory=set)

    @classmethod
    def find_all(cls, files: Iterable[str], *, builds: Iterable[str], read: Read) -> "Modules":
        """Read the paths of the files, and the build files."""
        found = cls(frozenset(files))
        for path in found.files:
            if path.endswith((".py", ".pyi")):
                found._add_python(path)
        for path in sorted(builds):
            name = posixpath.basename(path)
            if name in ("tsconfig.json", "jsconfig.json") and (told := _json(read(path))) is not None:
                found.projects.append(_project(told, path=path, read=read))
            elif name == "package.json" and (told := _json(read(path))) is not None and told.get("name"):
                found.packages[str(told["name"])] = (posixpath.dirname(path), told)
        found.projects.sort(key=lambda project: -len(project.folder))
        return found

    def find(self, module: str, *, source: str) -> str | None:
        """Return the file that the import in the file `source` means. None for one from outside."""
        if source.endswith((".py", ".pyi")):
            return self._find_python(module, source=source)
        if source.endswith(SCRIPT_ENDINGS):
            return self._find_script(module, source=source)
        return None

    def is_own(self, module: str) -> bool:
        """Return whether the module's first part is a package of the workspace, or is relative."""
        return module.startswith(".") or module.partition(".")[0] in self.own_names

    def _add_python(self, path: str) -> None:
        """Add a file under every dotted suffix of its path. The importing file decides which one is meant."""
        parts = path.rsplit(".", 1)[0].split("/")
        if parts[-1] == "__init__":
            parts = parts[:-1]
        for start in range(len(parts)):
            self.python[".".join(parts[start:])].append(path)
        self.own_names.update(parts)

    def _find_python(self, module: str, *, source: str) -> str | None:
        if module.startswith("."):
            levels = len(module) - len(module.lstrip("."))
            folder = source.split("/")[:-levels] if levels <= source.count("/") + 1 else None
            if folder is None:
                return None
            return self._python_file("/".join([*folder, *filter(None, module.lstrip(".").split("."))]))
        known = self.python.get(module)
        if not known:
            return None
        return min(known, key=lambda path: self._python_distance(path, module=module, source=source))

    def _python_distance(self, path: str, *, module: str, source: str) -> tuple[bool, bool, int, str]:
        """Order files of one dotted name: a root that is not a package first, then the nearest to the source."""
        depth = module.count(".") + (2 if posixpath.basename(path).startswith("__init__.") else 1)
        root = "/".join(path.split("/")[:-depth])
        is_inside_package = f"{root}/__init__.py" in self.files if root else "__init__.py" in self.files
        common = len(posixpath.commonprefix([path, source]))
        return is_inside_package, path.endswith(".pyi"), -common, path

    def _python_file(self, stem: str) -> str | None:
        endings = (".py", "/__init__.py", ".pyi", "/__init__.pyi")
        return next((stem + ending for ending in endings if stem + ending in self.files), None)

    def _find_script(self, module: str, *, source: str) -> str | None:
        return next((path for stem in self._stems(module, source=source) if (path := self._script_file(stem))), None)

    def _stems(self, module: str, *, source: str) -> Iterator[str]:
        if module.startswith("."):
            stem = posixpath.normpath(posixpath.join(posixpath.dirname(source), module))
            yield "" if stem == "." else stem
            return
        above = [project for project in self.projects if _is_below(source, project.folder)]
        for project in above:
            for pattern, targets in project.paths.items():
                if (rest := _match(pattern, module)) is not None:
                    for target in targets:
                        yield posixpath.normpath(
                            posixpath.join(project.base or project.folder, target.replace("*", rest))
                        )
            if project.base is not None:
                yield posixpath.normpath(posixpath.join(project.base, module))
        yield from self._package_stems(module)

    def _package_stems(self, module: str) -> Iterator[str]:
        for name, (folder, told) in self.packages.items():
            if module != name and not module.startswith(f"{name}/"):
                continue
            inner = module[len(name) :].lstrip("/")
            for entry in _entries(told, inner=inner):
                stem = posixpath.normpath(posixpath.join(folder, entry))
                yield stem
                yield from (f"{stem}/{index}" for index in ("index", "src/index"))
            yield posixpath.normpath(posixpath.join(folder, "src", inner or "index"))

    def _script_file(self, stem: str) -> str | None:
        """Return the file of a module path: unchanged, with an extension, as a folder, or a built file's source."""
        for candidate in (stem, *self._sources_of(stem)):
            bare = re.sub(r"(\.d)?\.[mc]?[jt]sx?$", "", candidate)
            names = (
                candidate,
                *(bare + ending for ending in SCRIPT_ENDINGS),
                *(candidate + ending for ending in SCRIPT_ENDINGS),
                *(posixpath.join(candidate, f"index{ending}") for ending in SCRIPT_ENDINGS),
            )  # fmt: skip
            found = next((name for name in names if name in self.files and not name.endswith(".d.ts")), None)
            if found is not None:
                return found
        return f"{stem}.d.ts" if f"{stem}.d.ts" in self.files else None

    def _sources_of(self, stem: str) -> Iterator[str]:
        """Map a built path back by outDir and rootDir."""
        for project in self.projects:
            if project.out is not None and _is_below(stem, project.out):
                inner = posixpath.relpath(stem, project.out)
                yield posixpath.normpath(posixpath.join(project.source, inner))
                yield posixpath.normpath(posixpath.join(project.folder, inner))
                yield posixpath.normpath(posixpath.join(project.folder, "src", inner))


def _project(told: dict[str, Any], *, path: str, read: Read) -> _Project:
    folder = posixpath.dirname(path)
    options = _options(told, folder=folder, read=read, seen={path})
    base = options.get("baseUrl")
    out = options.get("declarationDir") or options.get("outDir")
    return _Project(
        folder=folder,
        base=posixpath.normpath(posixpath.join(folder, str(base))) if base is not None else None,
        paths={str(key): [str(one) for one in value] for key, value in (options.get("paths") or {}).items()},
        out=posixpath.normpath(posixpath.join(folder, str(out))) if out else None,
        source=posixpath.normpath(posixpath.join(folder, str(options.get("rootDir") or "src"))),
    )


def _options(told: dict[str, Any], *, folder: str, read: Read, seen: set[str]) -> dict[str, Any]:
    """Merge compilerOptions with those of extended files."""
    merged: dict[str, Any] = {}
    extended = told.get("extends") or []
    for parent in [extended] if isinstance(extended, str) else extended:
        if not isinstance(parent, str) or not parent.startswith("."):
            continue
        path = posixpath.normpath(posixpath.join(folder, parent))
        path = path if path.endswith(".json") else f"{path}.json"
        if path not in seen and (above := _json(read(path))) is not None:
            merged |= _options(above, folder=posixpath.dirname(path), read=read, seen=seen | {path})
    own = told.get("compilerOptions")
    return merged | (own if isinstance(own, dict) else {})


def _entries(told: dict[str, Any], *, inner: str) -> list[str]:
    """List the entry points in a package.json for a path, the path itself last."""
    found: list[str] = []
    exported = told.get("exports")
    if isinstance(exported, dict):
        exported = exported.get(f"./{inner}" if inner else ".", exported if not inner else None)
    _collect(exported, into=found)
    if not inner:
        found += [str(told[key]) for key in ("source", "types", "module", "main") if isinstance(told.get(key), str)]
    return [*found, inner or "index"]


def _collect(exported: object, *, into: list[str]) -> None:
    if isinstance(exported, str):
        into.append(exported)
    elif isinstance(exported, dict):
        into.extend(value for value in list(exported.values())[:20] if isinstance(value, str))


def _json(text: str | None) -> dict[str, Any] | None:
    """Read JSON with comments and trailing commas."""
    if text is None:
        return None
    try:
        found = json.loads(_COMMENTS.sub(lambda match: match[1] or "", text))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _match(pattern: str, module: str) -> str | None:
    """Return what the star of a path pattern matches. None if the pattern does not match."""
    start, star, end = pattern.partition("*")
    if not star:
        return "" if module == pattern else None
    fits = module.startswith(start) and module.endswith(end) and len(module) >= len(start) + len(end)
    return module[len(start) : len(module) - len(end)] if fits else None


def _is_below(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(f"{folder}/")


def is_test(path: str) -> bool:
    """Return whether a file holds tests, by its name and folders."""
    return bool(_TEST.search(posixpath.normpath(path)))
