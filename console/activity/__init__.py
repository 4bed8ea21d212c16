"""What agents do: calls as they come, each call, sessions and conversations over time, refusals, trends."""
