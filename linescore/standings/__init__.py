"""How teams stand, period by period: what the season, team and game pages show."""
