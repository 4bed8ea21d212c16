"""The shell helper: a command runs as ever, and the server knows how it ended."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection

from toolbox.models import ApiKey

RUN = Path(settings.BASE_DIR) / "editors" / "shell" / "toolroom-run"
KEY = "tr_fay_runs_commands_and_pushes_their_tails_"
needs_curl = pytest.mark.skipif(shutil.which("curl") is None, reason="no curl here: the shell helper is not tested")
FAILS = "printf 'caf\\303\\251 \"quoted\" \\\\\\\\ \\t\\033[31mred\\033[0m\\n\\377'; echo API_KEY=s3cret >&2; exit 3"


def _run(command: str, *, url: str, key: str = KEY, home: Path) -> "subprocess.CompletedProcess[str]":
    known = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "TOOLROOM_URL": url,
        "TOOLROOM_KEY": key,
        "LC_ALL": "C.UTF-8",
    }
    return subprocess.run([str(RUN), "sh", "-c", command], capture_output=True, env=known, check=False, timeout=60,
                          encoding="utf-8", errors="replace")  # fmt: skip


@pytest.fixture(scope="module")
def fay(server: str, django_db_blocker: Any) -> Iterator[str]:
    """Yield the server's address; fay and her key are gone afterwards."""
    with django_db_blocker.unblock():
        owner = User.objects.create_user("fay")
        ApiKey.make(name="fay", owner_id=owner.pk, scopes=["devassist:read", "devassist:write"], key=KEY)
        # The first call loads much, and the helper waits five seconds.
        httpx.delete(f"{server}/api/devassist/editor-context", headers={"Authorization": f"Bearer {KEY}"}, timeout=60)
        yield server
        owner.delete()
        connection.close()


@needs_curl
def test_the_end_of_a_failed_command_is_told(fay: str, tmp_path: Path) -> None:
    done = _run(FAILS, url=fay, home=tmp_path)

    told = httpx.post(
        f"{fay}/api/tools/devassist/get_user_error_context",
        json={"captureTerminal": True},
        headers={"Authorization": f"Bearer {KEY}"},
    ).json()["data"]
    assert (done.returncode, done.stderr) == (3, "")
    assert "API_KEY=s3cret" in done.stdout  # the person sees what was printed
    lines = told["terminalOutput"].split("\n")
    assert lines[0].startswith("$ sh -c printf")
    assert lines[-4:] == ['café "quoted" \\\\ \tred', "API_KEY=[redacted]", "", "[exit status 3]"]
    assert "s3cret" not in told["terminalOutput"]


@needs_curl
def test_where_nothing_can_be_told_the_command_s_status_stays(tmp_path: Path) -> None:
    away = _run("exit 5", url="http://127.0.0.1:9", home=tmp_path)
    clear = _run("exit 6", url="http://tools.example.org", home=tmp_path)
    keyless = _run("true", url="http://127.0.0.1:9", key="", home=tmp_path)

    assert (away.returncode, clear.returncode, keyless.returncode) == (5, 6, 0)
    assert "not told" in away.stderr
    assert "https" in clear.stderr
    assert "no key" in keyless.stderr
    assert KEY not in away.stderr + clear.stderr


def _shell(script: str, *, home: Path) -> str:
    """Run a script whose `run` is the helper, without a server; returns what it wrote to `log`."""
    known = {"PATH": os.environ["PATH"], "HOME": str(home), "TOOLROOM_URL": "http://127.0.0.1:9", "TOOLROOM_KEY": KEY,
             "RUN": str(RUN)}  # fmt: skip
    script = f'run() {{ "$RUN" "$@" 2>>errors; }}; {script}'
    subprocess.run(["bash", "-c", script], cwd=home, env=known, check=True, timeout=60)
    return (home / "log").read_text()


@needs_curl
def test_output_is_appended_to_a_log(tmp_path: Path) -> None:
    script = "echo before >log; run echo one >>log; run echo two >>log; echo after >>log"

    assert _shell(script, home=tmp_path) == "before\none\ntwo\nafter\n"


@needs_curl
def test_what_stands_around_it_in_a_group_stays(tmp_path: Path) -> None:
    script = "{ echo header; run sh -c 'echo out; echo err >&2'; echo footer; } >log"

    assert _shell(script, home=tmp_path) == "header\nout\nerr\nfooter\n"


@needs_curl
def test_a_child_in_the_background_is_not_waited_for_and_goes_on_printing(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "gate")
    os.mkfifo(tmp_path / "end")
    command = "(read line <gate; echo $line; echo closed >end) & echo early"

    printed = _shell(f"run sh -c '{command}' >log; cp log first; echo late >gate; read line <end;"
                     " until grep -q late log; do :; done", home=tmp_path)  # fmt: skip

    assert (tmp_path / "first").read_text() == "early\n"
    assert printed == "early\nlate\n"


@needs_curl
def test_a_long_output_is_passed_on_whole(tmp_path: Path) -> None:
    printed = _shell("run seq 1 200000 >log", home=tmp_path)

    assert printed == "".join(f"{number}\n" for number in range(1, 200_001))


COLOURS = b"\x1b[38;5;196m\x1b[1m\x1b[0m"
BINARY = {
    "every byte": bytes(range(256)) * 40,
    "no text at all": bytes([0, 255, 254, 128, 192, 237, 160, 128, 244, 144, 128, 128, 251, 191, 191, 191, 191]) * 500,
    "megabytes without a newline": b"x\0\xff\xc3" * 2_500_000,
    "colours": COLOURS * 4_000,
    "quotes and backslashes": b'"\\\t' * 40_000,
    "progress in one line": b"".join(b"\r%d%% \xe2\x96\x88" % (number % 100) for number in range(20_000)),
}


@needs_curl
@pytest.mark.slow
@pytest.mark.parametrize("printed", BINARY.values(), ids=BINARY)
def test_what_is_no_text_is_passed_on_whole_and_the_rest_is_told(fay: str, tmp_path: Path, printed: bytes) -> None:
    (tmp_path / "printed").write_bytes(printed)
    known = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TOOLROOM_URL": fay, "TOOLROOM_KEY": KEY}
    command = "cat printed; echo; echo 'it failed: caf\u00e9'; exit 7"

    done = subprocess.run([str(RUN), "sh", "-c", command], cwd=tmp_path, capture_output=True, env=known, check=False,
                          timeout=60)  # fmt: skip

    assert (done.returncode, done.stderr) == (7, b"")
    assert done.stdout == printed + "\nit failed: caf\u00e9\n".encode()
    told = httpx.post(
        f"{fay}/api/tools/devassist/get_user_error_context",
        json={"captureTerminal": True},
        headers={"Authorization": f"Bearer {KEY}"},
    ).json()["data"]["terminalOutput"]
    assert told.split("\n")[-3:] == ["it failed: caf\u00e9", "", "[exit status 7]"]
    assert told.isprintable() or set(filter(lambda sign: not sign.isprintable(), told)) <= {"\n", "\t"}


@needs_curl
def test_a_command_line_of_many_kilobytes_is_cut(fay: str, tmp_path: Path) -> None:
    done = _run("true '" + "\x1b" * 60_000 + "'", url=fay, home=tmp_path)

    assert (done.returncode, done.stderr) == (0, "")
