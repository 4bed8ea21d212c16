"""Parsed schemas are kept out of garbage collection while they are in use, and freed when they are not."""

import gc
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
from graphql import GraphQLObjectType

from graphql_proxy.schema import store
from graphql_proxy.schema.store import SchemaStore
from toolbox.database.pool import FetchedRows

TYPES = 600


class Definitions:
    """A pool that has one definition for each slug, which is its digest too."""

    def __init__(self) -> None:
        self.fields = "\n".join(f"field{number}: Kind0" for number in range(20))

    async def fetch(self, statement: str, parameters: list[Any]) -> FetchedRows:
        """Return the newest version, or its text."""
        (slug,) = parameters
        if "sdl" not in statement:
            return FetchedRows(rows=[{"version": 1, "digest": slug}], milliseconds=0.0)
        types = "\n".join(f"type Kind{number} {{ {self.fields} }}" for number in range(TYPES))
        return FetchedRows(rows=[{"sdl": f"# {slug}\ntype Query {{ first: Kind0 }}\n{types}"}], milliseconds=0.0)


@pytest.fixture
def schema_store() -> Iterator[SchemaStore]:
    yield SchemaStore(Definitions())  # type: ignore[arg-type]
    gc.unfreeze()


def count_collected_types() -> int:
    """Return how many types of schemas a full collection walks."""
    return sum(isinstance(one, GraphQLObjectType) and one.name.startswith("Kind") for one in gc.get_objects())


async def test_a_full_collection_does_not_walk_a_large_schema(schema_store: SchemaStore) -> None:
    known = await schema_store.find("shop")

    assert known
    assert len(known.schema.type_map) > TYPES
    assert count_collected_types() == 0


async def test_a_large_schema_that_is_no_longer_kept_is_freed(
    schema_store: SchemaStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "MAX_KEPT", 1)
    known = await schema_store.find("shop")
    assert known
    old = weakref.ref(known.schema.type_map["Kind0"])  # its fields refer to it
    del known
    schema_store.forget()

    new = await schema_store.find("bakery")

    assert new
    assert old() is None
    assert count_collected_types() == 0
