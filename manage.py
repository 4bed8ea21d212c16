#!/usr/bin/env python
"""Toolroom's command line."""

import gc
import os
import sys


def main() -> None:
    """Hand the arguments to Django."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    gc.set_threshold(50_000)  # at 700, a quarter of the start went into collections that find nothing
    try:
        from django.core.management import execute_from_command_line
    except ImportError as missing:
        raise SystemExit(
            "Django is not installed in this Python. Run the first command of the README, "
            "then use .venv/bin/python manage.py"
        ) from missing
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
