"""
Measure tool calls while somebody guesses client secrets: 24 wrong ones at once.

    python -m benchmarks.oauth_load            # some seconds

One web process on a database of its own. A caller sends one REST call after another over a kept connection: first
alone, then from the moment when 24 wrong secrets are sent until the last of them is answered.
"""

import http.client
import json
import os
import statistics
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urlencode

from benchmarks.scratch import scratch_database
from benchmarks.servers import HOST, toolroom_server

GUESSES = 24
CALLS = 200
ROUNDS = 5
"""Six times 24 guesses, the first uncounted, are below the 240 a minute that an address may send."""
CALL = "/api/tools/linescore/query_linescore_data"
ARGUMENTS = {"teamCode": "CAR", "startDate": "2025-02-01", "endDate": "2025-02-28"}


@dataclass(frozen=True, kw_only=True)
class Round:
    """Milliseconds of calls alone and beside the guesses, seconds until the guesses were answered, statuses."""

    alone: list[float]
    beside: list[float]
    guesses_seconds: float
    statuses: Counter[int]


def main() -> None:
    """Measure, and print Markdown."""
    with scratch_database() as scratch:
        os.environ |= scratch.environment | {"DJANGO_SETTINGS_MODULE": "config.settings", "TOOLROOM_LIMITS_URL": ""}
        import django  # noqa: PLC0415 - settings name the scratch database from here on

        django.setup()
        key = _prepare()
        with toolroom_server(environment=scratch.environment) as server:
            client_id = _register(server.port)
            rounds = [_measure(server.port, key=key, client_id=client_id) for _ in range(ROUNDS + 1)]
    _print(rounds[1:])  # the first token request loads the code for it


def _prepare() -> str:
    from django.contrib.auth.models import User  # noqa: PLC0415 - Django must be ready
    from django.core.management import call_command  # noqa: PLC0415
    from django.db import connections  # noqa: PLC0415

    from linescore.ingest.samples import load_samples  # noqa: PLC0415
    from toolbox.models import ApiKey  # noqa: PLC0415

    call_command("migrate", verbosity=0)
    load_samples()
    owner = User.objects.create_user("benchmark")
    key = ApiKey.make(name="benchmark", owner_id=owner.pk, scopes=["linescore:read"])[1]
    connections.close_all()
    return key


def _register(port: int) -> str:
    asked = {"client_name": "benchmark", "redirect_uris": ["http://127.0.0.1:9/callback"]}
    _, body = _post(port, "/oauth/register/", body=json.dumps(asked), kind="application/json")
    return str(json.loads(body)["client_id"])


def _measure(port: int, *, key: str, client_id: str) -> Round:
    kept = http.client.HTTPConnection(HOST, port, timeout=60)
    alone = [_time_call(kept, key=key) for _ in range(CALLS)]
    form = {"grant_type": "refresh_token", "refresh_token": "x", "client_id": client_id, "client_secret": "wrong"}
    with ThreadPoolExecutor(GUESSES) as pool:
        started = time.monotonic()
        guesses = [
            pool.submit(_post, port, "/oauth/token/", body=urlencode(form), kind="application/x-www-form-urlencoded")
            for _ in range(GUESSES)
        ]
        beside = []
        while not all(guess.done() for guess in guesses):
            beside.append(_time_call(kept, key=key))
        seconds = time.monotonic() - started
    kept.close()
    statuses = Counter(guess.result()[0] for guess in guesses)
    return Round(alone=alone, beside=beside, guesses_seconds=seconds, statuses=statuses)


def _time_call(connection: http.client.HTTPConnection, *, key: str) -> float:
    started = time.perf_counter()
    connection.request("POST", CALL, body=json.dumps(ARGUMENTS), headers={"Authorization": f"Bearer {key}"})
    response = connection.getresponse()
    answer = response.read()
    if response.status != HTTPStatus.OK:
        raise RuntimeError(f"{response.status}: {answer[:300]!r}")
    return (time.perf_counter() - started) * 1_000


def _post(port: int, path: str, *, body: str, kind: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(HOST, port, timeout=60)
    connection.request("POST", path, body=body, headers={"Content-Type": kind})
    response = connection.getresponse()
    answer = response.read()
    connection.close()
    return response.status, answer


def _print(rounds: list[Round]) -> None:
    statuses = sum((one.statuses for one in rounds), Counter[int]())
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors; median of {ROUNDS} rounds\n")
    print("| | alone | beside 24 wrong secrets |\n|---|--:|--:|")
    for name, pick in (("median", statistics.median), ("slowest", max)):
        alone, beside = (
            statistics.median(pick(getattr(one, part)) for one in rounds if one.beside) for part in ("alone", "beside")
        )
        print(f"| tool call, {name}, ms | {alone:.1f} | {beside:.1f} |")
    print(f"| all secrets refused after, s | | {statistics.median(one.guesses_seconds for one in rounds):.2f} |")
    print(f"\nAnswers to the secrets: {', '.join(f'{count} x {status}' for status, count in statuses.items())}.")


if __name__ == "__main__":
    main()
