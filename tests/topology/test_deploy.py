"""The files of deploy/ agree with the settings, with Procfile and with each other. Nothing is started."""

import configparser
import re
import shlex
import subprocess
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings

from config.environment import Environment
from config.observability.health_middleware import _ADDRESSES

ROOT = Path(settings.BASE_DIR)
DEPLOY = ROOT / "deploy"
LIVENESS = "/healthz"
OF_UVICORN = {"FORWARDED_ALLOW_IPS"}
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = {name: service for name, service in SERVICES.items() if service["image"].startswith("toolroom")}
CONTAINERFILE = (DEPLOY / "Containerfile").read_text(encoding="utf-8")


def words_of_procfile(process: str) -> list[str]:
    """Return the words of a Procfile's command, variables with their defaults."""
    line = next(line for line in (ROOT / "Procfile").read_text().splitlines() if line.startswith(f"{process}:"))
    command = re.sub(r"\$\{\w+:-(\w+)\}", r"\1", line.partition(": ")[2])
    return shlex.split(command.replace(".venv/bin/", ""))


def read_variables(path: Path) -> set[str]:
    """Return the variables that an example file names."""
    return set(re.findall(r"^(?:# )?([A-Z][A-Z0-9_]+)=", path.read_text(encoding="utf-8"), re.MULTILINE))


def test_all_parts_are_there() -> None:
    assert set(SERVICES) == {
        "web-1", "web-2", "worker-1", "worker-2", "migrate", "postgres", "replica", "pgbouncer", "valkey", "caddy",
    }  # fmt: skip


@pytest.mark.parametrize("name", OURS)
def test_every_variable_of_a_service_is_a_setting(name: str) -> None:
    known = {field.upper() for field in Environment.model_fields} | OF_UVICORN

    assert set(OURS[name]["environment"]) - known == set()


def test_every_variable_that_compose_reads_is_in_its_example() -> None:
    read = set(re.findall(r"\$\{([A-Z_]+)", (DEPLOY / "compose.yaml").read_text(encoding="utf-8")))
    read |= set(re.findall(r"\{\$([A-Z_]+)\}", (DEPLOY / "Caddyfile").read_text(encoding="utf-8")))

    assert read == read_variables(DEPLOY / "env.example")


@pytest.mark.parametrize("name", OURS)
def test_a_service_cannot_write_its_root_and_is_nobody_in_particular(name: str) -> None:
    service = OURS[name]

    assert (service["read_only"], service["user"], service["cap_drop"]) == (True, "10001:10001", ["ALL"])


def test_the_image_runs_what_procfile_runs() -> None:
    [command] = re.findall(r"^CMD (\[.*\])$", CONTAINERFILE, re.MULTILINE)
    web = words_of_procfile("web")
    del web[web.index("--workers") : web.index("--workers") + 2]  # one process in each container

    assert yaml.safe_load(command) == web
    assert SERVICES["worker-1"]["command"] == words_of_procfile("worker")


def test_health_is_asked_where_it_is_answered() -> None:
    places = (CONTAINERFILE, (DEPLOY / "Caddyfile").read_text(), str(SERVICES["web-1"]["healthcheck"]["test"]))

    assert LIVENESS in _ADDRESSES
    assert all(LIVENESS in place for place in places)
    assert all(name in (DEPLOY / "Caddyfile").read_text() for name in ("web-1:8000", "web-2:8000"))


def test_the_image_is_not_root() -> None:
    assert re.findall(r"^USER (.*)$", CONTAINERFILE, re.MULTILINE) == ["10001:10001"]


@pytest.mark.parametrize(
    "path",
    [
        ".env", ".env.local", "deploy/.env", "config/.env", ".git/config", "var/secret_key", ".venv/bin/python",
        "tests/conftest.py", "toolbox/__pycache__/apps.pyc",
    ],
)  # fmt: skip
def test_no_secret_and_no_history_is_copied_into_the_image(path: str) -> None:
    """Docker reads `.dockerignore` alone; podman and buildah read it where there is no `.containerignore`."""
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    patterns = [line for line in lines if line and not line.startswith("#")]
    folders = [Path(path), *Path(path).parents]

    assert not (ROOT / ".containerignore").exists()
    assert any(is_ignored(folder, pattern=pattern) for folder in folders for pattern in patterns)


def is_ignored(path: Path, *, pattern: str) -> bool:
    """Match as Docker does: from the root, unless a pattern begins with `**/`."""
    if pattern.startswith("**/"):
        return fnmatchcase(path.name, pattern[3:])
    return fnmatchcase(str(path), pattern)


def test_what_the_code_needs_is_copied_into_the_image() -> None:
    ignored = (ROOT / ".dockerignore").read_text().splitlines()

    assert {"config", "toolbox", "manage.py", "requirements.txt"} & set(ignored) == set()


def test_the_replica_has_the_settings_of_the_primary() -> None:
    """A standby whose max_connections is below the primary's does not start."""
    assert SERVICES["replica"]["command"] == SERVICES["postgres"]["command"]
    assert SERVICES["replica"]["entrypoint"] == ["/start_replica.sh"]


PROGRAMS = {
    "pg_basebackup": """
while [ "$1" != --pgdata ]; do shift; done
mkdir -p "$2" && echo 18 > "$2/PG_VERSION"
echo copied >> "$LOG"
if [ ! -e "$LOG.cut" ]; then touch "$LOG.cut"; kill -9 $PPID; fi
touch "$2/whole"
""",
    "postgres": 'ls "$PGDATA" >> "$LOG"; echo "$@" >> "$LOG"\n',
}


def test_a_replica_whose_copy_was_interrupted_copies_again(tmp_path: Path) -> None:
    for name, script in PROGRAMS.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}")
        (tmp_path / name).chmod(0o755)
    log = tmp_path / "log"
    usual = {"PATH": f"{tmp_path}:/usr/bin:/bin", "PGDATA": str(tmp_path / "18" / "docker"), "LOG": str(log)}
    command = ["sh", str(DEPLOY / "postgres" / "start_replica.sh"), "postgres", "-c", "max_connections=300"]

    codes = [subprocess.run(command, env=usual, capture_output=True, check=False).returncode for _ in range(3)]

    options = "-c max_connections=300 -c hot_standby=on -c hot_standby_feedback=on -c listen_addresses=*"
    started = ["PG_VERSION", "whole", options]
    assert codes == [-9, 0, 0]
    assert log.read_text().splitlines() == ["copied", "copied", *started, *started]


def test_what_is_mounted_exists_and_scripts_can_run() -> None:
    mounted = [
        DEPLOY / volume.partition(":")[0]
        for service in SERVICES.values()
        for volume in service.get("volumes", [])
        if volume.startswith("./")
    ]

    assert [path for path in mounted if not path.is_file()] == []
    for script in [*DEPLOY.rglob("*.sh")]:
        assert script.stat().st_mode & 0o111, script
        assert subprocess.run(["sh", "-n", str(script)], check=False).returncode == 0, script


def test_every_image_of_a_registry_has_a_stand_in() -> None:
    """Where no registry can be reached, deploy/make_stand_ins.sh makes them, and compose.yaml is tried with them."""
    images = {service["image"] for service in SERVICES.values()} - {service["image"] for service in OURS.values()}
    script = (DEPLOY / "make_stand_ins.sh").read_text(encoding="utf-8")
    made = dict(re.findall(r"^ +\*/(\w+):\*\) target=(\w+) ;;$", script, re.MULTILINE))
    containerfile = (DEPLOY / "stand_ins" / "Containerfile").read_text(encoding="utf-8")

    assert {image.rpartition("/")[2].partition(":")[0] for image in images} == set(made)
    assert {*made.values(), "programs"} == set(re.findall(r"^FROM .* AS (\w+)$", containerfile, re.MULTILINE))


def test_volumes_and_dependencies_name_what_there_is() -> None:
    named = [volume.partition(":")[0] for service in SERVICES.values() for volume in service.get("volumes", [])]
    depended = {name for service in SERVICES.values() for name in service.get("depends_on", [])}

    assert {name for name in named if not name.startswith((".", "/"))} == set(COMPOSE["volumes"])
    assert depended <= set(SERVICES)


def test_the_pooler_keeps_prepared_statements_and_takes_no_startup_options() -> None:
    pooler = configparser.ConfigParser()
    pooler.read(DEPLOY / "pgbouncer" / "pgbouncer.ini")

    assert pooler["pgbouncer"]["pool_mode"] == "transaction"
    assert int(pooler["pgbouncer"]["max_prepared_statements"]) > 0
    assert "options" not in pooler["pgbouncer"]["ignore_startup_parameters"]
    assert SERVICES["pgbouncer"]["profiles"] == ["pooler"]


@pytest.mark.parametrize("name", sorted(OURS.keys() - {"migrate"}))
def test_a_pooler_may_stand_before_the_database_and_listening_goes_past_it(name: str) -> None:
    addresses = {key: value for key, value in OURS[name]["environment"].items() if key.startswith("DATABASE_")}

    assert "${DATABASE_ADDRESS:-postgres:5432}" in addresses["DATABASE_URL"]
    assert "${DATABASE_ADDRESS:-postgres:5432}" in addresses["DATABASE_ANALYST_URL"]
    assert "@postgres:5432/" in addresses["DATABASE_LISTEN_URL"]
