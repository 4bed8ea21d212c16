"""Celery, wired but without work yet: jobs come with the domains that need them."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("toolroom")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
