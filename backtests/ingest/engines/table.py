"""
Any table of trades, executions, equity or returns, whose columns a person has named.

`guess_columns` guesses the columns from their names; nothing is loaded until a person confirms them.
"""

import re
from collections.abc import Mapping, Sequence
from uuid import UUID

from backtests.ingest.engine_layouts import OPTIONAL, REQUIRED, Layout, LayoutTranslator, TableOptions
from backtests.ingest.engine_records import read_table, split_header

NAMES: dict[str, tuple[str, ...]] = {
    "entry_time": ("entrytime", "entrydate", "opentime", "opened", "openedat", "datein", "entry", "opendate"),
    "entry_price": ("entryprice", "openprice", "avgentryprice", "priceentry", "pricein"),
    "exit_time": ("exittime", "exitdate", "closetime", "closed", "closedat", "dateout", "exit", "closedate"),
    "exit_price": ("exitprice", "closeprice", "avgexitprice", "priceexit", "priceout"),
    "time": ("time", "timestamp", "datetime", "date", "day", "dt", "executedat", "filltime", "column1", "index"),
    "price": ("price", "fillprice", "executionprice", "avgprice", "px"),
    "quantity": ("quantity", "qty", "size", "amount", "shares", "volume", "units", "contracts", "fillquantity"),
    "symbol": ("symbol", "ticker", "security", "instrument", "asset", "pair", "market", "securitysymbol"),
    "side": ("side", "direction", "action", "type", "buysell"),
    "commission": ("commission", "commissions", "fee", "fees", "cost", "totalfees"),
    "reason": ("reason", "exitreason", "tag", "signal", "comment"),
    "currency": ("currency", "ccy"),
    "equity": ("equity", "balance", "portfoliovalue", "networth", "nav", "accountvalue", "totalvalue", "value"),
    "return": ("return", "returns", "dailyreturn", "ret", "pctchange", "strategyreturn"),
}
GRAMMAR = re.compile(r"\s*([a-z_]+)\s*=\s*(?:'([^']*)'|([^,]*?))\s*(?:,|$)")
KINDS_IN_ORDER = ("trades", "executions", "equity", "returns")

read_records = read_table


def recognise(head: str) -> bool:
    """Return whether a file begins with the first line of a table whose columns can be guessed."""
    return guess_columns(split_header(head.partition("\n")[0])) is not None


def guess_columns(header: Sequence[str]) -> Layout | None:
    """Return the likely meanings of a table's columns; None if too few are recognised."""
    known = {re.sub(r"[\W_]+", "", name).lower(): name for name in header}
    meant = {
        role: next((known[name] for name in names if name in known), None) for role, names in NAMES.items()
    }  # fmt: skip
    for kind in KINDS_IN_ORDER:
        found = {role: meant[role] for role in (*REQUIRED[kind], *OPTIONAL[kind]) if meant.get(role)}
        if all(role in found for role in REQUIRED[kind]):
            return Layout(kind=kind, columns={role: column for role, column in found.items() if column})
    return None


def read_columns(text: str) -> dict[str, str]:
    """Parse `time=Date,price='Fill price'`. Raises ValueError, which says what is wrong."""
    read: dict[str, str] = {}
    place = 0
    while place < len(text):
        found = GRAMMAR.match(text, place)
        if not found or found[1] not in NAMES:
            raise ValueError(
                f"{text[place:][:60]!r} names no meaning of a column: write meaning=column, parted by commas, of "
                f"{', '.join(NAMES)}."
            )
        read[found[1]] = found[2] if found[2] is not None else found[3]
        place = found.end()
    make_layout(read)
    return read


def write_columns(columns: Mapping[str, str]) -> str:
    """Format columns as `read_columns` parses them."""
    return ",".join(
        f"{role}='{name}'" if re.search(r"[,'\s]", name) else f"{role}={name}" for role, name in columns.items()
    )


def make_layout(columns: Mapping[str, str]) -> Layout:
    """Build the layout of these columns. Raises ValueError if they fit no kind of table."""
    kind = next((kind for kind in KINDS_IN_ORDER if all(role in columns for role in REQUIRED[kind])), None)
    if kind is None:
        needed = "; ".join(f"{kind} needs {', '.join(REQUIRED[kind])}" for kind in KINDS_IN_ORDER)
        raise ValueError(f"These columns make no table: {needed}.")
    return Layout(kind=kind, columns=columns)


def make_translator(run_id: UUID, *, given: TableOptions) -> LayoutTranslator:
    """Make the translator of one run's rows. Raises ValueError if no columns are given."""
    return LayoutTranslator(run_id, layouts=[make_layout(given.columns)], given=given)
