"""Tasks whose answers are known, done by agents: with Toolroom's tools, or with the raw data alone."""
