"""Benchmarks of our claims, each beside what a user would choose instead."""
