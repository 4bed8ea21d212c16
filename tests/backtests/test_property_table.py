"""README's table of properties is what events are checked against."""

from pathlib import Path

import backtests
from backtests.ingest.check import SCHEMAS, STATE_AFTER
from backtests.vocabulary import UNKNOWN

README = (Path(backtests.__file__).parent / "README.md").read_text(encoding="utf-8")


def test_every_property_of_every_type_is_in_the_table() -> None:
    rows = {line.split("`")[1]: line for line in README.splitlines() if line.startswith("| `")}
    for name, schema in SCHEMAS.items():
        if name != UNKNOWN:
            assert [rule[0] for rule in schema if f"`{rule[0]}`" not in rows[name]] == []


def test_the_states_of_orders_and_of_profit_are_named() -> None:
    text = README.partition("`StateAfter` of an `Order`")[2].partition("Further properties")[0]
    assert [rule[0] for schema in STATE_AFTER.values() for rule in schema if f"`{rule[0]}`" not in text] == []
