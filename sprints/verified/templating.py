"""A question and its SQL with slots in place of the names in them. Pure."""

import re
from datetime import date

from sprints.linking.link import Linked, link
from sprints.linking.names import NameIndex
from sprints.sql_sandbox.literals import quote_literal
from sprints.verified.slots import NAMED


def templated(question: str, *, sql: str, index: NameIndex, today: date) -> tuple[str, str]:
    """Put slots where the question names something, and where the SQL lists exactly the rows that it names."""
    linked = link(question, index=index, today=today)
    text = linked.text
    for start, end, slot in sorted(_stretches(linked), reverse=True):
        text = f"{text[:start]}{{{slot}}}{text[end:]}"
    for slot in NAMED:
        values = [name.value for name in linked.of_kind(slot)]
        if values:
            listed = f"({', '.join(quote_literal(value) for value in values)})"
            sql = sql.replace(f"IN {listed}", f"IN {{{slot}}}")
            sql = sql.replace(f"= {quote_literal(values[0])}", f"IN {{{slot}}}") if len(values) == 1 else sql
    for period in linked.periods:
        sql = sql.replace(f"DATE '{period.span.start}'", "{period.start}")
        sql = sql.replace(f"DATE '{period.span.end}'", "{period.end}")
    return text.strip(), sql


def placeholders_of(wording: str) -> list[str]:
    """Name the slots that stand in a question."""
    return re.findall(r"\{([a-z_]+)\}", wording)


def _stretches(linked: Linked) -> list[tuple[int, int, str]]:
    """Give what stands for a slot, of each slot the first."""
    found = [
        (one.start, one.end, str(one.kind)) for one in linked.spotted if len(one.names) == 1 or one.kind == "sprint"
    ]
    found += [(one.start, one.end, "sprint") for one in linked.sprint_references]
    found += [(one.start, one.end, "period") for one in linked.periods]
    found += [(one.start, one.end, "key") for one in linked.keys]
    first: dict[str, tuple[int, int, str]] = {}
    for stretch in sorted(found):
        first.setdefault(stretch[2], stretch)
    return list(first.values())
