"""`.env.example` names every variable, and none that does not exist."""

import re
from pathlib import Path

from django.conf import settings

from config.environment import Environment

PREFIX_OF_SECRETS = "GRAPHQL_SECRET_"


def test_every_variable_is_listed_and_no_other() -> None:
    example = Path(settings.BASE_DIR, ".env.example").read_text(encoding="utf-8")
    listed = set(re.findall(r"\b([A-Z][A-Z0-9_]+)=", example))

    known = {name.upper() for name in Environment.model_fields}

    assert {name for name in listed if not name.startswith(PREFIX_OF_SECRETS)} == known
