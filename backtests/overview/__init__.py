"""Curves, counts and charts of runs, for the admin and the pages."""
