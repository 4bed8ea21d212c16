"""The one entry for every call."""
