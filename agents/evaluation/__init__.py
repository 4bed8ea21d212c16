"""Tasks with known answers, for agents with Toolroom's tools or with the raw data alone."""
