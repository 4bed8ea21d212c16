"""
Safe execution of model-written SQL: guard, restricted role, bounded execution, repair.

`execution.execute` is the entry point. The guard decides what may run; role_lockdown lists what the database role must
not have. Either alone must stop every attack.
"""
