"""`manage.py check --deploy` on the settings: clean with TOOLROOM_HTTPS, and naming what is missing without."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SETTINGS = """
import json, sys, django
django.setup()
from django.core.checks import run_checks
from django.conf import settings
from toolbox.http.headers import SECURITY_LINES
found = [one for one in run_checks(tags=["security", "config", "compatibility"], include_deployment_checks=True)
         if not one.is_silenced()]
print(json.dumps({"ids": sorted({one.id for one in found if not one.id.startswith("toolbox.")}),
    "hints": [one.hint for one in found], "lines": [str(line) for line in SECURITY_LINES]}))
"""


def _check(**environment: str) -> dict[str, list[str]]:
    whole = os.environ | {"SECRET_KEY": "k" + "4b9x" * 20, "DJANGO_SETTINGS_MODULE": "config.settings"} | environment
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SETTINGS],
        cwd=ROOT,
        env=whole,
        capture_output=True,
        check=True,
        text=True,
    )
    answer: dict[str, list[str]] = json.loads(ran.stdout)
    return answer


@pytest.mark.slow
def test_with_https_on_it_is_clean_and_every_answer_says_hsts() -> None:
    found = _check(TOOLROOM_HTTPS="1", TOOLROOM_URL="https://tools.example.org")

    assert found["ids"] == []
    assert any("strict-transport-security" in line and "max-age=3600" in line for line in found["lines"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environment", "id_", "hint"),
    [
        ({"TOOLROOM_HTTPS": "0"}, "config.W001", "TOOLROOM_HTTPS=1"),
        ({"TOOLROOM_HTTPS": "1", "TOOLROOM_URL": "http://tools.example.org"}, "config.W002", "https:// address"),
        ({"TOOLROOM_HTTPS": "1", "TOOLROOM_HSTS_SECONDS": "0"}, "security.W004", ""),
    ],
)
def test_it_names_what_is_missing(environment: dict[str, str], id_: str, hint: str) -> None:
    found = _check(**environment)

    assert id_ in found["ids"]
    assert any(hint in (one or "") for one in found["hints"])
