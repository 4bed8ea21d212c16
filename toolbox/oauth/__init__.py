"""Tokens of OAuth beside API keys: of an outside issuer, or of our own authorization server."""
