"""Settings of a drill's processes: the usual ones plus the drill's tools and queue."""

import os
from pathlib import Path

from config import settings as _usual
from config.settings import *  # noqa: F403 - all of them

INSTALLED_APPS = [*_usual.INSTALLED_APPS, "config.drill"]
CELERY_TASK_DEFAULT_QUEUE = "toolroom-drill"
TOOLROOM_DRILL_FOLDER = Path(os.environ.get("TOOLROOM_DRILL_FOLDER", _usual.TOOLROOM_VAR / "drill"))
"""The folder of the drill's journal, also for processes of another installation."""
