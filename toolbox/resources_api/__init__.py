"""The browsable, read-only API of tables, by Django REST framework."""
