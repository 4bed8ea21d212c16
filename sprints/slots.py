"""Slots of question patterns on sprints: teams, found as in name resolution."""

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING

from toolbox.contract.slots import Candidate, Slot
from toolbox.database.pools import reader

if TYPE_CHECKING:
    from sprints.linking.names import Name

SPELLING_SCORE = 0.85
_SOME_DAY = date(2000, 1, 1)


async def _find_teams(text: str) -> Sequence[Candidate]:
    """Return every team by its id, which is safe in SQL whatever its name."""
    from sprints.linking.link import link  # noqa: PLC0415 - loaded by the first question
    from sprints.linking.name_cache import load_name_index  # noqa: PLC0415

    linked = link(text, index=await load_name_index(reader=reader), today=_SOME_DAY)  # days are not looked for
    return [
        Candidate(
            value=name.value, label=_label(name), start=one.start, end=one.end,
            score=1.0 if one.is_exact else SPELLING_SCORE,
        )
        for one in linked.spotted if one.kind == "team" for name in one.names
    ]  # fmt: skip


async def _list_samples() -> list[str]:
    from sprints.linking.name_cache import load_name_index  # noqa: PLC0415 - loaded by the first question

    index = await load_name_index(reader=reader)
    return [_label(name) for name in sorted(index.of_kind("team"), key=lambda name: name.text)[:2]]


def _label(name: "Name") -> str:
    return name.aliases[0] if name.aliases else name.text


SLOTS = (Slot(name="team", noun="team", resolve=_find_teams, samples=_list_samples),)
