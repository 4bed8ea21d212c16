"""The one entry that every call passes."""
