"""Process-wide cache of parsed schemas. A newer version in the database replaces the old one."""

import asyncio
import gc
from collections import OrderedDict
from dataclasses import dataclass, replace

from graphql import GraphQLSchema

from graphql_proxy.schema.parsing import read_stored
from graphql_proxy.schema.search import SchemaIndex
from toolbox.database.caches import SingleFlight, TtlCache
from toolbox.database.pools import Pool, reader

MAX_KEPT = 8
MAX_KEPT_CHARACTERS = 67_108_864
"""Of the definitions of all parsed schemas of a process, but the newest; parsed ones take about 30 times as much."""

MIN_FROZEN_CHARACTERS = 100_000
"""Of a definition; below, a parsed schema is some 70,000 objects, which a full garbage collection walks in 30 ms."""

_NEWEST = """
SELECT s.version, s.digest
FROM graphql_proxy_schemas AS s
JOIN graphql_proxy_upstreams AS u ON u.id = s.upstream_id
WHERE u.slug = %s
ORDER BY s.version DESC
LIMIT 1
"""
_TEXT = "SELECT sdl FROM graphql_proxy_schemas WHERE digest = %s LIMIT 1"


@dataclass(frozen=True, kw_only=True, eq=False)
class KnownSchema:
    """A parsed schema with its search index and its version."""

    schema: GraphQLSchema
    index: SchemaIndex
    version: int


class SchemaStore:
    """The newest stored schema of each upstream, for one process."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._newest: TtlCache[KnownSchema | None] = TtlCache()
        self._parsed: OrderedDict[str, KnownSchema] = OrderedDict()
        self._characters: dict[str, int] = {}
        self._parsing: SingleFlight[KnownSchema] = SingleFlight()
        self._removed_characters = 0

    async def find(self, slug: str) -> KnownSchema | None:
        """Return an upstream's schema, None if none is stored. Runs one statement every 4 s, two for a new version."""

        async def newest() -> KnownSchema | None:
            found = await self._pool.fetch(_NEWEST, [slug])
            if not found.rows:
                return None
            known = await self._read(found.rows[0]["digest"])
            return replace(known, version=found.rows[0]["version"])  # another upstream may have the same text

        return await self._newest.get(slug, newest)

    def forget(self) -> None:
        """Forget which versions are newest. Parsed schemas stay cached by their digest."""
        self._newest.clear()

    async def _read(self, digest: str) -> KnownSchema:
        if digest in self._parsed:
            self._parsed.move_to_end(digest)
            return self._parsed[digest]
        return await self._parsing.run(digest, lambda: self._parse(digest))

    async def _parse(self, digest: str) -> KnownSchema:
        """Parse in a thread, so that other calls are not blocked."""
        found = await self._pool.fetch(_TEXT, [digest])
        sdl = found.rows[0]["sdl"]
        known = await asyncio.to_thread(_parse_stored, sdl)
        self._parsed[digest], self._characters[digest] = known, len(sdl)
        while len(self._parsed) > 1 and not self._fits():
            self._removed_characters += self._characters.pop(self._parsed.popitem(last=False)[0])
        if self._removed_characters >= MIN_FROZEN_CHARACTERS:
            self._removed_characters = 0
            free_and_freeze_objects()
        elif len(sdl) >= MIN_FROZEN_CHARACTERS:
            freeze_objects()
        return known

    def _fits(self) -> bool:
        return len(self._parsed) <= MAX_KEPT and sum(self._characters.values()) <= MAX_KEPT_CHARACTERS


def freeze_objects() -> None:
    """
    Exclude all present objects from garbage collection.

    Otherwise each full collection walks every object of a large schema, and stops all calls for 240 ms. Only the young
    generations are collected before, at most 110,000 objects.
    """
    gc.collect(1)
    gc.freeze()


def free_and_freeze_objects() -> None:
    """Free the schemas that are no longer in use, whose objects refer to each other; then exclude the others again."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def _parse_stored(sdl: str) -> KnownSchema:
    schema = read_stored(sdl)
    return KnownSchema(schema=schema, index=SchemaIndex.from_schema(schema), version=0)


schemas = SchemaStore(reader)
