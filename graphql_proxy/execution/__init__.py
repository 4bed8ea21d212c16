"""Execution of one document at one upstream."""
