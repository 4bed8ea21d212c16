"""OAuth tokens besides API keys: an external issuer's, or our own authorization server's."""
