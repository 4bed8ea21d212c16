"""Run every curated example: `manage.py check_examples [domain …]`."""

from argparse import ArgumentParser
from contextlib import suppress
from typing import Any

from django.core.management.base import CommandError

from toolbox.catalogue.dynamic_tools import dynamic_tools
from toolbox.database import event_loop
from toolbox.database.command import DatabaseCommand
from toolbox.embedding.embedder import embedder
from toolbox.embedding.failures import EmbeddingFailed
from toolbox.examples.cache import load_known_examples
from toolbox.examples.checking import CheckResult, check_example


class Command(DatabaseCommand):
    """Fill each example's slots from the data, ask its question, call its tool, and word the answer."""

    help = "Run every enabled example against the data and say which do not work, and why."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the domains."""
        parser.add_argument("domains", nargs="*", help="Only these; all if none is named.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print a line for each example; ends with 1 where any does not work."""
        checked = event_loop.run(_check_examples(options["domains"]))
        for one in checked:
            self._say(one)
        failed = [one for one in checked if one.problem]
        if failed or not checked:
            raise CommandError(
                f"{len(failed)} of {len(checked)} examples do not work" if checked else "no example is there"
            )
        self.stdout.write(f"{len(checked)} examples work")

    def _say(self, one: CheckResult) -> None:
        name = f"{one.example.domain}/{one.example.name}"
        if one.problem:
            self.stderr.write(f"✗ {name}: {one.asked}\n    {one.problem}")
        else:
            self.stdout.write(f"✓ {name}: {one.asked}\n    {one.said.splitlines()[0][:160]}")


async def _check_examples(domains: list[str]) -> list[CheckResult]:
    await dynamic_tools.wait_until_loaded()
    with suppress(EmbeddingFailed):  # an example that needs the model reports it
        await embedder.embed_texts(["a command waits for the model, a caller of a tool would not"])
    examples = await load_known_examples()
    wanted = [example for example in examples if not domains or example.domain in domains]
    return [
        await check_example(example, among=[one for one in examples if one.domain == example.domain])
        for example in wanted
    ]
