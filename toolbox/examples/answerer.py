"""The answerer of a domain's curated examples: finds a question's example, plans its calls and words their answers."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from toolbox.contract.answerer import AnswerText, Choice, Interpretation, PlannedCall
from toolbox.contract.slots import Candidate
from toolbox.contract.tool import Tool
from toolbox.examples.cache import KnownExample, find_examples_for_tools, find_slots, load_sample_texts
from toolbox.examples.matching import MIN_SCORE, ExampleMatch, NotCovered, Unclear, Weights, match
from toolbox.examples.templates import CannotFill, fill_question, make_arguments, render_answer
from toolbox.text.names import words

MAX_CHOICES = 8
MIN_EXACT = 0.95
ASKING_SAMPLES = 2
_PRONOUNS = frozenset(word.plain for word in words("he her him his it its she their them they"))
_TIME = re.compile(r"\d{4}-\d\d")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_ELLIPTICAL = frozenset(
    word.plain
    for word in words(
        "a about against also and at but by during for from how if in instead now of on only or same than that the "
        "then this until versus vs was what with"
    )
)
"""Words of an elliptical question, which says only what differs from the previous one: "and in February?"."""


async def make_answerers(
    tools: Sequence[Tool], *, exact: Collection[str] = (), drafts: Sequence[KnownExample] = ()
) -> list["ExamplesAnswerer"]:
    """
    Return an answerer for each domain that has examples for these tools; queries the examples.

    In the domains of `exact`, which have a better answerer of their own, only an example's own words find it. `drafts`
    are used like stored examples.
    """
    examples = [*await find_examples_for_tools(tool.name for tool in tools), *drafts]
    weights = Weights(examples)
    domains = dict.fromkeys(example.domain for example in examples)
    return [
        ExamplesAnswerer(
            domain, examples=[one for one in examples if one.domain == domain], weights=weights,
            min_score=MIN_EXACT if domain in exact else MIN_SCORE,
        )
        for domain in domains
    ]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What a question was about: its example and the values of its placeholders."""

    example: KnownExample
    values: Mapping[str, Candidate]


class ExamplesAnswerer:
    """Answers from one domain's examples; words are weighted over the examples of all domains."""

    def __init__(self, domain: str, *, examples: Sequence[KnownExample], weights: Weights, min_score: float) -> None:
        self.domain = domain
        self._min_score = min_score
        self._examples = examples
        self._weights = weights

    @property
    def tools(self) -> frozenset[str]:
        """Return the names of the tools that the examples call."""
        return frozenset(name for example in self._examples for name in example.tools)

    async def read(self, question: str, *, before: Interpretation | None = None) -> Interpretation:
        """Find the question's example, or the previous question's example with the values that this one changes."""
        if before is not None:
            changed = await self._read_follow_up(question, before=before)
            if changed is not None:
                return replace(changed, leans=True)
        return await self._read_alone(question)

    def word(self, reading: Interpretation, *, answers: Sequence[Any]) -> AnswerText | PlannedCall:
        """Word the answers by the example's template, or return its next call; raises CannotFill."""
        example, values = reading.subject.example, reading.subject.values
        if len(answers) < len(example.tools):
            return _plan_call(reading.subject, answers=answers)
        return AnswerText(text=render_answer(example.answer, answers=answers, values=values))

    async def _read_alone(self, question: str) -> Interpretation:
        outcome = await match(question, examples=self._examples, weights=self._weights)
        if not isinstance(outcome, NotCovered) and await self._lacks_subject(question, outcome=outcome):
            return Interpretation(domain=self.domain, state="not_covered", question=question)
        if outcome.score < self._min_score and self._min_score > MIN_SCORE:
            return Interpretation(domain=self.domain, state="not_covered", question=question)
        if isinstance(outcome, NotCovered):
            nearest = [await render_question(example) for example in outcome.nearest]
            why = f"The word '{outcome.dropped}' would be ignored." if outcome.dropped else ""
            return Interpretation(
                domain=self.domain, state="not_covered", question=question, score=outcome.score, nearest=tuple(nearest),
                clarification=why,
            )  # fmt: skip
        if isinstance(outcome, Unclear):
            return await self._ask_back(question, outcome=outcome)
        return self._cover(question, outcome=outcome)

    async def _lacks_subject(self, question: str, *, outcome: ExampleMatch | Unclear) -> bool:
        """Return whether a question takes its subject from the previous one: by a pronoun, or by leaving it out."""
        if any(word.plain in _PRONOUNS for word in words(question)):
            return True
        mentions = await self._find_mentions(question)
        is_whole = isinstance(outcome, ExampleMatch) and all(one.end for one in outcome.values.values())
        return not is_whole and _is_elliptical(question, mentions=mentions)

    def _cover(self, question: str, *, outcome: ExampleMatch) -> Interpretation:
        subject = Subject(example=outcome.example, values=outcome.values)
        try:
            call = _plan_call(subject, answers=[])
        except CannotFill as cannot:
            reason = f"It is the question '{outcome.example.question}', but {cannot}."
            return Interpretation(
                domain=self.domain, state="not_covered", question=question, score=outcome.score, clarification=reason
            )
        return Interpretation(
            domain=self.domain, state="covered", question=question, score=outcome.score,
            understood=_write_question(outcome.example, values=outcome.values), call=call, subject=subject,
            names=tuple(one.label for one in outcome.values.values() if one.end and not _TIME.match(one.value)),
            period=next((one.label for one in outcome.values.values() if one.end and _TIME.match(one.value)), ""),
        )  # fmt: skip

    async def _ask_back(self, question: str, *, outcome: Unclear) -> Interpretation:
        asked = f"Which {outcome.slot.noun} do you mean?"
        named = [one.label for one in outcome.candidates]
        if not named:
            named = [text for text in await outcome.slot.samples() if text][:ASKING_SAMPLES]
            asked = f"Which {outcome.slot.noun} do you mean, for example {' or '.join(named)}?" if named else asked
        choices = _write_choices(outcome, labels=dict.fromkeys(named))
        if outcome.candidates:
            listed = ", ".join(dict.fromkeys(named[:MAX_CHOICES])) + (", …" if len(named) > MAX_CHOICES else "")
            asked = f"Which {outcome.slot.noun} do you mean: {listed}?"
        return Interpretation(
            domain=self.domain, state="unclear", question=question, score=outcome.score, clarification=asked,
            choices=choices, subject=Subject(example=outcome.example, values=outcome.values),
        )  # fmt: skip

    async def _read_follow_up(self, question: str, *, before: Interpretation) -> Interpretation | None:
        """Read a question that depends on the previous one; None if it does not."""
        if before.state == "unclear":
            joined = await self._read_alone(f"{before.question}\n{question}")
            alone = await self._read_alone(question)
            is_reply = joined.state != "not_covered" and alone.state != "covered"
            return joined if is_reply and joined.clarification != before.clarification else None
        if not isinstance(before.subject, Subject):
            return None
        mentions = await self._find_mentions(question)
        if not mentions or not _is_elliptical(question, mentions=mentions):
            return None
        slots = [placeholder.slot for placeholder in before.subject.example.placeholders]
        if all(slots.count(name) == 1 for name in mentions):
            return await self._replace_values(question, before=before.subject, mentions=mentions)
        readings = [
            await self._read_alone(text) for text in _substitute(before.subject, text=question, mentions=mentions)
        ]
        readings = [one for one in readings if one.state != "not_covered"]
        return max(readings, key=lambda one: (one.state == "covered", one.score), default=None)

    async def _replace_values(
        self, question: str, *, before: Subject, mentions: Mapping[str, Sequence[Candidate]]
    ) -> Interpretation:
        """Ask the previous question's example with other values; a name without a year keeps the year."""
        values = dict(before.values)
        for placeholder in before.example.placeholders:
            if placeholder.slot not in mentions:
                continue
            candidates = mentions[placeholder.slot]
            if len(candidates) > 1:
                candidates = _keep_year(candidates, before=values.pop(placeholder.name)) or candidates
            if len(candidates) > 1:
                slot = find_slots(self.domain)[placeholder.slot]
                unclear = Unclear(
                    example=before.example,
                    slot=slot,
                    candidates=candidates,
                    placeholder=placeholder.name,
                    values=values,
                )
                return await self._ask_back(question, outcome=unclear)
            values[placeholder.name] = candidates[0]
        return self._cover(question, outcome=ExampleMatch(example=before.example, values=values))

    async def _find_mentions(self, question: str) -> dict[str, list[Candidate]]:
        """Return what a question names by slot: the readings of the first mention; the longer of overlapping ones."""
        found = [
            (slot.name, candidate)
            for slot in find_slots(self.domain).values() if slot.resolve
            for candidate in await slot.resolve(question)
        ]  # fmt: skip
        kept: dict[tuple[int, int], tuple[str, list[Candidate]]] = {}
        for name, one in sorted(found, key=lambda pair: pair[1].start - pair[1].end):
            place = (one.start, one.end)
            if place in kept and kept[place][0] == name:
                kept[place][1].append(one)
            elif all(one.end <= first or last <= one.start for first, last in kept):
                kept[place] = (name, [one])
        return {name: candidates for _, (name, candidates) in sorted(kept.items(), reverse=True)}


def _plan_call(subject: Subject, *, answers: Sequence[Any]) -> PlannedCall:
    """Return the call that follows these answers; raises CannotFill."""
    arguments = make_arguments(subject.example, answers=answers, values=subject.values)
    return PlannedCall(tool=subject.example.tools[len(answers)], arguments=arguments)


def _write_question(example: KnownExample, *, values: Mapping[str, Candidate]) -> str:
    return fill_question(example.question, samples={name: one.label for name, one in values.items()})


def _write_choices(outcome: Unclear, *, labels: Mapping[str, None]) -> tuple[Choice, ...]:
    """Return the whole question for each label; none if another placeholder is unclear too."""
    known = {name: one.label for name, one in outcome.values.items()}
    if {one.name for one in outcome.example.placeholders} - known.keys() != {outcome.placeholder}:
        return ()
    return tuple(
        Choice(
            label=label, question=fill_question(outcome.example.question, samples=known | {outcome.placeholder: label})
        )
        for label in list(labels)[:MAX_CHOICES]
    )


def _is_elliptical(question: str, *, mentions: Mapping[str, Sequence[Candidate]]) -> bool:
    """Return whether a question has only names and words that connect them to the previous question."""
    places = [(candidates[0].start, candidates[0].end) for candidates in mentions.values()]
    rest = [word for word in words(question) if all(word.end <= start or end <= word.start for start, end in places)]
    return all(word.plain in _ELLIPTICAL for word in rest)


def _substitute(subject: Subject, *, text: str, mentions: Mapping[str, Sequence[Candidate]]) -> Iterator[str]:
    """Yield the previous question with other names: in the same slot, or else in any one place."""
    labels = {name: one.label for name, one in subject.values.items()}
    left = {name: text[candidates[0].start : candidates[0].end] for name, candidates in mentions.items()}
    free: list[str] = []
    for placeholder in subject.example.placeholders:
        if placeholder.slot in left:
            labels[placeholder.name] = left.pop(placeholder.slot)
        else:
            free.append(placeholder.name)
    if len(left) == 1:
        (said,) = left.values()
        for name in free:
            yield fill_question(subject.example.question, samples=labels | {name: said})


def _keep_year(candidates: Sequence[Candidate], *, before: Candidate) -> list[Candidate]:
    """Keep the readings with the year of the value that they replace."""
    years = set(_YEAR.findall(before.label))
    return [one for one in candidates if years & set(_YEAR.findall(one.label))]


async def render_question(example: KnownExample) -> str:
    """Return an example's question with real names in its slots."""
    return fill_question(example.question, samples=await load_sample_texts(example))
