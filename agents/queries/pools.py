"""The connections that runs and conversations are kept through, as the owner."""

from toolbox.database.pools import Pool

store = Pool("default", options="-c statement_timeout=10000", max_size=4)
"""A statement that meets a dead connection is repeated, so each here may be: what was done already is done once."""

passing = Pool("default", options="-c statement_timeout=10000 -c synchronous_commit=off", max_size=4)
"""For what a crash of the database may take back without harm: that a worker lives, words, that a step began."""
