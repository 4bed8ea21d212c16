"""The board of a team: burndown, velocity, cycle time, ageing and forecasts, in the console and the admin."""
