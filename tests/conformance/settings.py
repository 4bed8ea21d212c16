"""The settings of the server under test: ours, and the fixtures of the official suite as one more domain."""

from config.settings import *  # noqa: F403
from config.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "tests.conformance.fixtures.apps.ConformanceConfig"]
