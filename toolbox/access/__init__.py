"""Who may call: keys, people, scopes, limits."""
