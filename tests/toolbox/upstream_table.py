"""Teams of the league in the default upstream's table, where the mock would have generated ones."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from toolbox.database.caches import clear_all_caches

TEAMS = [
    "Boston Bruins", "Carolina Hurricanes", "Colorado Avalanche", "Minnesota Wild", "Pittsburgh Penguins",
    "Seattle Kraken", "Washington Capitals",
]  # fmt: skip


@contextmanager
def upstream_table() -> Iterator[None]:
    """Let graphql_proxy's slots know these teams until the block ends."""

    async def table() -> list[dict[str, str]]:
        return [{"team": name, "season": "2024-2025"} for name in TEAMS]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("graphql_proxy.operations.slots._fetch_teams", table)
        clear_all_caches()
        yield
    clear_all_caches()
