"""What a document costs: sizes wherever they are written, multiplied down the tree."""

from dataclasses import replace
from typing import Any

import pytest
from graphql import build_schema

from graphql_proxy import guard
from tests.graphql_proxy.upstream_data import UPSTREAM

SCHEMA = build_schema("""
type Query {
  orders(pagination: Page, filter: OrderFilter, first: PositiveInt): [Order!]!
  products(max_results: Int, maxPrice: Int): ProductPage
  latest(n: Int = 50): [Order!]!
  rows(window: Int): [Order!]!
  total(count: Int): Int
}
input Page { limit: Int, offset: Int, inner: Page }
input OrderFilter { count: Int }
scalar PositiveInt
type Order { id: ID lines(top: Int): [Line!]! }
type Line { id: ID }
type ProductPage { items: [Order!]! }
""")


def cost_of(query: str, *, variables: dict[str, Any] | None = None, size_names: str = "", schema: Any = SCHEMA) -> Any:
    upstream = replace(UPSTREAM, size_names=size_names)
    document = guard.read_document(query, upstream=upstream)
    return guard.cost_of(document, upstream=upstream, variables=variables or {}, schema=schema)[0]


@pytest.mark.parametrize(
    ("query", "variables", "cost", "largest"),
    [
        ("{ orders(pagination: {limit: 50}) { id } }", {}, 51, 50),
        ("query ($p: Page) { orders(pagination: $p) { id } }", {"p": {"limit": 50}}, 51, 50),
        ("query ($n: Int) { orders(pagination: {limit: $n}) { id } }", {"n": 50}, 51, 50),
        ("query ($p: Page = {limit: 50}) { orders(pagination: $p) { id } }", {}, 51, 50),
        ("query ($p: Page = {limit: 50}) { orders(pagination: $p) { id } }", {"p": {"limit": 5}}, 6, 5),
        ("{ orders(pagination: {inner: {limit: 50}}) { id } }", {}, 51, 50),
        ("{ orders(pagination: {limit: 10}) { lines(top: 30) { id } } }", {}, 1 + 10 * (1 + 30), 30),
        ("{ orders(first: 40) { id } }", {}, 41, 40),
        ("{ orders(filter: {count: 900}, first: 2) { id } }", {}, 3, 2),
        ("{ products(max_results: 30, maxPrice: 9000) { items { id } } }", {}, 1 + 30 * 2, 30),
        ("{ latest { id } }", {}, 51, 50),
        ("{ total(count: 100000) }", {}, 1, 0),
        ("query ($n: Int = 40) { ...F } fragment F on Query { orders(first: $n) { id } }", {}, 41, 40),
        ("{ orders(pagination: {limit: -5}) { id } }", {}, 2, 0),
    ],
)
def test_sizes_are_found_where_they_are_written(query: str, variables: dict[str, Any], cost: int, largest: int) -> None:
    found = cost_of(query, variables=variables)

    assert (found.cost, found.largest_list) == (cost, largest)


def test_an_upstream_names_its_own_sizes() -> None:
    assert cost_of("{ rows(window: 500) { id } }").cost == 1 + UPSTREAM.assumed_list_size
    assert cost_of("{ rows(window: 500) { id } }", size_names="span window").cost == 501


def test_without_a_schema_names_alone_count() -> None:
    assert cost_of("{ a(page: {perPage: 30}) { b } }", schema=None).cost == 31


def test_an_input_that_holds_itself_is_looked_into_no_further_than_its_limit() -> None:
    deep = "{inner: " * 50 + "{limit: 9}" + "}" * 50
    assert cost_of(f"{{ orders(pagination: {deep}) {{ id }} }}").cost == 1 + UPSTREAM.assumed_list_size
