"""
What tools declared `writes=True`, and caches, write through: `writer.using(work)`, as the owner of the tables.

Nothing is ever tried twice: after a connection is lost in the middle, whether its commit arrived is unknown, and the
caller is told so (DatabaseUnavailable).
"""

from toolbox.pool import Pool

writer = Pool("default", options="-c statement_timeout=10000 -c jit=off", max_size=4, repeats=False)
