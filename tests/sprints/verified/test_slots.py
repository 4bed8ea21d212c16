"""Slots become literals, and nothing but literals."""

import pytest

from sprints.linking.link import LinkedQuestion, link
from sprints.linking.names import Name, NameIndex
from sprints.sql_sandbox.literals import quote_literal
from sprints.verified.slots import UnfilledSlotError, fill, find_mistakes
from tests.sprints.cast import TODAY, index

INDEX = index()


def link_names(question: str) -> LinkedQuestion:
    return link(question, index=INDEX, today=TODAY)


def fill_slots(sql: str, *, question: str, defaults: dict[str, object] | None = None) -> str:
    return fill(sql, linked=link_names(question), index=INDEX, defaults=defaults or {}).sql


def test_a_name_becomes_a_list_of_literals() -> None:
    sql = fill_slots("SELECT 1 WHERE t IN {team}", question="ACCEL and ORBIT")

    assert sql == "SELECT 1 WHERE t IN ('id-ACCEL', 'id-ORBIT')"


def test_a_part_in_brackets_goes_where_its_slot_is_not_said() -> None:
    sql = "SELECT 1 WHERE true [[AND t IN {team}]] [[AND d >= {period.start} AND d < {period.end}]]"

    assert fill_slots(sql, question="anything").split() == ["SELECT", "1", "WHERE", "true"]
    assert "DATE '2026-10-01' AND d < DATE '2026-11-01'" in fill_slots(sql, question="last month")


def test_a_default_is_read_as_if_it_had_been_said_and_is_stated() -> None:
    found = fill("SELECT {sprint}", linked=link_names("ACCEL"), index=INDEX, defaults={"sprint": "current sprint"})

    assert found.sql == "SELECT ('id-ACCEL-10')"
    assert found.assumptions == ("The question names no sprint. Took 'current sprint' as ACCEL Sprint 10 (ACCEL).",)


def test_what_is_needed_and_not_said_is_named() -> None:
    with pytest.raises(UnfilledSlotError) as lacking:
        fill_slots("SELECT {person}", question="ACCEL")

    assert lacking.value.slot == "person"


@pytest.mark.parametrize("text", ["O'Brien", "'; DROP TABLE issues; --", "\\'", "a\x00b", "{team}", "]] AND true [["])
def test_a_value_cannot_leave_its_quotes(text: str) -> None:
    odd = NameIndex.from_names([Name(kind="status", value=text, text="Odd Status")])
    linked = link("Odd Status", index=odd, today=TODAY)

    sql = fill("SELECT 1 WHERE s IN {status}", linked=linked, index=odd, defaults={}).sql

    assert sql == f"SELECT 1 WHERE s IN ({quote_literal(text)})"
    assert quote_literal(text).count("'") % 2 == 0


def test_mistakes_of_a_curator_are_named() -> None:
    found = find_mistakes("SELECT {tema}, {period}, {team.start}", defaults={"sprint": "last sprint"})

    assert len(found) == 4
