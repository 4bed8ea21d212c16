"""Connect MCP clients: a client's configuration, a key for it, and its first calls."""
