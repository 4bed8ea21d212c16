"""Queries and drawings of the season, team and game pages."""
