"""`manage.py drill`: kill parts of a staging system in every phase of a run, and check what became of the runs."""
