"""The kernel's own connections, as the owner: keys are looked up and calls are recorded through them."""

from toolbox.pool import Pool

ledger = Pool("default", options="-c statement_timeout=10000", max_size=2)
