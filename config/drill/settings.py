"""Settings of the processes that a drill starts: the usual ones, its tools, and a queue of its own."""

from config import settings as _usual
from config.settings import *  # noqa: F403 - all of them

INSTALLED_APPS = [*_usual.INSTALLED_APPS, "config.drill"]
CELERY_TASK_DEFAULT_QUEUE = "toolroom-drill"
