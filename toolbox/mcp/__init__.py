"""MCP: tools, resources, prompts and tasks over HTTP and stdio."""
