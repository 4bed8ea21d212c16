"""The browsable API of tables, by Django REST framework."""
