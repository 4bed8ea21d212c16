"""The record of every call."""
