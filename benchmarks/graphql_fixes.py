"""
Measure whether the first retry works: graphql_proxy's fixes of the shipped mistakes, by server and by rule.

    python -m benchmarks.graphql_fixes                       # a few seconds; no server, no database
    python -m benchmarks.graphql_fixes --show silent wrong   # each mistake of these verdicts, with its hints
    python -m benchmarks.graphql_fixes --schema FILE         # times hints on a schema of yours, such as GitHub's
"""

import argparse
import gc
import os
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django

django.setup()

from graphql import build_ast_schema, build_schema, parse  # noqa: E402

from benchmarks.graphql_mistakes import (  # noqa: E402
    Mistake,
    Verdict,
    find_unnamed,
    judge_offer,
    load_mistakes,
    load_schema,
)
from graphql_proxy.contracts import ErrorLocation, GraphqlError  # noqa: E402
from graphql_proxy.execution.responses import read_errors  # noqa: E402
from graphql_proxy.fixes.advice import Advice, advise  # noqa: E402
from graphql_proxy.fixes.drafts import Draft  # noqa: E402
from graphql_proxy.fixes.matching import find_names  # noqa: E402
from graphql_proxy.schema.search import SchemaIndex  # noqa: E402
from graphql_proxy.schema.store import KnownSchema, freeze_objects  # noqa: E402

TYPES, TIMES = 1_600, 100
VERDICTS: tuple[Verdict, ...] = ("right", "wrong", "silent")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The fix offered for one mistake."""

    mistake: Mistake
    advice: Advice
    verdict: Verdict
    unnamed: list[str]
    suffices: bool


def main() -> None:
    """Print the tables as Markdown."""
    parser = argparse.ArgumentParser(description="What is offered for recorded mistakes.")
    parser.add_argument("--show", nargs="*", default=[], choices=VERDICTS, help="list the mistakes of these verdicts")
    parser.add_argument("--schema", type=Path, help="a schema of 1,600 types to time hints on; else one is made")
    arguments = parser.parse_args()
    outcomes = [judge(mistake) for mistake in load_mistakes()]
    print_tables(outcomes)
    for outcome in outcomes:
        if outcome.verdict in arguments.show:
            show(outcome)
    print_times(arguments.schema)


def judge(mistake: Mistake) -> Outcome:
    """Ask for a fix of one mistake, as for an answer of the upstream, and judge it."""
    known = _known(mistake.schema)
    errors = read_errors(mistake.answer.get("errors") or [])
    draft = Draft(query=mistake.document, variables=mistake.variables or {}, operation_name=mistake.operation_name)
    advice = advise(errors, draft=draft, known=known)
    return Outcome(
        mistake=mistake,
        advice=advice,
        verdict=judge_offer(mistake, advice.retry_with, schema=known.schema),
        unnamed=find_unnamed(mistake, advice.hints),
        suffices=_suffices(mistake, errors),
    )


def _suffices(mistake: Mistake, errors: Iterable[GraphqlError]) -> bool:
    """Return whether the upstream's message names everything that the right document has and the wrong lacks."""
    said = frozenset[str]().union(*(find_names(error) for error in errors))
    before = _words(mistake.document)
    return any(_words(right) - before and _words(right) - before <= said for right in mistake.documents)


def _words(text: str) -> frozenset[str]:
    return find_names(GraphqlError(message=text))


_schemas: dict[str, KnownSchema] = {}


def _known(name: str) -> KnownSchema:
    if name not in _schemas:
        schema = load_schema(name)
        _schemas[name] = KnownSchema(schema=schema, index=SchemaIndex.from_schema(schema), version=1)
    return _schemas[name]


def print_tables(outcomes: list[Outcome]) -> None:
    """Print the whole, then by server and by rule."""
    wanted = [one for one in outcomes if one.mistake.is_required]
    right = sum(one.verdict == "right" for one in wanted)
    wrong = sum(one.verdict == "wrong" for one in outcomes)
    share = sum(one.suffices for one in wanted)
    print("## Does the first retry run?\n")
    print(f"{right} of {len(wanted)} mistakes with one fix ({right / max(len(wanted), 1):.0%}); {wrong} wrong offers ")
    print(f"among all {len(outcomes)}. The upstream's own words name the fix for {share} ({share / len(wanted):.0%}).")
    print(f"Hints that leave out a name: {sum(bool(one.unnamed) for one in outcomes)}.\n")
    _print_groups("server", outcomes, key=lambda one: one.mistake.server)
    _print_groups("rule", outcomes, key=lambda one: one.mistake.rule)


def _print_groups(title: str, outcomes: list[Outcome], *, key: Callable[[Outcome], str]) -> None:
    groups: dict[str, Counter[str]] = defaultdict(Counter)
    for one in outcomes:
        groups[key(one)][one.verdict] += 1
    print(f"| {title} | right | wrong | silent |\n|---|---|---|---|")
    for name, counts in sorted(groups.items()):
        print(f"| {name} | {' | '.join(str(counts[verdict]) for verdict in VERDICTS)} |")
    print()


def show(outcome: Outcome) -> None:
    """Print one mistake with the offered fix."""
    mistake = outcome.mistake
    print(f"### {mistake.id} {mistake.server} {mistake.rule}: {outcome.verdict}\n")
    print(f"    asked    {mistake.document} {mistake.variables or ''}")
    print(f"    answered {str(mistake.answer)[:300]}")
    print(f"    wanted   {mistake.documents}")
    print(f"    offered  {outcome.advice.retry_with}")
    for hint in outcome.advice.hints:
        print(f"    hint     {hint[:300]}")
    print(f"    unnamed  {outcome.unnamed}\n")


def print_times(path: Path | None) -> None:
    """Print the CPU time of hints on a large schema."""
    text = path.read_text() if path else _large_schema()
    schema = build_ast_schema(parse(text, no_location=True), assume_valid=True, assume_valid_sdl=True)
    known = KnownSchema(schema=schema, index=SchemaIndex.from_schema(schema), version=1)
    root = next(iter(schema.query_type.fields if schema.query_type else ()))
    draft = Draft(query=f"{{ {root[:-1]}x {{ nmae titel }} }}")
    errors = [GraphqlError(message="refused", locations=[ErrorLocation(line=1, column=3)])]
    collector = _CollectorClock()
    gc.callbacks.append(collector)
    taken = [_time(lambda: advise(errors, draft=draft, known=known)) for _ in range(TIMES)]
    before = collector.collect()
    freeze_objects()
    after = collector.collect()
    gc.callbacks.remove(collector)
    count = sum(not name.startswith("__") for name in schema.type_map)
    print(
        f"Hint at {count:,} types: {statistics.median(taken):.1f} ms CPU; the first {taken[0]:.1f} ms, the slowest of "
        f"{TIMES} {max(taken):.1f} ms. A full garbage collection: {before:.1f} ms CPU, and {after:.1f} ms once "
        "the schema is frozen, as the server does after parsing it."
    )


class _CollectorClock:
    """How long a full garbage collection takes in ms of CPU time; it scans all objects of a large schema."""

    def __init__(self) -> None:
        self._last = 0.0
        self._started = 0.0

    def __call__(self, phase: str, _: object) -> None:
        if phase == "start":
            self._started = time.process_time()
        else:
            self._last = (time.process_time() - self._started) * 1_000

    def collect(self) -> float:
        """Collect once, and return how long it took."""
        gc.collect()
        return self._last


def _time(work: Callable[[], Any]) -> float:
    started = time.process_time()
    work()
    return (time.process_time() - started) * 1_000


def _large_schema() -> str:
    """Write a schema of 1,600 types, each with twenty fields."""
    fields = " ".join(f"field{number}: String" for number in range(18))
    types = "\n".join(f"type Kind{n} {{ name: String next: Kind{(n + 1) % TYPES} {fields} }}" for n in range(TYPES - 1))
    queries = " ".join(f"kind{number}: Kind{number}" for number in range(300))
    text = f"type Query {{ {queries} }}\n{types}".replace(f"Kind{TYPES - 1} ", "Kind0 ")
    build_schema(text)
    return text


if __name__ == "__main__":
    main()
