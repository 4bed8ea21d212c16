"""Every statement about conversations and runs."""
