"""What agents do: their calls, sessions, conversations over time, refusals and trends."""
