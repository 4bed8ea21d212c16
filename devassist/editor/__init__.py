"""Editor state that editors push and agents read."""
