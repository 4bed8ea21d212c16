"""
SQL written by a model, run safely: the guard, the restricted role, bounded execution, repair of what failed.

`execution.execute` is the way in. The guard decides what may run; role_lockdown names what the database role must not
have; either alone must stop every attack.
"""
