"""`manage.py drill`: kill parts of a staging system in every phase of a run, and check the outcome of the runs."""
