"""The official conformance suite of MCP: installed from npm into a cache, run against an address, its result parsed."""

import fcntl
import json
import platform
import re
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

VERSION = "0.2.0-alpha.12"
NODE_VERSION = "22.23.3"
REVISIONS = ("2025-11-25", "2026-07-28")
SECONDS = 240

_SCENARIO = re.compile(r"^(?:✓|✗) (\S+): (\d+) passed, (\d+) failed", re.MULTILINE)
_NOT_SCORED = re.compile(r"^ {2}(?:✓|✗) (\S+) \((\S+)\)", re.MULTILINE)


class NotToBeHad(Exception):
    """The suite cannot be installed here; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """
    How many checks of each scenario failed, and by name why a scenario does not count for the revision.

    `unchecked` are the scenarios that ran no check: they prove nothing and do not count.
    """

    failed: Mapping[str, int]
    not_scored: Mapping[str, str]
    unchecked: frozenset[str] = frozenset()

    @property
    def required(self) -> dict[str, int]:
        """Return the scenarios that decide."""
        return {name: failed for name, failed in self.failed.items() if name not in self.not_scored}

    @property
    def tasks(self) -> dict[str, int]:
        """Return the scenarios of the Tasks extension."""
        return {name: failed for name, failed in self.failed.items() if name.startswith("tasks-")}

    @property
    def others(self) -> dict[str, int]:
        """Return the scenarios that do not count yet."""
        beside = self.failed.keys() - self.required.keys() - self.tasks.keys()
        return {name: self.failed[name] for name in sorted(beside)}


@dataclass(frozen=True, slots=True)
class Referee:
    """An installed suite."""

    node: Path
    suite: Path

    def judge(self, url: str, *, revision: str) -> Verdict:
        """Run all scenarios that the revision requires, and the others."""
        command = [str(self.node), str(self.suite), "server", "--url", url, "--requirements", revision]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
        _, _, summary = ran.stdout.partition("=== SUMMARY ===")
        counts = {name: (int(good), int(bad)) for name, good, bad in _SCENARIO.findall(summary)}
        failed = {name: bad for name, (good, bad) in counts.items() if good or bad}
        if not failed:
            raise RuntimeError(f"the suite said nothing:\n{ran.stdout[-2000:]}\n{ran.stderr[-2000:]}")
        return Verdict(
            failed=failed, not_scored=dict(_NOT_SCORED.findall(summary)), unchecked=frozenset(counts) - set(failed)
        )


def installed(cache: Path) -> Referee:
    """Return the suite, installed into the cache when first needed; raises NotToBeHad."""
    place = cache / f"mcp-conformance-{VERSION}"
    node_package = f"node-{platform.system().lower()}-{_PROCESSORS.get(platform.machine(), platform.machine())}"
    modules = place / "node_modules"
    referee = Referee(
        node=modules / node_package / "bin" / "node",
        suite=modules / "@modelcontextprotocol" / "conformance" / "dist" / "index.js",
    )
    with alone(cache):
        if not (place / "installed").exists():
            install(place, {"@modelcontextprotocol/conformance": VERSION, node_package: NODE_VERSION})
            (place / "installed").touch()
    return referee


@contextmanager
def alone(cache: Path) -> Iterator[None]:
    """Let only one thread of one process install at a time: two at once leave half a package each."""
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "installing.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


_PROCESSORS = {"x86_64": "x64", "aarch64": "arm64"}


def install(place: Path, wanted: Mapping[str, str]) -> None:
    """Install npm packages into a folder; raises NotToBeHad."""
    place.mkdir(parents=True, exist_ok=True)
    (place / "package.json").write_text(json.dumps({"private": True, "dependencies": dict(wanted)}), encoding="utf-8")
    command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"]
    try:
        ran = subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as away:
        raise NotToBeHad(f"npm is not here, or too slow: {away}") from away
    if ran.returncode:
        raise NotToBeHad(f"npm cannot install {' '.join(wanted)}: {ran.stderr.strip()[-300:]}")
