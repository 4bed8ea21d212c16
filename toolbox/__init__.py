"""The kernel: what a tool is, how it is offered, who may call it, what was called."""

VERSION = "0.1.0"
"""Toolroom's version, as servers and clients are told."""
