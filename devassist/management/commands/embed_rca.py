"""Embed root causes whose text or model changed: `manage.py embed_rca`. Workers do the same in the background."""

from typing import Any

from django.core.management.base import CommandError

from devassist.root_causes.endpoint_load import embed_by_endpoint
from devassist.root_causes.load import embed_waiting
from toolbox.database.command import DatabaseCommand
from toolbox.embedding.failures import EmbeddingFailed


class Command(DatabaseCommand):
    """Embed root causes."""

    help = "Embed past root causes whose text or model changed since."

    def handle(self, *args: Any, **options: Any) -> None:
        """Embed, and print how many."""
        try:
            self.stdout.write(f"{embed_waiting():,} root causes embedded")
            embed_by_endpoint(on_progress=lambda model: self.stdout.write(str(model)))
        except EmbeddingFailed as error:
            raise CommandError(str(error)) from error
