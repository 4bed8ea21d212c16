"""The pools that runs and conversations are kept through."""

from toolbox.database.pools import relaxed_pool as passing
from toolbox.database.pools import work_pool as store

__all__ = ["passing", "store"]
