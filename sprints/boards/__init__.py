"""Boards of teams in the console and the admin: burndown, velocity, cycle time, ageing, forecasts."""
