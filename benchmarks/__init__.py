"""Measured claims, each beside what a user would pick instead."""
