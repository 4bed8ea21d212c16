"""Contents of the MCP resources of sprints, and their completions."""
