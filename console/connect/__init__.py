"""Connecting MCP clients: their configuration, a key for it, and the first call that comes."""
