"""Access: keys, people, scopes, limits."""
